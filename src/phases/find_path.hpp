#pragma once

// The search for one path, on host or device: from straight legs between the joints of a start to a
// ray whose time has no error of segments, and whether that ray is one of its branch.

#include <cmath>
#include <cstdint>

#include "core/grid.hpp"
#include "core/host_device.hpp"
#include "phases/branch_ray.hpp"
#include "phases/two_point.hpp"

namespace fermat {

/// What is asked of a leg besides its slowness.
struct LegRules {
    InterfaceView top;
    InterfaceView bottom;  ///< without depths where the layer has none
    bool turns = false;    ///< as those of Leg
    bool dives = false;
    bool rises = false;
    bool spare = false;
};

/// What a search is told.
struct PathRules {
    const LegRules* legs = nullptr;
    Grid grid;
    double cell = 1;  ///< its least edge
    double tolerance = 1e-6;
    int fewest_segments = 32;  ///< per leg; 1: straight legs are rays
    int most_segments = 512;
};

/// How it ended. The points of a path that arrived are in its PathSpace.
struct FoundPath {
    BranchStatus status = BranchStatus::unsettled;
    double time = 0;
    double doubt = 0;
    int maxima = 0;
    int segments = 0;
};

namespace detail {

/// Legs begin straight, with one segment: a joint that moves far must take them along. With this
/// many they are fairly round.
inline constexpr int fair_segments = 8;
/// Segments of straight legs, for those who look at the points.
inline constexpr int straight_segments = 16;
/// Change of the time by the last doubling of segments, as a part of it, from which on a path that
/// has settled is good where more segments do not settle.
inline constexpr double good_change = 1e-5;
/// How far outside its layer, in cells, a path may be: chords cut corners.
inline constexpr double slack_cells = 0.05;

/// Whether a leg that must turn has no length: before the critical distance, a head wave shrinks to
/// a reflection, and a bounce may run into the source or receiver. So may a leg that is spare.
template <class LayerT, class SurfaceT>
FERMAT_HD bool has_collapsed(const PathMedium<LayerT, SurfaceT>& medium, const PathSpace& space,
                             const PathRules& rules, int n) {
    for (int leg = 0; leg < medium.legs; ++leg) {
        const LegRules& of = rules.legs[leg];
        const Vec3* p = space.point + leg * n;
        const bool needed = of.turns || of.dives || of.rises || of.spare;
        if (needed && distance(p[0], p[n]) < 0.01 * rules.cell) return true;
    }
    return false;
}

/// Whether the points of a settled path lie in their layers and in the model.
template <class LayerT, class SurfaceT>
FERMAT_HD FERMAT_APART BranchStatus judge_path(const PathMedium<LayerT, SurfaceT>& medium,
                                               const PathSpace& space, const PathRules& rules,
                                               int n, double slack) {
    bool crosses = false;
    double above = 0;  // depth of the point before
    for (int leg = 0; leg < medium.legs; ++leg) {
        const LegRules& of = rules.legs[leg];
        for (int i = leg == 0 ? 0 : 1; i <= n; ++i) {
            const LayerPlace at = medium.layers[leg].where(space.point[leg * n + i]);
            if (!rules.grid.contains(at.grid)) return BranchStatus::outside;
            const double z = at.user.z;
            if (of.dives && i == 1 && z < above) return BranchStatus::absent;
            if (of.rises && i == n && z > above) return BranchStatus::absent;
            above = z;
            if (i == 0 || i == n || crosses) continue;
            crosses = z < of.top.depth_at(at.user.x, at.user.y) - slack ||
                      (of.bottom.depth != nullptr &&
                       z > of.bottom.depth_at(at.user.x, at.user.y) + slack);
        }
    }
    return crosses ? BranchStatus::crosses : BranchStatus::ok;
}

}  // namespace detail

/// Straight legs between the joints in space.joint.
template <class LayerT, class SurfaceT>
FERMAT_HD void begin_path(const PathMedium<LayerT, SurfaceT>& medium, PathSpace& space, Vec3 source,
                          Vec3 receiver) {
    space.point[0] = source;
    for (int joint = 0; joint + 1 < medium.legs; ++joint) {
        space.point[joint + 1] = detail::joint_of(medium, space, joint).place;
    }
    space.point[medium.legs] = receiver;
}

/// What a search calls for paths that need more than Newton's method. A device has these.
struct PlainHooks {
    /// Makes guards (LayerGuard) narrow; how the path settled then.
    FERMAT_HD PathSearch tighten() const { return {}; }
    /// Lets bounces go (StartLattice), with n segments per leg.
    FERMAT_HD PathSearch release(int) const { return {}; }
};

/// How joints are held at first: along them the time is no minimum.
struct HeldJoints {
    std::uint64_t joints = 0;  ///< bits
    bool bounce = false;       ///< whether the hooks let them go
};

/// The ray next to the path that begin_path() left. Joints that are held stay where they are until
/// all else has settled.
template <class LayerT, class SurfaceT, class Hooks>
FERMAT_HD FoundPath find_path(PathMedium<LayerT, SurfaceT>& medium, PathSpace& space,
                              const PathRules& rules, HeldJoints held, bool is_guarded,
                              Hooks&& hooks) {
    using namespace detail;
    // Where velocity has no kinks, a coarse path need not be known better than its segments allow,
    // and the last step of Newton's method leaves nothing.
    const bool smooth = rules.fewest_segments < 32;
    const double coarse = smooth ? 1e-7 : 1e-12;
    const double small = smooth ? std::fmin(1e-9, 1e-3 * rules.tolerance) : 1e-12;
    FoundPath out;
    const auto settle = [&](int n, double decrement) {
        return settle_path(medium, space, n, PathGoal::minimum, 80, decrement);
    };
    const auto let_go = [&](int n) {
        medium.held = 0;
        if (held.bounce) return hooks.release(n);
        return settle_path(medium, space, n, PathGoal::stationary, 80, small);
    };
    const bool straight = rules.fewest_segments == 1 && !is_guarded && !held.bounce;
    medium.held = held.joints;
    int n = 1;
    PathSearch at = settle(n, straight ? small : coarse);
    if (straight) {
        if (held.joints != 0) at = let_go(n);
        if (has_collapsed(medium, space, rules, n)) {
            out.status = BranchStatus::absent;
            return out;
        }
        if (at.settled) {
            while (n < straight_segments) {
                double_segments(space, medium.legs, n, false);
                n *= 2;
            }
            out.time = at.time;
            out.maxima = at.negative;
            out.segments = n;
            out.status = judge_path(medium, space, rules, n, slack_cells * rules.cell);
            return out;
        }
        medium.held = held.joints;
    }
    double before = 0;  // time with half as many segments
    // The slope by the place of a bounce asks for more.
    const int fair = held.bounce ? 4 * fair_segments : fair_segments;
    while (n < fair) {
        before = at.time;
        double_segments(space, medium.legs, n, !is_guarded && at.settled);
        n *= 2;
        at = settle(n, coarse);
    }
    bool collapsed = has_collapsed(medium, space, rules, n);
    // Of the many layers in which the waves of a bounce may turn, most are wrong: see that at once.
    const auto judge_coarsely = [&] {
        const double loose = 2 * rules.cell + 0.01 * path_length(space.point, medium.legs * n);
        return judge_path(medium, space, rules, n, loose);
    };
    if (held.bounce && !collapsed) {
        out.status = judge_coarsely();
        if (out.status != BranchStatus::ok) return out;
    }
    if (held.joints != 0 && !collapsed) {
        at = let_go(n);
        collapsed = has_collapsed(medium, space, rules, n);
        if (held.bounce && !at.settled) collapsed = true;
    }
    if (is_guarded) {
        at = hooks.tighten();
        collapsed = has_collapsed(medium, space, rules, n);
    }
    if (collapsed) {
        out.status = BranchStatus::absent;
        return out;
    }
    if (held.bounce) {
        out.status = judge_coarsely();
        if (out.status != BranchStatus::ok) return out;
    }
    out.status = BranchStatus::unsettled;
    // The error of n segments is c / n^2: two times give one without it (Richardson).
    double estimate = held.joints == 0 && !is_guarded ? (4 * at.time - before) / 3 : at.time;
    before = at.time;
    out.doubt = estimate;
    const int fewest = is_guarded ? 2 * fair_segments + 1 : rules.fewest_segments;
    const int most = is_guarded && rules.most_segments > 64 ? 64 : rules.most_segments;
    // Where velocity has kinks, as between rows of a table, fewer segments may settle than the
    // most.
    double good = 0;
    while (2 * n <= most) {
        double_segments(space, medium.legs, n, !is_guarded && at.settled);
        n *= 2;
        at = held.bounce ? let_go(n)
                         : settle_path(medium, space, n,
                                       at.negative == 0 ? PathGoal::minimum : PathGoal::stationary,
                                       30, small);
        if (!std::isfinite(at.time)) return out;
        // Without kinks there is no reason for a ray not to settle, but that there is none.
        if (smooth && !is_guarded && !at.settled && n >= 2 * fair_segments) return out;
        const double next = (4 * at.time - before) / 3;
        out.doubt = std::fabs(next - estimate);
        estimate = next;
        before = at.time;
        if (at.settled && n >= fewest && out.doubt < rules.tolerance * estimate) break;
        if (at.settled && n >= fewest && out.doubt < good_change * estimate) good = estimate;
    }
    if (!at.settled) {
        out.doubt = std::fabs(good - estimate);
        if (held.bounce || !(out.doubt < good_change * estimate)) return out;
        estimate = good;
    }
    out.time = estimate;
    out.maxima = at.negative;
    out.segments = n;
    out.status =
        judge_path(medium, space, rules, n, (is_guarded ? 4 : 1) * slack_cells * rules.cell);
    return out;
}

}  // namespace fermat
