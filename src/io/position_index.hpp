#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "core/vec3.hpp"

namespace fermat {

/// Numbers points in the order they come; equal points get one number.
class PositionIndex {
  public:
    std::int32_t add(Vec3 p) {
        // -0 and 0 are the same place.
        const auto [entry, added] = numbers_.try_emplace(
            {p.x + 0.0, p.y + 0.0, p.z + 0.0}, static_cast<std::int32_t>(positions_.size()));
        if (added) positions_.push_back(p);
        return entry->second;
    }
    std::vector<Vec3> take() { return std::move(positions_); }

  private:
    std::map<std::tuple<double, double, double>, std::int32_t> numbers_;
    std::vector<Vec3> positions_;
};

}  // namespace fermat
