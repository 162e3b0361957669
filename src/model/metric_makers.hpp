#pragma once

#include "model/metric.hpp"
#include "model/model.hpp"
#include "model/topography.hpp"

namespace fermat {

// Models with a metric from models without one. All throw InputError for a model that has one
// already or has velocity in cells, and what Metric throws.

/// x, y, z of the grid are latitude and longitude in degrees and depth below the radius.
Model spherical_model(const Model& base, double radius, bool geodetic);

/// A grid of other steps over the box of the base, with the velocity of the base where its nodes
/// lie. Steps along an axis grow by one factor each, the last being `growth` times the first.
/// `shape` is the number of nodes along each axis.
Model graded_model(const Model& base, Vec3 growth, const Shape& shape);

/// What the velocity of a node of a grid that follows the ground is.
enum class Draping {
    sampled,  ///< that of the base at the place of the node
    draped,   ///< that of the base at the same row: depth of the base counts from the ground
};

/// The rows of the grid follow the ground and flatten with depth.
Model terrain_model(const Model& base, const Surface& surface, Draping draping);

/// The same tensor of an elliptical medium, or the same Thomsen parameters, at all nodes. `vs` is
/// the shear velocity along the axis, 0 for the acoustic approximation; that of `medium` is not
/// read.
Model elliptical_model(const Model& base, const Mat3& tensor);
Model thomsen_model(const Model& base, const Thomsen& medium, double vs = 0);

/// Whether both models have the same coordinates. Jumps belong to the velocity.
bool same_coordinates(const Model& a, const Model& b);

/// A model with the values of `values` and the metric of `base`.
Model with_metric_of(const Model& base, const Model& values);

}  // namespace fermat
