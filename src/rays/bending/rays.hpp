#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/choice.hpp"
#include "core/execution.hpp"
#include "core/option.hpp"
#include "eikonal/time_field.hpp"
#include "model/model.hpp"
#include "rays/bending/space.hpp"
#include "rays/bending/starts.hpp"
#include "rays/ray_set.hpp"
#include "rays/velocity_media.hpp"

namespace fermat {

/// The unit of parallel work (paper 3). Rays have the same bits for each of them.
enum class BendingTasks {
    pairs,     ///< one ray per task (default)
    sources,   ///< all rays of one source per task
    stations,  ///< all rays of one receiver per task
    sections,  ///< the sections of a ray in parallel, ray after ray
};
template <>
inline constexpr auto choices<BendingTasks> =
    choice_table<BendingTasks>("tasks", {{"pairs", BendingTasks::pairs},
                                         {"sources", BendingTasks::sources},
                                         {"stations", BendingTasks::stations},
                                         {"sections", BendingTasks::sections}});

struct BendingOptions {
    /// Starts that are tried; the fastest ray wins.
    StartSet starts{RayStart::straight, RayStart::deep, RayStart::sides};
    /// Longest segment of the straight line. The number of segments is the next power of two, at
    /// most 1024. 0 means half of the grid's least spacing, or 64 segments where there is no grid.
    double segment = 0;
    BendingTasks tasks = BendingTasks::pairs;
    /// Rounds in which all points of the finished ray move at once, at most. Paper 3 has none. Not
    /// in the table of options below: fewer of them only make rays worse.
    int relaxations = BendSettings{}.most_relaxations;
};
inline bool are_starts(const StartSet& starts) {
    return !starts.empty() && !starts.has(RayStart::none);
}
template <>
inline constexpr auto options_of<BendingOptions> = std::tuple{
    Option{"starts", &BendingOptions::starts,
           "of tracer bending, the fastest wins: straight, deep, sides, descent, graph",
           Rule<StartSet>{&are_starts,
                          "some of straight, deep, sides, descent and graph, with commas between"}},
    Option{"segment", &BendingOptions::segment, "of tracer bending: longest segment of a ray",
           Rule<double>{&is_not_negative, "a length > 0, or 0 for the default"},
           "half the least spacing"},
    Option{"tasks", &BendingOptions::tasks, "of tracer bending, dealt out to threads"}};

void validate(const BendingOptions& options);

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
