#pragma once

#include <functional>

#include "eikonal/metric/metric_solver.hpp"
#include "rays/rays.hpp"

namespace fermat {

struct EventWork;

/// Traces one ray through a field with a metric, from `receiver` to the source, both in grid
/// coordinates. It follows the group velocity M grad T backwards, which is not the gradient where
/// the medium is anisotropic. Appends the points in grid coordinates. Where no step along the group
/// velocity makes the time fall, it goes from node to node, down the steepest way.
RayStatus trace_metric_ray(const MetricField& field, Vec3 receiver, std::vector<Vec3>& points);

/// The solver of fields whose rays are traced. Throws InputError for another tracer than `descent`,
/// and where fields are not whole.
MetricSolver metric_solver(const Model& model, const RayOptions& options,
                           const Execution& execution);

/// Rays of one source to listeners, in their order and with the numbers given, as those of
/// EventTracer. Positions and points are in the coordinates of users.
RaySet trace_metric_event(const MetricSolver& solver, const PointSource& source, std::int32_t event,
                          const Listeners& to, const Execution& execution,
                          EventWork* work = nullptr);

/// As for_each_event_rays, for one phase of a medium whose model has a metric. Positions and points
/// are in the coordinates of users. Knows tracer `descent` only, and solves from the events. Notes
/// are those of the solver.
void for_each_metric_rays(const Model& model, const Survey& survey, const RayOptions& options,
                          const Execution& execution, const std::function<void(RaySet&&)>& consume,
                          Notes& notes);

}  // namespace fermat
