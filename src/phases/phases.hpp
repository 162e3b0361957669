#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/execution.hpp"
#include "core/option.hpp"
#include "model/layered_medium.hpp"
#include "phases/branch.hpp"
#include "phases/branch_ray.hpp"
#include "survey/survey.hpp"

namespace fermat {

/// Which arrivals of a branch are wanted.
enum class Arrivals {
    earliest,
    all,  ///< every stationary path that was found, in the order of their times
};
template <>
inline constexpr auto choices<Arrivals> =
    choice_table<Arrivals>("arrivals", {{"earliest", Arrivals::earliest}, {"all", Arrivals::all}});

struct PhaseOptions {
    Arrivals arrivals = Arrivals::earliest;
    double tolerance = 1e-6;  ///< of the time: segments are doubled until estimates differ by less
    int most_segments = 512;  ///< per leg
    /// Pairs whose ways are the same from either end are looked at from one of them, whichever is
    /// the source; this takes the other.
    bool other_end = false;
};
inline bool is_power_of_segments(const int& n) { return n >= 16 && n <= 4096; }
inline bool is_phase_tolerance(const double& t) { return t > 0 && t < 1; }
template <>
inline constexpr auto options_of<PhaseOptions> = std::tuple{
    Option{"arrivals", &PhaseOptions::arrivals, "of a phase: the earliest or all of them"},
    Option{"phase_tolerance", &PhaseOptions::tolerance,
           "of the times of later phases, relative: segments are doubled until it is met",
           Rule<double>{&is_phase_tolerance, "between 0 and 1"}},
    Option{"most_segments", &PhaseOptions::most_segments, "of a leg of a later phase",
           Rule<int>{&is_power_of_segments, "16 to 4096"}}};

/// The rays of a branch for pairs of sources and receivers, which are points of users: per pair one
/// ray, or with `all` those that arrive, or one that says why there is none. Throws InputError for
/// points outside the medium.
std::vector<std::vector<BranchRay>> trace_branch(const LayeredMedium& medium, const Branch& branch,
                                                 std::span<const Vec3> sources,
                                                 std::span<const Vec3> receivers,
                                                 std::span<const RayPair> pairs,
                                                 const PhaseOptions& options,
                                                 const Execution& execution);

/// Points of users along a ray, from its source.
std::vector<Vec3> points_of(const LayeredMedium& medium, const BranchRay& ray);

}  // namespace fermat
