#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "model/model.hpp"

namespace fermat {

/// The largest relative change of velocity from one model to another on the same grid.
inline double largest_change(const Model& before, const Model& after) {
    double largest = 0;
    const auto old = before.given();
    const auto fresh = after.given();
    for (std::size_t n = 0; n < old.size(); ++n) {
        if (old[n] == 0) continue;
        largest = std::max(largest, std::abs(static_cast<double>(fresh[n]) / old[n] - 1));
    }
    return largest;
}

}  // namespace fermat
