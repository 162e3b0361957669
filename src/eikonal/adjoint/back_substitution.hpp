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

namespace fermat {

/// Solves the transposed linearised equations of a field, lambda = b + W^T lambda: a node's
/// dJ/dw is what J asks of it plus what the nodes made of it hand on (NodeScheme::hand_on). Nodes
/// are made of earlier ones, so one pass from the latest to the earliest solves it. A few nodes
/// are made of slightly later ones (beside the plane of the source two may draw on each other):
/// these are visited again until what is left is below rounding.
class BackSubstitution {
  public:
    /// `asked[n]` is what J asks of node n; it is used up. `times` are causal_times. Returns how
    /// often a node was visited whose time does not solve its equation.
    template <class Scheme, class BySlowness>
    static std::int64_t run(const Scheme& scheme, std::vector<double>& asked, std::span<const float> times,
                    Vec3& by_source, BySlowness by_slowness, Monitor& monitor) {
        BackSubstitution pass(asked, times);
        if (pass.is_dense()) pass.visit_all(scheme, by_source, by_slowness, monitor);
        pass.visit_rest(scheme, by_source, by_slowness, monitor);
        return pass.unsettled_;
    }

  private:
    /// Below this part of the largest lambda, rounding hides what a node still has to hand on.
    static constexpr double rounding = 1e-20;
    static constexpr std::size_t between_checks = std::size_t{1} << 14;

    BackSubstitution(std::vector<double>& asked, std::span<const float> times)
        : asked_(asked), times_(times) {}

    bool is_dense() const {
        const auto count = static_cast<std::size_t>(std::count_if(
            asked_.begin(), asked_.end(), [](double value) { return value != 0; }));
        return count > asked_.size() / 16;
    }

    template <class Scheme, class Push, class BySlowness>
    void hand_on(const Scheme& scheme, std::size_t node, Vec3& by_source, Push push,
                 BySlowness by_slowness) {
        const double by_w = std::exchange(asked_[node], 0.0);
        largest_ = std::max(largest_, std::abs(by_w));
        if (!scheme.hand_on(node, by_w, by_source, push, by_slowness)) ++unsettled_;
    }

    template <class Scheme, class BySlowness>
    void visit_all(const Scheme& scheme, Vec3& by_source, BySlowness by_slowness,
                   Monitor& monitor) {
        const auto order = latest_first(times_);
        constexpr std::size_t ahead = 12;
        for (std::size_t n = 0; n < order.size(); ++n) {
            const std::size_t node = order[n];
            if (n % between_checks == 0) monitor.check();
            if (n + ahead < order.size()) scheme.prefetch(order[n + ahead], asked_.data());
            if (asked_[node] == 0) continue;
            hand_on(
                scheme, node, by_source,
                [&](std::size_t to, double by_w) { asked_[to] += by_w; }, by_slowness);
        }
    }

    /// Node by node from a queue, latest first: all of them where few are asked, else those that
    /// the pass left.
    template <class Scheme, class BySlowness>
    void visit_rest(const Scheme& scheme, Vec3& by_source, BySlowness by_slowness,
                    Monitor& monitor) {
        using Item = std::pair<float, std::size_t>;
        std::priority_queue<Item> queue;
        std::vector<bool> waits(asked_.size(), false);
        const auto enqueue = [&](std::size_t node) {
            if (waits[node]) return;
            waits[node] = true;
            queue.push({times_[node], node});
        };
        for (std::size_t n = 0; n < asked_.size(); ++n) {
            if (std::abs(asked_[n]) > rounding * largest_) enqueue(n);
        }
        const std::size_t most = 1000 * asked_.size();
        std::size_t visits = 0;
        while (!queue.empty()) {
            const std::size_t node = queue.top().second;
            queue.pop();
            waits[node] = false;
            if (++visits % between_checks == 0) monitor.check();
            if (visits > most) {
                throw ComputeError(
                    "the adjoint of the times does not settle (the model's times hardly do either; "
                    "try order 1)");
            }
            hand_on(
                scheme, node, by_source,
                [&](std::size_t to, double by_w) {
                    asked_[to] += by_w;
                    if (std::abs(asked_[to]) > rounding * largest_) enqueue(to);
                },
                by_slowness);
        }
    }

    std::vector<double>& asked_;
    std::span<const float> times_;
    double largest_ = 0;
    std::int64_t unsettled_ = 0;
};

}  // namespace fermat
