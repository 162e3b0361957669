#pragma once

#include <vector>

#include "core/choice.hpp"
#include "core/grid.hpp"

namespace fermat {

/// Which nodes of the box round a node its edges lead to.
enum class StarEdges {
    coprime,  ///< only offsets with no common divisor: longer ones repeat a direction
    full,     ///< all of them, for comparison
};
template <>
inline constexpr auto choices<StarEdges> =
    choice_table<StarEdges>("star", {{"coprime", StarEdges::coprime}, {"full", StarEdges::full}});

/// Offsets to the neighbours of a node in the grid graph: the box of the given radius along each
/// axis without its centre (Moser 1991; papers 1 and 2), in C order. An offset and its opposite
/// stand at mirrored places, star[i] = -star[size - 1 - i], so that an edge's two ends can share
/// it. The radius along y must be 0 in 2-D. Throws InputError for a negative or all-zero radius.
std::vector<Index3> forward_star(Index3 radius, StarEdges edges = StarEdges::coprime);

/// The largest angle, in radians, between neighbouring directions of a 2-D star on a grid with the
/// given spacings. Times in a homogeneous medium are late by 1/cos(angle/2) - 1 of themselves at
/// most: a path is made of the two directions next to its own, and the worst lies halfway.
double largest_gap(const std::vector<Index3>& star, double spacing_x, double spacing_z);

}  // namespace fermat
