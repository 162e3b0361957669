#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/parallel.hpp"
#include "eikonal/adjoint/huge_array.hpp"
#include "eikonal/adjoint/slowness.hpp"
#include "eikonal/adjoint/source_starts.hpp"
#include "eikonal/lanes.hpp"
#include "eikonal/node_update.hpp"
#include "eikonal/stencil.hpp"
#include "eikonal/time_field.hpp"

namespace fermat {

/// The derivatives of all nodes' equations (stencil_derivative.hpp), a register of nodes at a time.
/// Those that take one of the side ways of update_tau, and start nodes, are only marked: they are
/// few, and are derived one by one.
template <class Real, int Dim, int Order>
class EquationWeights {
  public:
    struct Weights {
        Real part[Dim];  ///< p_d / D: by beta of each axis
        Real slowness;   ///< dw/ds of the node
    };

    EquationWeights(const TimeFieldView<Real>& field, const NodeSlowness& slowness,
                    const SourceStarts& starts, int threads)
        : field_(field),
          slowness_(slowness),
          place_(node_factor(field.grid, field.factor)),
          weights_(field.tau.size() + spare),
          marks_(field.tau.size() + spare) {
        parallel_for(field.grid.shape.x, threads, [&](std::int64_t slab) {
            Scratch scratch(field_.grid.shape.z);
            for (int j = 0; j < field_.grid.shape.y; ++j) {
                derive_line(static_cast<int>(slab), j, scratch);
            }
        });
        for (const std::size_t node : starts.nodes()) marks_[node] = single;
    }

    const Weights& at(std::size_t node) const { return weights_[node]; }
    bool is_single(std::size_t node) const { return (marks_[node] & single) != 0; }
    bool is_unsettled(std::size_t node) const { return (marks_[node] & unsettled) != 0; }
    bool from_low(std::size_t node, int d) const { return (marks_[node] >> d & 1U) != 0; }
    bool is_second(std::size_t node, int d) const { return (marks_[node] >> (3 + d) & 1U) != 0; }
    [[gnu::always_inline]] void prefetch(std::size_t node) const {
        prefetch_at(weights_.data(), static_cast<std::ptrdiff_t>(node));
        prefetch_at(marks_.data(), static_cast<std::ptrdiff_t>(node));
    }

  private:
    using V = Lanes<Real>;
    static constexpr int lanes = lane_count<Real>;
    static constexpr std::size_t spare = lanes;  ///< the last register of a line reaches beyond it
    static constexpr unsigned single = 1U << 6;
    static constexpr unsigned unsettled = 1U << 7;
    static constexpr int rim = 2;

    /// A line of nodes and those beside it, with a rim that no wave reaches.
    struct Scratch {
        explicit Scratch(int nodes) {
            const auto size = static_cast<std::size_t>(nodes + 2 * rim + lanes);
            for (auto& line : tau) line.assign(size, unreached<Real>);
            for (auto* line : {&slowness, &along, &square}) line->assign(size, Real(1));
        }
        std::vector<Real> tau[9];  ///< own, then x -2, -1, 1, 2, then y
        std::vector<Real> slowness;
        std::vector<Real> along;   ///< z
        std::vector<Real> square;  ///< z^2
    };

    void fetch(int i, int j, std::vector<Real>& to) const {
        const Shape shape = field_.grid.shape;
        if (i < 0 || i >= shape.x || j < 0 || j >= shape.y) {
            std::fill(to.begin(), to.end(), unreached<Real>);
            return;
        }
        const Real* const from = field_.tau.data() + shape.offset(i, j, 0);
        for (int k = 0; k < shape.z; ++k) {
            to[static_cast<std::size_t>(k + rim)] =
                from[k] < reached_limit<Real> ? from[k] : unreached<Real>;
        }
    }

    void derive_line(int i, int j, Scratch& scratch) {
        const Shape shape = field_.grid.shape;
        fetch(i, j, scratch.tau[0]);
        constexpr int steps[] = {-2, -1, 1, 2};
        for (int n = 0; n < 4; ++n) {
            fetch(i + steps[n], j, scratch.tau[1 + n]);
            if constexpr (Dim == 3) fetch(i, j + steps[n], scratch.tau[5 + n]);
        }
        const std::size_t first = shape.offset(i, j, 0);
        for (int k = 0; k < shape.z; ++k) {
            const auto n = static_cast<std::size_t>(k);
            const double s = slowness_[first + n];
            const double z = place_.coordinate(2, k);
            scratch.slowness[n] =
                std::isfinite(s) ? static_cast<Real>(s / field_.factor.slowness) : Real(1);
            scratch.along[n] = static_cast<Real>(z);
            scratch.square[n] = static_cast<Real>(z * z);
        }
        const double x = place_.coordinate(0, i);
        const double y = Dim == 3 ? place_.coordinate(1, j) : 0;
        for (int k = 0; k < shape.z; k += lanes) {
            derive(scratch, k, static_cast<Real>(x), static_cast<Real>(y),
                   first + static_cast<std::size_t>(k), std::min(lanes, shape.z - k));
        }
    }

