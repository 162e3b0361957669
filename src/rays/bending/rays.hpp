#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/choice.hpp"
#include "core/execution.hpp"
#include "eikonal/time_field.hpp"
#include "model/model.hpp"
#include "rays/bending/starts.hpp"
#include "rays/ray_set.hpp"
#include "rays/velocity_media.hpp"

namespace fermat {

/// What is dealt out to threads (paper 3). Rays are the same bits in each way.
enum class BendingTasks {
    pairs,     ///< single rays: the default
    sources,   ///< all rays of a source
    stations,  ///< all rays of a receiver
    sections,  ///< sections of one ray after another
};
template <>
inline constexpr auto choices<BendingTasks> =
    choice_table<BendingTasks>("tasks", {{"pairs", BendingTasks::pairs},
                                         {"sources", BendingTasks::sources},
                                         {"stations", BendingTasks::stations},
                                         {"sections", BendingTasks::sections}});

struct BendingOptions {
    /// Of which the fastest wins.
    StartSet starts{RayStart::straight, RayStart::deep, RayStart::sides};
    /// Rays have the next power of two of segments that are no longer than this on the straight
    /// line, 1024 at most. 0: half the least spacing of a grid; else 64 segments.
    double segment = 0;
    BendingTasks tasks = BendingTasks::pairs;
};

void validate(const BendingOptions& options);

/// Which rays are wanted.
struct RayJob {
    std::span<const PointSource> sources;
    std::span<const Vec3> receivers;
    std::span<const RayPair> pairs;
};

/// Bends a model's rays and hands them to `consume` some thousand at a time, grouped by source,
/// within a source in the order of the pairs; memory does not grow with their number. `seed` makes
/// the rays of another tracer for such a lot, for the starts `descent` and `graph`.
using SeedRays = std::function<RaySet(RayStart start, std::span<const RayPair> pairs)>;
void bend_rays(const Model& model, const RayJob& job, const BendingOptions& options,
               const Execution& execution, const SeedRays& seed,
               const std::function<void(RaySet&&)>& consume);

/// The same on the current CUDA device, a warp a ray, from straight, deep and side starts; times
/// agree with the CPU's to rounding. Returns the seconds of its kernels. Throws InputError where
/// CUDA is not in this build or there is no device.
double bend_rays_cuda(const Model& model, const RayJob& job, const BendingOptions& options,
                      Monitor& monitor, const std::function<void(RaySet&&)>& consume);

/// Velocity that is no grid: a function of a point, > 0 or 0 for air, called from several threads
/// at once; and where rays may go.
struct VelocityField {
    FunctionMedium::Velocity velocity;
    Box box;
    bool is_2d = false;
};

/// Rays in any velocity, from straight, deep and side starts, gathered.
RaySet bend_rays(const VelocityField& field, const RayJob& job, const BendingOptions& options,
                 const Execution& execution = {});
RaySet bend_rays(const DepthMedium& medium, const RayJob& job, const BendingOptions& options,
                 const Execution& execution = {});

}  // namespace fermat
