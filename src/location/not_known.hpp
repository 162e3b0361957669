#pragma once

#include <limits>

namespace fermat {

/// The number of what was not found.
inline constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

}  // namespace fermat
