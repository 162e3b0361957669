#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/monitor.hpp"
#include "eikonal/adjoint/causal_order.hpp"
#include "eikonal/adjoint/equation_weights.hpp"
#include "eikonal/adjoint/huge_array.hpp"
#include "eikonal/adjoint/node_scheme.hpp"

namespace fermat {

/// Solves the transposed linearised equations of a field, lambda = b + W^T lambda: a node's
/// dJ/dw is what J asks of it plus what the nodes made of it hand on. Nodes are made of earlier
/// ones. So tiles of nodes, which fit into the nearest cache, are visited from the latest to the
/// earliest, and their nodes are swept against the wave. A node hands on what has come since its
/// last visit: sweeps do where the wave has one direction along each axis, and nodes in the order
/// of their times elsewhere. Tiles are visited again until what is left is below rounding.
template <class Real, int Dim, int Order>
class BackSubstitution {
  public:
    using Scheme = NodeScheme<Real, Dim, Order>;
    using Weights = EquationWeights<Real, Dim, Order>;

    /// `lambda` holds b, what J asks of each node.
    BackSubstitution(const Scheme& scheme, const Weights& weights, std::vector<double>& lambda,
                     Shape shape)
        : scheme_(scheme), weights_(weights), lambda_(lambda), rest_(lambda.size()), shape_(shape) {
        std::copy(lambda.begin(), lambda.end(), rest_.data());
        std::fill(lambda_.begin(), lambda_.end(), 0.0);
        stride_[0] = static_cast<std::ptrdiff_t>(shape.y) * shape.z;
        stride_[1] = shape.z;
        stride_[2] = 1;
        for (int axis = 0; axis < 3; ++axis) {
            shift_[axis] = shift_of(scheme.source_node(axis), length(axis));
            tiles_[axis] = (shape_[axis] + shift_[axis] + length(axis) - 1) / length(axis);
        }
    }

    /// `times` are causal_times.
    void run(std::span<const float> times, Monitor& monitor) {
        times_ = times;
        const auto count = static_cast<std::size_t>(tiles_[0]) *
                           static_cast<std::size_t>(tiles_[1]) *
                           static_cast<std::size_t>(tiles_[2]);
        keys_.assign(count, asleep);
        for (std::size_t tile = 0; tile < count; ++tile) wake(tile, latest_asked(tile));
        const std::size_t most = 10000 + 1000 * count;
        for (std::size_t visits = 0; !queue_.empty(); ++visits) {
            const auto [key, tile] = queue_.top();
            queue_.pop();
            if (key != keys_[tile]) continue;  // woken again since, by a later node
            if (visits % between_checks == 0) monitor.check();
            if (visits > most) {
                throw ComputeError(
                    "the adjoint of the times does not settle (the model's times hardly do either; "
                    "try order 1)");
            }
            if (!queue_.empty()) prefetch(box_of(queue_.top().second));
            visit(tile);
        }
    }

  private:
    /// Below this part of a node's lambda, rounding hides what it still has to hand on: that of the
    /// sum, or that of the weights.
    static constexpr double rounding = sizeof(Real) == 8 ? 1e-17 : 1e-11;
    static constexpr std::size_t between_checks = 64;
    static constexpr int most_passes = 16;
    static constexpr float asleep = -1;

    /// Nodes along an axis of a tile.
    static constexpr int length(int axis) {
        return Dim == 3 ? (axis == 2 ? 16 : 8) : axis == 1 ? 1 : 32;
    }
    static constexpr int axis_of(int d) { return Dim == 2 ? 2 * d : d; }
    /// Tiles begin so many nodes before the grid that the source lies in the middle of one: nodes
    /// on both sides of its planes draw on each other, and sweeps of one tile settle them.
    static int shift_of(double source, int length) {
        if (!(std::abs(source) < 1e9)) return 0;
        const int middle = (static_cast<int>(std::floor(source)) + 1) % length;
        return ((length / 2 - middle) % length + length) % length;
    }

