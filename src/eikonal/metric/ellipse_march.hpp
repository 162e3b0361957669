#pragma once

#include "core/field.hpp"
#include "core/monitor.hpp"
#include "eikonal/metric/factor.hpp"
#include "model/model.hpp"

namespace fermat {

/// First arrivals of a section in which waves go one way much faster than across it, tilted against
/// the grid. The octant that such a wave comes from changes with the least error of its direction,
/// so the tiles swing between solutions there, or settle at a wrong one. Here a node P is reached
/// at the least of
///
///     T(Q) + sqrt(d . S d),   d = P - Q,   S = (S(P) + S(Q)) / 2,   S = D^-1,
///
/// over the points Q on the eight sides of the cells round it that it does not touch (Hopf & Lax),
/// whatever the ellipse. T = T0 v along a side, with v linear between its nodes.
///
/// First the times of all nodes fall until none falls further: that always ends. Then every node is
/// computed again a few times, with v curved along the sides (second order).
///
/// Fills tau; infinite where no wave arrives. Serial.
void march_through_ellipses(const Model& model, const MetricFactor& factor, int order,
                            FieldView<float> tau, Monitor& monitor);

/// Whether that knows a model: a section with a tensor per node, on a Cartesian or graded grid,
/// without jumps on rows.
bool can_march_through_ellipses(const Model& model);

/// Whether waves cross some cell over three times as fast along one way as along another, tilted
/// against the grid. `model` is one that march_through_ellipses knows.
bool has_long_tilted_ellipses(const Model& model);

}  // namespace fermat
