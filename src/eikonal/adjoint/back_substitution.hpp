#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/monitor.hpp"
#include "eikonal/adjoint/back_block.hpp"
#include "eikonal/adjoint/node_scheme.hpp"
#include "eikonal/factored_source.hpp"

namespace fermat {

/// Solves the transposed linearised equations of a field, lambda = b + W^T lambda: a node's
/// dJ/dw is what J asks of it plus what the nodes made of it hand on. Nodes are made of earlier
/// ones. So blocks of nodes are visited from the latest to the earliest, by the times in their
/// middle, and their nodes are swept against the wave. A node hands on what has come since it last
/// did. Blocks are visited again until what is left is below rounding.
template <class Real, int Dim, int Order>
class BackSubstitution {
  public:
    using Scheme = NodeScheme<Real, Dim, Order>;

    /// `rest` holds b, what J asks of each node, and room for back_spare more; in the end it holds
    /// what has come to start nodes. dJ/d(slowness of the other nodes) is added to `by_slowness`.
    BackSubstitution(const TimeFieldView<Real>& field, const NodeSlowness& slowness,
                     const SourceStarts& starts, const Scheme& scheme, double* rest,
                     double* by_slowness)
        : scheme_(scheme),
          field_(field_of(field, slowness, starts, rest, by_slowness)),
          grid_({field_.shape.x, field_.shape.y, field_.shape.z},
                {Block::width, Block::width, Block::length},
                {field_.factor.source_node(0), field_.factor.source_node(1),
                 field_.factor.source_node(2)},
                {false, false, false}),
          states_(static_cast<std::size_t>(grid_.count())) {}

    /// `largest` is that of what J asks, or more.
    BackSum run(double largest, Monitor& monitor) {
        rank_blocks();
        field_.least = smallest_part * largest;
        for (int block = 0; block < grid_.count(); ++block) {
            if (is_asked(block)) wake(block);
        }
        const std::int64_t most = 10000 + std::int64_t{1000} * grid_.count();
        for (; !queue_.empty(); ++visits_) {
            const int block = by_rank_[static_cast<std::size_t>(queue_.top())];
            queue_.pop();
            if (visits_ % between_checks == 0) monitor.check();
            if (visits_ > most) {
                throw ComputeError(
                    "the adjoint of the times does not settle (the model's times hardly do either; "
                    "try order 1)");
            }
            visit(block);
        }
        auto& unsettled = sum_.unsettled;
        std::sort(unsettled.begin(), unsettled.end());
        unsettled.erase(std::unique(unsettled.begin(), unsettled.end()), unsettled.end());
        sum_.source = scheme_.source_scale() * sum_.source;
        return std::move(sum_);
    }

    int blocks() const { return grid_.count(); }
    std::int64_t visits() const { return visits_; }

  private:
    using Block = BackBlock<Real, Dim, Order>;

    struct State {
        int rank = 0;  ///< 0 is the latest
        bool waits = false;
        bool visited = false;
        double largest = 0;  ///< of what its nodes have handed on
    };

    static constexpr std::int64_t between_checks = 64;
    /// Of the largest that J asks: what is smaller does not go on, lest its tails become too small
    /// for a number.
    static constexpr double smallest_part = 1e-40;

    static BackField<Real> field_of(const TimeFieldView<Real>& field, const NodeSlowness& slowness,
                                    const SourceStarts& starts, double* rest, double* by_slowness) {
        BackField<Real> out;
        out.shape = field.grid.shape;
        out.factor = node_factor(field.grid, field.factor);
        out.slowness_unit = power_of_two_near(field.factor.slowness);
        out.inverse_slowness = out.slowness_unit / field.factor.slowness;
        out.slowness = &slowness;
        out.tau = field.tau.data();
        out.starts = starts.nodes();
        out.rest = rest;
        out.by_slowness = by_slowness;
        return out;
    }

