#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/execution.hpp"
#include "eikonal/time_field.hpp"
#include "model/model.hpp"
#include "rays/bending/options.hpp"
#include "rays/ray_set.hpp"
#include "rays/velocity_media.hpp"

namespace fermat {

/// Returns the rays of another tracer for some arrivals of the survey, in their order.
using SeedRays = std::function<RaySet(RayStart start, std::span<const std::int32_t> arrivals)>;

/// Bends the rays of a survey and passes them to `consume` in batches of some thousand, in the
/// order of sorted_by_event(). Memory does not grow with the number of rays. The starts `descent`
/// and `graph` need `seed`.
void bend_rays(const Model& model, const Survey& survey, const BendingOptions& options,
               const Execution& execution, const SeedRays& seed,
               const std::function<void(RaySet&&)>& consume);

/// Bends rays on the current CUDA device, eight lanes per ray, from the starts straight, deep and
/// sides. Times agree with the CPU's to rounding. Returns the seconds of the kernels. Throws
/// InputError where CUDA is not in this build or there is no device.
double bend_rays_cuda(const Model& model, const Survey& survey, const BendingOptions& options,
                      Monitor& monitor, const std::function<void(RaySet&&)>& consume);

/// Velocity given as a function of a point instead of on a grid: > 0, or 0 in air. Several threads
/// call it at once. Rays stay inside the box.
struct VelocityField {
    FunctionMedium::Velocity velocity;
    Box box;
    bool is_2d = false;
};

/// Bends rays in any velocity field, from the starts straight, deep and sides, and returns all of
/// them.
RaySet bend_rays(const VelocityField& field, const Survey& survey, const BendingOptions& options,
                 const Execution& execution = {});
RaySet bend_rays(const DepthMedium& medium, const Survey& survey, const BendingOptions& options,
                 const Execution& execution = {});

}  // namespace fermat