    void derive(const Scratch& scratch, int k, Real x, Real y, std::size_t first, int count) {
        const auto at = static_cast<std::size_t>(k);
        const auto line = [&](int n, int shift) {
            return load(scratch.tau[n].data() + k + rim + shift);
        };
        const auto h = [&](int axis) { return static_cast<Real>(place_.spacing[axis]); };
        const V zero{};
        const V z = load(scratch.along.data() + at);
        const V r2 =
            load(scratch.square.data() + at) + (x * x + y * y + static_cast<Real>(place_.far2));
        const V inverse_r2 = 1 / r2;
        const V f = load(scratch.slowness.data() + at) / root(r2);
        const auto stencil = [&](int axis, V along, V low, V high, V low2, V high2) {
            return AxisStencil<V>{low,
                                  high,
                                  low2,
                                  high2,
                                  h(axis) * along * inverse_r2,
                                  h(axis) * h(axis) * inverse_r2,
                                  1 / h(axis)};
        };
        const AxisStencil<V> of_x =
            stencil(0, zero + x, line(2, 0), line(3, 0), line(1, 0), line(4, 0));
        const AxisStencil<V> of_z = stencil(2, z, line(0, -1), line(0, 1), line(0, -2), line(0, 2));
        if constexpr (Dim == 2) {
            keep(f, inverse_r2, line(0, 0), first, count, of_x, of_z);
        } else {
            const AxisStencil<V> of_y =
                stencil(1, zero + y, line(6, 0), line(7, 0), line(5, 0), line(8, 0));
            keep(f, inverse_r2, line(0, 0), first, count, of_x, of_y, of_z);
        }
    }

    template <class... Axis>
    void keep(V f, V inverse_r2, V held, std::size_t first, int count, const Axis&... axis) {
        const auto straight = straight_tau<Order>(f, inverse_r2, axis...);
        const V tau = straight.tau;
        V sum{};
        V part[Dim];
        std::uint32_t low[Dim];
        std::uint32_t second[Dim];
        int d = 0;
        const auto add = [&](const AxisStencil<V>& a) {
            const auto from_low = factored_from_low(a);
            const UpwindSide<V> side = factored_side(a, from_low);
            const UpwindTerm<V> term = upwind_term<Order>(side);
            const V excess = term.c * (tau - term.near) - term.shift;
            const V none{};
            part[d] = excess > 0 ? excess * term.inverse_spacing * term.inverse_spacing : none;
            sum += term.c * part[d];
            low[d] = lane_bits(from_low);
            second[d] = Order == 2 ? lane_bits(upwind_behind(side)) : 0;
            ++d;
        };
        (add(axis), ...);
        const V share = 1 / sum;
        const V by_slowness = f * share * root(inverse_r2);
        const std::uint32_t careful = lane_bits(straight.careful);
        constexpr Real tolerance = sizeof(Real) == 8 ? Real(1e-9) : Real(1e-4);
        const V off = tau > held ? tau - held : held - tau;
        const std::uint32_t wrong = lane_bits(off > tolerance * tau);
        for (int lane = 0; lane < count; ++lane) {
            const std::size_t node = first + static_cast<std::size_t>(lane);
            unsigned mark = (careful >> lane & 1U) * single | (wrong >> lane & 1U) * unsettled;
            for (int e = 0; e < Dim; ++e) {
                weights_[node].part[e] = part[e][lane] * share[lane];
                mark |= (low[e] >> lane & 1U) << e | (second[e] >> lane & 1U) << (3 + e);
            }
            weights_[node].slowness = by_slowness[lane];
            marks_[node] = static_cast<std::uint8_t>(mark);
        }
    }

    TimeFieldView<Real> field_;
    const NodeSlowness& slowness_;
    NodeFactor place_;
    HugeArray<Weights> weights_;
    HugeArray<std::uint8_t> marks_;
};

}  // namespace fermat
