#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "eikonal/adjoint/back_line.hpp"
#include "eikonal/adjoint/back_line_derive.hpp"
#include "eikonal/adjoint/back_line_solve.hpp"
#include "eikonal/adjoint/slowness.hpp"
#include "eikonal/fim/problem.hpp"

namespace fermat {

/// What the transposed equations of one field are made of, and where their solution goes.
template <class Real>
struct BackField {
    Shape shape;
    NodeFactor factor;
    double inverse_slowness = 0;  ///< unit / s0
    double slowness_unit = 1;     ///< a power of two near s0: velocities in this unit are near 1
    const NodeSlowness* slowness = nullptr;
    const Real* tau = nullptr;
    std::span<const std::size_t> starts;  ///< nodes that hand on nothing, in rising order
    double* rest = nullptr;  ///< what has come to a node and was not handed on; back_spare more
    double* by_slowness = nullptr;
    double least = 0;  ///< what is smaller is not handed on
};
/// Lines are read and written by whole registers.
inline constexpr std::size_t back_spare = 64;

/// What all visits of blocks add up to.
struct BackSum {
    Vec3 source;                         ///< dJ/d(source position), in units of source_scale
    std::vector<std::size_t> unsettled;  ///< nodes off their equation; may be named twice
};

/// Solves the transposed equations of one block of nodes: what has come to a node goes on to those
/// that it was made of, line by line against the wave, until nothing is left.
template <class Real, int Dim, int Order>
class BackBlock {
  public:
    using Line = BackLine<Real, Dim, Order>;
    using Scheme = typename Line::Scheme;

    static constexpr int width = 16;
    static constexpr int length = Line::longest;

    BackBlock() : tau_(static_cast<std::size_t>(columns * columns_y * pitch)) {}

    /// `sense` is the way along x and y, 1 upwards and -1 downwards; 0 is from both ends to the
    /// source. `largest` is that of all that nodes of the block have handed on: what is below its
    /// rounding stays where it is, except in a first visit. Returns the faces (bit 2 * axis + side)
    /// through which something went; bit 6 if the limit on sweeps ended the visit.
    unsigned visit(const BackField<Real>& field, const Scheme& scheme, const BlockExtent& extent,
                   std::array<int, 2> sense, bool first, double& largest, BackSum& sum) {
        line_.set_field(field.factor, field.inverse_slowness);
        take_tau(field, extent);
        faces_ = 0;
        waits_.fill(0);
        for (int i = 0; i < extent.size(0); ++i) {
            for (int j = 0; j < extent.size(1); ++j)
                waits_[static_cast<std::size_t>(i * width + j)] = 1;
        }
        double limit = first ? field.least : std::max(field.least, Line::rounding * largest);
        for (int turn = 0;; ++turn) {
            if (turn == most_sweeps) return faces_ | not_settled;
            against_ = 0;
            if (!sweep(field, scheme, extent, sense, limit, largest, sum)) return faces_;
            limit = std::max(field.least, Line::rounding * largest);
            for (int axis = 0; axis < 2; ++axis) {
                if ((against_ >> axis & 1U) != 0) sense[axis] = sense[axis] == 0 ? 1 : -sense[axis];
            }
        }
    }

    static constexpr unsigned not_settled = 1U << 6;

  private:
    static constexpr int most_sweeps = 64;
    static constexpr int rim = 2;
    static constexpr int rim_y = Dim == 3 ? rim : 0;
    static constexpr int columns = width + 2 * rim;
    static constexpr int columns_y = Dim == 3 ? columns : 1;
    static constexpr int pitch = length + 2 * rim + lane_count<Real>;

    static std::ptrdiff_t at(int i, int j) {
        return static_cast<std::ptrdiff_t>((i + rim) * columns_y + j + rim_y) * pitch + rim;
    }

    /// The last register of a line overlaps the one before.
    static void copy_reached(const Real* from, Real* to, int count) {
        constexpr int step = Line::step;
        if (count < step) {
            for (int k = 0; k < count; ++k) to[k] = std::min(from[k], unreached<Real>);
            return;
        }
        const auto limit = Lanes<Real>{} + unreached<Real>;
        for (int k = 0; k + step < count; k += step) store(to + k, least(load(from + k), limit));
        store(to + count - step, least(load(from + count - step), limit));
    }
    /// Copies the times of the block and of two nodes round it.
    void take_tau(const BackField<Real>& field, const BlockExtent& extent) {
        const auto one = [&](int i, int j, bool inside) {
            Real* const to = tau_.data() + at(i, j);
            const int x = extent.begin[0] + i;
            const int y = extent.begin[1] + j;
            const bool exists = x >= 0 && x < field.shape.x && y >= 0 && y < field.shape.y;
            int begin = 0;
            int end = 0;
            if (exists) {
                begin = inside ? std::max(-rim, -extent.begin[2]) : 0;
                end =
                    std::min(extent.size(2) + (inside ? rim : 0), field.shape.z - extent.begin[2]);
                const Real* const from = field.tau + field.shape.offset(x, y, extent.begin[2]);
                copy_reached(from + begin, to + begin, end - begin);
            }
            std::fill(to - rim, to + begin, unreached<Real>);
            std::fill(to + end, to - rim + pitch, unreached<Real>);
        };
        for (int i = -rim; i < extent.size(0) + rim; ++i) {
            for (int j = -rim_y; j < extent.size(1) + rim_y; ++j) {
                const bool inside_x = i >= 0 && i < extent.size(0);
                const bool inside_y = j >= 0 && j < extent.size(1);
                if (inside_x || inside_y) one(i, j, inside_x && inside_y);
            }
        }
    }

