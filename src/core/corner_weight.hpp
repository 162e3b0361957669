#pragma once

namespace fermat {

/// Corners of a cell whose multilinear weights (for_each_corner) are smaller have them from
/// rounding only: the point lies on a face, an edge or a node.
inline constexpr double least_corner_weight = 1e-9;

}  // namespace fermat
