#pragma once

#include <array>

namespace fermat {

/// VTK's Direction matrix by rows; its columns are the directions of the image axes i, j, k.
using VtkDirection = std::array<double, 9>;

/// Image axes along x, y, z.
inline constexpr VtkDirection direction_xyz = {1, 0, 0, 0, 1, 0, 0, 0, 1};
/// A 2-D section: image axes along x, z, -y.
inline constexpr VtkDirection direction_section = {1, 0, 0, 0, 0, -1, 0, 1, 0};

}  // namespace fermat