    void take_velocity(const BackField<Real>& field, std::size_t node, int count) {
        Real* const to = line_.velocity();
        const auto unit = static_cast<Real>(field.slowness_unit);
        field.slowness->for_each_velocity(
            node, count, [&](int k, auto v) { to[k] = unit * static_cast<Real>(v); });
        std::fill(to + count, to + count + Line::step, Real(0));
        if (field.starts.empty() || node > field.starts.back() ||
            node + static_cast<std::size_t>(count) <= field.starts.front()) {
            return;
        }
        for (const std::size_t start : field.starts) {
            if (start >= node && start < node + static_cast<std::size_t>(count)) {
                to[start - node] = 0;
            }
        }
    }

    /// Sweeps the block once. Returns whether lines wait that were swept before.
    bool sweep(const BackField<Real>& field, const Scheme& scheme, const BlockExtent& extent,
               std::array<int, 2> sense, double limit, double& largest, BackSum& sum) {
        // Lines below `split` are swept upwards, the others downwards.
        std::array<int, 2> split;
        for (int axis = 0; axis < 2; ++axis) {
            split[axis] = sense[axis] > 0 ? extent.size(axis) : 0;
            while (sense[axis] == 0 && split[axis] < extent.size(axis) &&
                   field.factor.coordinate(axis, extent.begin[axis] + split[axis]) < 0) {
                ++split[axis];
            }
        }
        const auto in_order = [&](int axis, auto&& visit) {
            for (int n = 0; n < split[axis]; ++n) visit(n, 1);
            for (int n = extent.size(axis) - 1; n >= split[axis]; --n) visit(n, 0);
        };
        in_order(0, [&](int i, int x_side) {
            in_order(1, [&](int j, int y_side) {
                std::uint8_t& waits = waits_[static_cast<std::size_t>(i * width + j)];
                if (waits == 0) return;
                waits = 0;
                do_line(field, scheme, extent, {i, j}, limit, largest, sum, {x_side, y_side});
            });
        });
        return std::any_of(waits_.begin(), waits_.end(), [](auto waits) { return waits != 0; });
    }

    void do_line(const BackField<Real>& field, const Scheme& scheme, const BlockExtent& extent,
                 std::array<int, 2> n, double limit, double& largest, BackSum& sum,
                 std::array<int, 2> with) {
        const Shape shape = field.shape;
        typename Line::Place place;
        place.first = {extent.begin[0] + n[0], extent.begin[1] + n[1], extent.begin[2]};
        place.node = shape.offset(place.first);
        place.count = extent.size(2);
        place.tau = tau_.data() + at(n[0], n[1]);
        place.rest = field.rest + place.node;
        place.by_slowness = field.by_slowness + place.node;
        const std::ptrdiff_t line = shape.z;
        place.step_to[0] = columns_y * pitch;
        place.rest_to[0] = shape.y * line;
        if constexpr (Dim == 3) {
            place.step_to[1] = pitch;
            place.rest_to[1] = line;
        }
        for (int k = 0; k < place.count + 8; k += 8) __builtin_prefetch(place.by_slowness + k, 1);
        take_velocity(field, place.node, place.count);
        line_.begin(place, limit);
        if (!line_.solve(scheme)) return;
        const auto wake = [&](int axis, int side, int steps) {
            std::array<int, 2> to = n;
            to[axis] += side == 0 ? -steps : steps;
            if (to[axis] < 0 || to[axis] >= extent.size(axis)) {
                faces_ |= 1U << (2 * axis + side);
                return;
            }
            waits_[static_cast<std::size_t>(to[0] * width + to[1])] = 1;
            if (side != with[axis]) against_ |= 1U << axis;
        };
        line_.hand_on(largest, sum.source, sum.unsettled, [&](int axis, int side, bool behind) {
            wake(axis, side, 1);
            if (behind) wake(axis, side, 2);
        });
        if (line_.leaves_low()) faces_ |= 1U << 4;
        if (line_.leaves_high()) faces_ |= 1U << 5;
        if (line_.has_left()) waits_[static_cast<std::size_t>(n[0] * width + n[1])] = 1;
    }

    std::vector<Real> tau_;
    Line line_;
    std::array<std::uint8_t, static_cast<std::size_t>(width* width)> waits_{};
    unsigned faces_ = 0;
    unsigned against_ = 0;  ///< axes along which something went to a line swept before
};

}  // namespace fermat
