#pragma once

#include <array>
#include <vector>

#include "eikonal/fim_problem.hpp"
#include "eikonal/fim_rules.hpp"
#include "eikonal/lanes.hpp"
#include "eikonal/stencil.hpp"

namespace fermat {

/// What a visit did to a block. `earliest` holds for each face (2 * axis + side) the earliest
/// changed arrival that may matter to the neighbour behind it, as T/s0; infinite where there is
/// none.
struct VisitOutcome {
    std::array<float, 6> earliest;
    bool settled = true;  ///< false when the sweeps were cut short
    int sweeps = 0;
};

/// Values may fall only (which ends for certain), or rise too (which second order needs).
enum class Accept { earlier, any };

/// Solves one block of nodes by Gauss-Seidel sweeps in cache.
///
/// Planes of the block are stored skewed: node (lane l, run r) stands in row r + l. Nodes of a row
/// depend on other rows only, so a row is updated at once with vector instructions, and rows taken
/// in order make a true Gauss-Seidel sweep in (lane, run). Lanes stored in mirrored order make the
/// other two of a plane's four sweep directions. Nodes that are not to be updated (air, start
/// nodes, halo, corners cut off by the skew) are told by an unreached f.
template <class Real, int Dim, int Order>
class FimBlock {
  public:
    /// Largest extents. A block's working set of three skewed arrays stays within a 512 KiB cache.
    static constexpr int depth = Dim == 3 ? 16 : 1;
    static constexpr int width = 16;
    static constexpr int length = Dim == 3 ? 32 : 64;

    static constexpr Real tolerance = fim_tolerance<Real, Order>;

    FimBlock() : tau_(planes * plane), f_(planes * plane), inverse_r2_(planes * plane) {}

    /// Solves the block from its neighbours' present values and writes it back. `entry` is +1 for
    /// each axis along which the wave is thought to come from the low side, else -1.
    VisitOutcome visit(const FimProblem<Real>& problem, const BlockExtent& extent,
                       std::array<int, 3> entry, Accept accept);

  private:
    static constexpr int halo = 2;
    static constexpr int rows = length + width - 1;
    static constexpr int pitch = width + 2 * halo;
    static constexpr int plane = (rows + 2 * halo) * pitch;
    static constexpr int planes = Dim == 3 ? depth + 2 * halo : 1;
    static constexpr int first_plane = Dim == 3 ? halo : 0;
    static constexpr int first_axis = Dim == 3 ? 0 : 1;
    static constexpr int most_sweeps = 32;

    struct SweepResult {
        bool changed = false;
        /// A node came out earlier than a neighbour swept before it, which then may lag behind.
        bool conflict = false;
    };

    static int at(int o, int row, int lane) {
        return (o + first_plane) * plane + (row + halo) * pitch + lane + halo;
    }
    /// Storage position of a node, and the steps from it to its neighbours up each axis.
    int at_node(int o, int l, int r) const {
        const int lane = mirrored_ ? width - 1 - l : l;
        return at(o, r + lane, lane);
    }
    std::array<int, 3> steps() const {
        return {plane, mirrored_ ? -(pitch + 1) : pitch + 1, pitch};
    }

    void load_tau(const FimProblem<Real>& problem, const BlockExtent& extent);
    void load_medium(const FimProblem<Real>& problem, const BlockExtent& extent);
    void hold_starts(const FimProblem<Real>& problem, const BlockExtent& extent);
    void mirror();
    void mirror(std::vector<Real>& values);
    template <Accept accept>
    SweepResult sweep(const FimProblem<Real>& problem, const BlockExtent& extent, int outer_sense,
                      int row_sense);
    float earliest_through(const FimProblem<Real>& problem, const BlockExtent& extent, int axis,
                           int side) const;
    void store_tau(const FimProblem<Real>& problem, const BlockExtent& extent) const;

