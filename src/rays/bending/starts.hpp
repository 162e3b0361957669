#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "core/host_device.hpp"
#include "rays/ray_set.hpp"

namespace fermat {

/// A set of RayStart values.
class StartSet {
  public:
    constexpr StartSet() = default;
    constexpr StartSet(std::initializer_list<RayStart> starts) {
        for (const RayStart start : starts) add(start);
    }

    constexpr void add(RayStart start) { bits_ |= bit(start); }
    FERMAT_HD constexpr bool has(RayStart start) const { return (bits_ & bit(start)) != 0; }
    constexpr bool empty() const { return bits_ == 0; }

  private:
    FERMAT_HD static constexpr unsigned bit(RayStart start) {
        return 1U << static_cast<unsigned>(start);
    }

    unsigned bits_ = 0;
};

/// "straight,deep,sides" as the set of these. Throws InputError where a name is not one of a start.
StartSet parse_starts(std::string_view names);
/// The set as such a text.
std::string to_string(const StartSet& starts);

}  // namespace fermat
