#pragma once

#include "core/field.hpp"
#include "core/monitor.hpp"
#include "eikonal/metric/factor.hpp"
#include "model/model.hpp"

namespace fermat {

/// First arrivals of isotropic velocity on a grid that follows the ground, through its cells. Rows
/// bend with the ground and cells lean, so differences along rows swing where it is steep; a cell
/// itself is convex, and rays in it are nearly straight. So a node P is reached at the least of
/// T(Q) + s |PQ| over the points Q on the faces round it (cells/face.hpp), whatever the angles.
///
/// First, with times linear along faces but for a factor, the times of all nodes fall until none
/// falls further, earliest first: that always ends. Then every node is computed again a few times,
/// in the order of these times, with the curvature along faces (second order).
///
/// The factor is the distance from where the wave comes from. That is the source or, in 2-D, a node
/// of the ground round which the wave was diffracted: behind such a corner times are those of a
/// source at the corner, and as exact.
///
/// Fills tau; infinite where no wave arrives. Serial.
void march_below_ground(const Model& model, const MetricFactor& factor, int order,
                        FieldView<float> tau, Monitor& monitor);

/// Whether that knows a model: velocity on nodes, isotropic, in terrain coordinates, without jumps
/// on rows.
bool can_march_below_ground(const Model& model);

/// The largest angle by which the ground turns down at a node of it, in radians, along x or y:
/// waves are diffracted there.
double sharpest_corner(const Model& model);

}  // namespace fermat
