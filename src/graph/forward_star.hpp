#pragma once

#include <vector>

#include "core/grid.hpp"
#include "graph/options.hpp"

namespace fermat {

/// Offsets to the neighbours of a node in the grid graph: the box of the given radius along each
/// axis without its centre (Moser 1991; papers 1 and 2 of docs/papers.md), in C order. An offset
/// and its opposite are at mirrored indices, star[i] = -star[size - 1 - i], so the two ends of an
/// edge can share it. The radius along y must be 0 in 2-D. Throws InputError for a negative or
/// all-zero radius.
std::vector<Index3> forward_star(Index3 radius, StarEdges edges = StarEdges::coprime);

/// The largest angle, in radians, between neighbouring directions of a 2-D star on a grid with the
/// given spacings. In a homogeneous medium the relative error of times is at most 1/cos(angle/2) -
/// 1: a path combines the two directions of the star next to its own, and the worst case lies
/// halfway between them.
double largest_gap(const std::vector<Index3>& star, double spacing_x, double spacing_z);

}  // namespace fermat