    /// The nodes of a tile, begin <= node < end, and the directions in which they are swept.
    struct Box {
        int begin[3];
        int end[3];
        int sense[3];
    };
    Box box_of(std::size_t tile) const {
        Box box{};
        const auto z = static_cast<std::size_t>(tiles_[2]);
        const auto y = static_cast<std::size_t>(tiles_[1]);
        const int at[3] = {static_cast<int>(tile / (y * z)), static_cast<int>(tile / z % y),
                           static_cast<int>(tile % z)};
        for (int axis = 0; axis < 3; ++axis) {
            const int begin = at[axis] * length(axis) - shift_[axis];
            box.begin[axis] = std::max(begin, 0);
            box.end[axis] = std::min(begin + length(axis), shape_[axis]);
        }
        return box;
    }
    /// Sweeps begin where the wave leaves the tile: by the times in the middle of its faces.
    void set_senses(Box& box) const {
        for (int axis = 0; axis < 3; ++axis) {
            int middle[3];
            for (int a = 0; a < 3; ++a) middle[a] = (box.begin[a] + box.end[a]) / 2;
            middle[axis] = box.begin[axis];
            const float low = times_[offset(middle)];
            middle[axis] = box.end[axis] - 1;
            box.sense[axis] = low > times_[offset(middle)] ? 1 : -1;
        }
    }
    std::size_t offset(const int (&n)[3]) const { return shape_.offset(n[0], n[1], n[2]); }

    template <class Visit>
    void for_each_node(const Box& box, Visit visit) const {
        int n[3];
        for (n[0] = box.begin[0]; n[0] < box.end[0]; ++n[0]) {
            for (n[1] = box.begin[1]; n[1] < box.end[1]; ++n[1]) {
                for (n[2] = box.begin[2]; n[2] < box.end[2]; ++n[2]) visit(offset(n));
            }
        }
    }
    /// Starts to read the lines of the tile that is probably the next.
    void prefetch(const Box& box) const {
        constexpr int line = 64;
        constexpr int of_weights = line / sizeof(typename Weights::Weights);
        constexpr int of_lambda = line / sizeof(double);
        for (int i = box.begin[0]; i < box.end[0]; ++i) {
            for (int j = box.begin[1]; j < box.end[1]; ++j) {
                const std::size_t first = shape_.offset(i, j, box.begin[2]);
                const int count = box.end[2] - box.begin[2];
                for (int k = 0; k < count; k += of_weights) {
                    weights_.prefetch(first + static_cast<std::size_t>(k));
                }
                for (int k = 0; k < count; k += of_lambda) {
                    const auto n = static_cast<std::ptrdiff_t>(first) + k;
                    prefetch_at(lambda_.data(), n);
                    prefetch_at(rest_.data(), n);
                }
            }
        }
    }
    float latest_asked(std::size_t tile) const {
        float latest = asleep;
        for_each_node(box_of(tile), [&](std::size_t node) {
            if (has_rest(node)) latest = std::max(latest, times_[node]);
        });
        return latest;
    }
    /// Puts a tile into the queue for a node that is reached at a time.
    void wake(std::size_t tile, float time) {
        if (!(time > keys_[tile])) return;
        keys_[tile] = time;
        queue_.push({time, static_cast<std::uint32_t>(tile)});
    }

    void visit(std::size_t tile) {
        Box box = box_of(tile);
        set_senses(box);
        keys_[tile] = asleep;
        for (auto& of_axis : through_) of_axis[0] = of_axis[1] = asleep;
        const bool settled = sweep(box) == 0 || settle_by_time(box);
        const std::size_t step[3] = {
            static_cast<std::size_t>(tiles_[1]) * static_cast<std::size_t>(tiles_[2]),
            static_cast<std::size_t>(tiles_[2]), 1};
        for (int axis = 0; axis < 3; ++axis) {
            wake(tile - step[axis], through_[axis][0], tile >= step[axis]);
            wake(tile + step[axis], through_[axis][1], true);
        }
        if (!settled) wake(tile, latest_asked(tile));
    }
    void wake(std::size_t tile, float time, bool exists) {
        if (exists && time > asleep) wake(tile, time);
    }

    /// Visits all nodes of a tile once. Returns the axes along which something went to a node that
    /// was visited before.
    unsigned sweep(const Box& box) {
        unsigned against = 0;
        const auto first = [&](int axis) {
            return box.sense[axis] > 0 ? box.begin[axis] : box.end[axis] - 1;
        };
        const auto inside = [&](int axis, int n) {
            return n >= box.begin[axis] && n < box.end[axis];
        };
        int n[3];
        for (n[0] = first(0); inside(0, n[0]); n[0] += box.sense[0]) {
            for (n[1] = first(1); inside(1, n[1]); n[1] += box.sense[1]) {
                n[2] = first(2);
                std::size_t node = offset(n);
                for (; inside(2, n[2]); n[2] += box.sense[2]) {
                    if (has_rest(node)) against |= hand_on(box, n, node, rest_[node]);
                    node += static_cast<std::size_t>(static_cast<std::ptrdiff_t>(box.sense[2]));
                }
            }
        }
        return against;
    }

