#pragma once

#include "core/execution.hpp"
#include "eikonal/metric/metric_field.hpp"
#include "rays/rays.hpp"

namespace fermat {

/// Traces one ray through a field with a metric, from `receiver` to the source, both in grid
/// coordinates. It follows the group velocity M grad T backwards, which is not the gradient where
/// the medium is anisotropic. Appends the points in grid coordinates. Where no step along the group
/// velocity makes the time fall, it goes from node to node, down the steepest way.
RayStatus trace_metric_ray(const MetricField& field, Vec3 receiver, std::vector<Vec3>& points);

/// Rays of one field to listeners, in their order and with the numbers given, as those of
/// EventTracer. Positions and points are in the coordinates of users.
RaySet trace_metric_rays(const MetricField& field, std::int32_t event, const Listeners& to,
                         const Execution& execution);

}  // namespace fermat
