#pragma once

#include <span>

#include "model/layered_medium.hpp"

namespace fermat {

/// What can be said of the rays in a layer before they are traced.
struct LayerKind {
    double uniform_slowness = 0;  ///< 0 where it varies; else rays are straight
    /// Whether velocity is linear in the coordinates of a Cartesian or spherical grid, so that rays
    /// have no kinks.
    bool is_linear = false;
};
LayerKind kind_of(const Model& model);

/// Segments per leg from which an estimate of the time is trusted: 1 where all legs are straight.
int fewest_segments(std::span<const LayerKind> legs);

/// The least edge of a medium's cells, at its middle.
double smallest_cell(const LayeredMedium& medium);

}  // namespace fermat
