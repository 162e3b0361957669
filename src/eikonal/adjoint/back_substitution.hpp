#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/monitor.hpp"
#include "eikonal/adjoint/causal_order.hpp"
#include "eikonal/adjoint/equation_weights.hpp"
#include "eikonal/adjoint/node_scheme.hpp"

namespace fermat {

/// Solves the transposed linearised equations of a field, lambda = b + W^T lambda: a node's
/// dJ/dw is what J asks of it plus what the nodes made of it hand on. Nodes are made of earlier
/// ones, so one pass from the latest to the earliest solves it. A few nodes are made of slightly
/// later ones (beside the plane of the source two may draw on each other): these are visited again
/// until what is left is below rounding.
template <class Real, int Dim, int Order>
class BackSubstitution {
  public:
    using Scheme = NodeScheme<Real, Dim, Order>;
    using Weights = EquationWeights<Real, Dim, Order>;

    /// `lambda` holds b, what J asks of each node.
    BackSubstitution(const Scheme& scheme, const Weights& weights, std::vector<double>& lambda,
                     Shape shape)
        : scheme_(scheme), weights_(weights), lambda_(lambda), handed_(lambda.size(), 0.0) {
        stride_[0] = static_cast<std::ptrdiff_t>(shape.y) * shape.z;
        stride_[Dim - 1] = 1;
        if (Dim == 3) stride_[1] = shape.z;
    }

    /// `times` are causal_times.
    void run(std::span<const float> times, Monitor& monitor) {
        visit_all(times, monitor);
        visit_rest(times, monitor);
    }

  private:
    /// Below this part of the largest lambda, rounding hides what a node still has to hand on.
    static constexpr double rounding = 1e-20;
    static constexpr std::size_t between_checks = std::size_t{1} << 14;

    /// Hands on what a node has and has not handed on yet; told(node) hears who got something.
    template <class Told>
    void visit(std::size_t node, Told told) {
        const double by_w = lambda_[node] - handed_[node];
        handed_[node] = lambda_[node];
        largest_ = std::max(largest_, std::abs(by_w));
        const auto push = [&](std::size_t to, double value) {
            lambda_[to] += value;
            told(to);
        };
        if (weights_.is_single(node)) {
            scheme_.hand_on(node, by_w, push);
            return;
        }
        const auto& weights = weights_.at(node);
        for (int d = 0; d < Dim; ++d) {
            const double part = by_w * static_cast<double>(weights.part[d]);
            if (part == 0) continue;
            const std::ptrdiff_t step = weights_.from_low(node, d) ? -stride_[d] : stride_[d];
            const std::size_t near = node + static_cast<std::size_t>(step);
            if (weights_.is_second(node, d)) {
                push(near, 2 * part);
                push(near + static_cast<std::size_t>(step), -0.5 * part);
            } else {
                push(near, part);
            }
        }
    }

    void visit_all(std::span<const float> times, Monitor& monitor) {
        const auto order = latest_first(times);
        constexpr std::size_t ahead = 16;
        for (std::size_t n = 0; n < order.size(); ++n) {
            if (n % between_checks == 0) monitor.check();
            if (n + ahead < order.size()) prefetch(order[n + ahead]);
            if (lambda_[order[n]] != 0) visit(order[n], [](std::size_t) {});
        }
    }

    void visit_rest(std::span<const float> times, Monitor& monitor) {
        std::priority_queue<std::pair<float, std::size_t>> queue;
        std::vector<bool> waits(lambda_.size(), false);
        const auto look_at = [&](std::size_t node) {
            if (!(std::abs(lambda_[node] - handed_[node]) > rounding * largest_)) return;
            if (waits[node]) return;
            waits[node] = true;
            queue.push({times[node], node});
        };
        for (std::size_t n = 0; n < lambda_.size(); ++n) look_at(n);
        const std::size_t most = 1000 * lambda_.size();
        for (std::size_t visits = 0; !queue.empty(); ++visits) {
            const std::size_t node = queue.top().second;
            queue.pop();
            waits[node] = false;
            if (visits % between_checks == 0) monitor.check();
            if (visits > most) {
                throw ComputeError(
                    "the adjoint of the times does not settle (the model's times hardly do either; "
                    "try order 1)");
            }
            visit(node, look_at);
        }
    }

    [[gnu::always_inline]] void prefetch(std::size_t node) const {
        weights_.prefetch(node);
        const auto at = static_cast<std::ptrdiff_t>(node);
        prefetch_at(handed_.data(), at);
        for (int d = 0; d + 1 < Dim; ++d) {
            for (const int steps : {-2, -1, 1, 2}) {
                prefetch_at(lambda_.data(), at + steps * stride_[d]);
            }
        }
        prefetch_at(lambda_.data(), at - 2);
        prefetch_at(lambda_.data(), at + 2);
    }

    const Scheme& scheme_;
    const Weights& weights_;
    std::vector<double>& lambda_;
    std::vector<double> handed_;
    std::ptrdiff_t stride_[Dim] = {};
    double largest_ = 0;
};

}  // namespace fermat
