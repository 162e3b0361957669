#pragma once

#include <array>

#include "core/field.hpp"
#include "eikonal/metric/metric_field.hpp"

namespace fermat {

/// The gradient of T on the nodes of a field with a metric, in the frame of the mapping: along x,
/// y, z, or on a sphere to the north, to the east and down, per length. In isotropic media its
/// length is the slowness; in anisotropic ones it is the slowness vector of the wavefront. NaN
/// where no wave arrives and at the source. In 2-D the component along y is empty.
///
/// Differences of tau are those of time_gradient.hpp. One difference D tau = grad(tau) . D place
/// holds for the same difference of the places, so rows that bend with the ground, or along a
/// parallel, cost no accuracy. Of the sides of each axis those count whose gradient solves the
/// equation best and sends the wave away from them.
std::array<Field<float>, 3> time_gradient(const MetricField& field, int threads = 1);

}  // namespace fermat