    /// T/s0 of a node; infinite where no wave arrives.
    double time(const std::array<int, 3>& n) const {
        double r2 = field_.factor.far2;
        for (int axis = 0; axis < 3; axis += Dim == 3 ? 1 : 2) {
            const double x = field_.factor.coordinate(axis, n[axis]);
            r2 += x * x;
        }
        const auto tau = static_cast<double>(field_.tau[field_.shape.offset(n[0], n[1], n[2])]);
        return std::isfinite(tau) ? tau * std::sqrt(r2) : tau;
    }
    static std::array<int, 3> middle(const BlockExtent& extent) {
        std::array<int, 3> n;
        for (int axis = 0; axis < 3; ++axis) n[axis] = (extent.begin[axis] + extent.end[axis]) / 2;
        return n;
    }
    /// Orders the blocks by the times in their middle: of two beside each other, which is the later
    /// says which way the wave has passed between them.
    void rank_blocks() {
        std::vector<double> times;
        for (int block = 0; block < grid_.count(); ++block) {
            const BlockExtent extent = grid_.extent(block);
            double at = time(middle(extent));
            for (int corner = 0; !std::isfinite(at) && corner < 8; ++corner) {
                std::array<int, 3> n;
                for (int axis = 0; axis < 3; ++axis) {
                    n[axis] = corner >> axis & 1 ? extent.end[axis] - 1 : extent.begin[axis];
                }
                at = time(n);
            }
            times.push_back(std::isfinite(at) ? at : 0);
            by_rank_.push_back(block);
        }
        const auto time_of = [&](int block) { return times[static_cast<std::size_t>(block)]; };
        std::stable_sort(by_rank_.begin(), by_rank_.end(),
                         [&](int a, int b) { return time_of(a) > time_of(b); });
        for (int rank = 0; rank < grid_.count(); ++rank) {
            state(by_rank_[static_cast<std::size_t>(rank)]).rank = rank;
        }
    }

    State& state(int block) { return states_[static_cast<std::size_t>(block)]; }

    bool is_asked(int block) const {
        const BlockExtent extent = grid_.extent(block);
        for (int o = extent.begin[0]; o < extent.end[0]; ++o) {
            for (int l = extent.begin[1]; l < extent.end[1]; ++l) {
                const double* const rest = field_.rest + field_.shape.offset(o, l, extent.begin[2]);
                for (int r = 0; r < extent.size(2); ++r) {
                    if (rest[r] != 0) return true;
                }
            }
        }
        return false;
    }

    void wake(int block) {
        if (state(block).waits) return;
        state(block).waits = true;
        queue_.push(state(block).rank);
    }

    void visit(int block) {
        State& own = state(block);
        own.waits = false;
        const BlockExtent extent = grid_.extent(block);
        const unsigned faces =
            block_.visit(field_, scheme_, extent, senses(extent), !own.visited, own.largest, sum_);
        own.visited = true;
        for (int face = 0; face < 6; ++face) {
            if ((faces >> face & 1U) == 0) continue;
            const int stride = grid_.stride(face / 2);
            wake(face % 2 == 0 ? block - stride : block + stride);
        }
        if ((faces & Block::not_settled) != 0) wake(block);
    }

    /// What nodes hand on goes from later to earlier times: by those in the middle of the faces, or
    /// to the source if the block holds both sides of it.
    std::array<int, 2> senses(const BlockExtent& extent) const {
        std::array<int, 2> sense;
        for (int axis = 0; axis < 2; ++axis) {
            std::array<int, 3> n = middle(extent);
            n[axis] = extent.begin[axis];
            const double low = time(n);
            n[axis] = extent.end[axis] - 1;
            sense[axis] = low > time(n) ? 1 : -1;
            if (field_.factor.coordinate(axis, extent.begin[axis]) < 0 &&
                field_.factor.coordinate(axis, extent.end[axis] - 1) >= 0) {
                sense[axis] = 0;
            }
        }
        return sense;
    }

    const Scheme& scheme_;
    BackField<Real> field_;
    BlockGrid grid_;
    std::vector<State> states_;
    std::vector<int> by_rank_;
    std::priority_queue<int, std::vector<int>, std::greater<>> queue_;
    Block block_;
    BackSum sum_;
    std::int64_t visits_ = 0;
};

}  // namespace fermat