    std::vector<Real> tau_;
    std::vector<Real> f_;           ///< s / T0
    std::vector<Real> inverse_r2_;  ///< 1 / r^2
    std::vector<Real> spare_;
    bool mirrored_ = false;
};

template <class Real, int Dim, int Order>
VisitOutcome FimBlock<Real, Dim, Order>::visit(const FimProblem<Real>& problem,
                                               const BlockExtent& extent, std::array<int, 3> entry,
                                               Accept accept) {
    mirrored_ = entry[1] != entry[2];
    load_tau(problem, extent);
    load_medium(problem, extent);
    VisitOutcome outcome;
    outcome.settled = false;
    int outer = entry[0];
    int row = entry[2];
    for (int turn = 0; turn < most_sweeps && !outcome.settled; ++turn) {
        const SweepResult result = accept == Accept::earlier
                                       ? sweep<Accept::earlier>(problem, extent, outer, row)
                                       : sweep<Accept::any>(problem, extent, outer, row);
        outcome.settled = !result.changed || !result.conflict;
        ++outcome.sweeps;
        // Next the opposite diagonal, then the other outer sense, then the mirrored diagonals.
        row = -row;
        if (Dim == 3 && turn % 2 == 1) outer = -outer;
        if (turn % (Dim == 3 ? 4 : 2) == (Dim == 3 ? 3 : 1) && !outcome.settled) mirror();
    }
    outcome.earliest.fill(INFINITY);
    for (int axis = first_axis; axis < 3; ++axis) {
        for (int side = 0; side < 2; ++side) {
            outcome.earliest[2 * axis + side] = earliest_through(problem, extent, axis, side);
        }
    }
    store_tau(problem, extent);
    return outcome;
}

template <class Real, int Dim, int Order>
template <Accept accept>
typename FimBlock<Real, Dim, Order>::SweepResult FimBlock<Real, Dim, Order>::sweep(
    const FimProblem<Real>& problem, const BlockExtent& extent, int outer_sense, int row_sense) {
    using V = Lanes<Real>;
    using Mask = decltype(V{} < V{});
    constexpr int step = lane_count<Real>;
    constexpr int lane_step = pitch + 1;
    constexpr int run_step = pitch;
    const auto& h = problem.spacing;
    Real h2[3];
    Real inverse_h[3];
    for (int axis = 0; axis < 3; ++axis) {
        h2[axis] = static_cast<Real>(h[axis] * h[axis]);
        inverse_h[axis] = static_cast<Real>(1 / h[axis]);
    }
    // gamma r^2 along the lane axis, and what lane l takes off it along the run axis.
    alignas(register_bytes) Real lane_part[width];
    alignas(register_bytes) Real run_part[width];
    for (int lane = 0; lane < width; ++lane) {
        const int l = extent.begin[1] + (mirrored_ ? width - 1 - lane : lane);
        const double up = problem.coordinate(1, l) * h[1];
        lane_part[lane] = static_cast<Real>(mirrored_ ? -up : up);
        run_part[lane] = static_cast<Real>(h[2] * h[2] * lane);
    }
    const auto stencil = [](const Real* t, int stride, V gamma, V eta, Real inverse_spacing) {
        return AxisStencil<V>{load(t - stride),
                              load(t + stride),
                              load(t - 2 * stride),
                              load(t + 2 * stride),
                              gamma,
                              eta,
                              inverse_spacing};
    };
    const int outer_count = extent.size(0);
    const int row_count = extent.size(2) + width - 1;
    Mask changed{};
    Mask conflict{};
    for (int outer_turn = 0; outer_turn < outer_count; ++outer_turn) {
        const int o = outer_sense > 0 ? outer_turn : outer_count - 1 - outer_turn;
        const Real outer_part =
            static_cast<Real>(h[0] * problem.coordinate(0, extent.begin[0] + o));
        for (int row_turn = 0; row_turn < row_count; ++row_turn) {
            const int row = row_sense > 0 ? row_turn : row_count - 1 - row_turn;
            const Real row_part =
                static_cast<Real>(h[2] * problem.coordinate(2, extent.begin[2] + row));
            for (int lane = 0; lane < width; lane += step) {
                const bool cut_off = row < lane || row - lane - (step - 1) >= extent.size(2);
                if (cut_off) continue;
                const int here = at(o, row, lane);
                Real* const t = tau_.data() + here;
                const Real* const medium = f_.data() + here;
                const V f = load(medium);
                const V old = load(t);
                const V inverse_r2 = load(inverse_r2_.data() + here);
                const auto on_lane = stencil(t, lane_step, load(lane_part + lane) * inverse_r2,
                                             h2[1] * inverse_r2, inverse_h[1]);
                const auto on_run =
                    stencil(t, run_step, (row_part - load(run_part + lane)) * inverse_r2,
                            h2[2] * inverse_r2, inverse_h[2]);
                const Mask mine = f < reached_limit<Real>;
                V now;
                const auto take = [&](V candidate) {
                    Mask better = mine & (candidate < reached_limit<Real>);
                    if constexpr (accept == Accept::earlier) better &= candidate < old;
                    now = better ? candidate : old;
                };
                // f of what was swept before tells whether it belongs to the block.
                const auto check = [&](const AxisStencil<V>& axis, int sense, int stride) {
                    const Mask in_block = load(medium - sense * stride) < reached_limit<Real>;
                    const V before = sense > 0 ? axis.low : axis.high;
                    const V toward = static_cast<Real>(sense) * axis.gamma;
                    conflict |=
                        mine & in_block & may_feed(now, before, toward, axis.eta, tolerance);
                };
                if constexpr (Dim == 3) {
                    const auto on_outer = stencil(t, plane, outer_part * inverse_r2,
                                                  h2[0] * inverse_r2, inverse_h[0]);
                    take(update_tau<Order>(f, inverse_r2, on_lane, on_run, on_outer));
                    check(on_outer, outer_sense, plane);
                } else {
                    take(update_tau<Order>(f, inverse_r2, on_lane, on_run));
                }
                store(t, now);
                check(on_lane, row_sense, lane_step);
                check(on_run, row_sense, run_step);
                const V difference = now > old ? now - old : old - now;
                changed |= difference > tolerance * now;
            }
        }
    }
    return {any_lane(changed), any_lane(conflict)};
}

}  // namespace fermat