    bool has_rest(std::size_t node) const {
        return std::abs(rest_[node]) > rounding * std::abs(lambda_[node]);
    }

    /// Visits the nodes of a tile from the latest to the earliest, nearly, until nothing is left.
    /// False if the limit on passes is reached first.
    bool settle_by_time(const Box& box) {
        sort_by_time(box);
        for (int turn = 0; turn < most_passes; ++turn) {
            bool any = false;
            for (const std::uint32_t node : by_time_) {
                if (!has_rest(node)) continue;
                any = true;
                const Index3 at = scheme_.index_of(node);
                hand_on(box, {at.x, at.y, at.z}, node, rest_[node]);
            }
            if (!any) return true;
        }
        return false;
    }
    /// One counting sort: nodes whose times differ by less than a 256th of the tile's come in the
    /// order of their numbers.
    void sort_by_time(const Box& box) {
        constexpr int buckets = 256;
        float first = std::numeric_limits<float>::infinity();
        float last = 0;
        for_each_node(box, [&](std::size_t node) {
            if (!std::isfinite(times_[node])) return;
            first = std::min(first, times_[node]);
            last = std::max(last, times_[node]);
        });
        const float scale = last > first ? (buckets - 1) / (last - first) : 0;
        const auto bucket = [&](std::size_t node) {
            return static_cast<std::size_t>((last - times_[node]) * scale);
        };
        std::uint32_t begin[buckets + 1] = {};
        for_each_node(box, [&](std::size_t node) {
            if (std::isfinite(times_[node])) ++begin[bucket(node) + 1];
        });
        for (int b = 0; b < buckets; ++b) begin[b + 1] += begin[b];
        by_time_.resize(begin[buckets]);
        for_each_node(box, [&](std::size_t node) {
            if (std::isfinite(times_[node])) {
                by_time_[begin[bucket(node)]++] = static_cast<std::uint32_t>(node);
            }
        });
    }

    [[gnu::always_inline]] unsigned hand_on(const Box& box, const int (&n)[3], std::size_t node,
                                            double by_w) {
        rest_[node] = 0;
        lambda_[node] += by_w;
        unsigned against = 0;
        if (weights_.is_single(node)) {
            scheme_.hand_on(node, by_w, [&](std::size_t to, double value) {
                const Index3 at = scheme_.index_of(to);
                for (int axis = 0; axis < 3; ++axis) {
                    const int steps = at[axis] - n[axis];
                    if (steps != 0) against |= push(box, n, axis, steps, to, value);
                }
            });
            return against;
        }
        const auto& weights = weights_.at(node);
        for (int d = 0; d < Dim; ++d) {
            const double part = by_w * static_cast<double>(weights.part[d]);
            if (part == 0) continue;
            const int axis = axis_of(d);
            const int side = weights_.from_low(node, d) ? -1 : 1;
            const auto step = static_cast<std::size_t>(side * stride_[axis]);
            if (weights_.is_second(node, d)) {
                against |= push(box, n, axis, side, node + step, 2 * part);
                against |= push(box, n, axis, 2 * side, node + 2 * step, -0.5 * part);
            } else {
                against |= push(box, n, axis, side, node + step, part);
            }
        }
        return against;
    }

    /// Gives a node what one some steps from it hands on.
    [[gnu::always_inline]] unsigned push(const Box& box, const int (&n)[3], int axis, int steps,
                                         std::size_t to, double value) {
        rest_[to] += value;
        const int place = n[axis] + steps;
        if (place >= box.begin[axis] && place < box.end[axis]) {
            return (steps > 0) == (box.sense[axis] > 0) ? 0 : 1U << axis;
        }
        float& latest = through_[axis][steps > 0 ? 1 : 0];
        latest = std::max(latest, times_[to]);
        return 0;
    }

    const Scheme& scheme_;
    const Weights& weights_;
    std::vector<double>& lambda_;
    HugeArray<double> rest_;  ///< what has come and was not handed on
    Shape shape_;
    std::ptrdiff_t stride_[3] = {};
    int tiles_[3] = {1, 1, 1};
    int shift_[3] = {0, 0, 0};
    std::span<const float> times_;
    std::vector<float> keys_;  ///< time of the latest node of a tile that waits, or asleep
    std::priority_queue<std::pair<float, std::uint32_t>> queue_;
    std::vector<std::uint32_t> by_time_;  ///< nodes of the tile that is visited
    float through_[3][2] = {};  ///< of the nodes beyond each face of the tile that is visited
};

}  // namespace fermat
