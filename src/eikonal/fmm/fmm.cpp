#include "eikonal/fmm/fmm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

#include "core/error.hpp"
#include "core/huge_pages.hpp"
#include "eikonal/fim/rules.hpp"
#include "eikonal/fmm/queue.hpp"
#include "eikonal/fmm/tiles.hpp"
#include "eikonal/fsm.hpp"
#include "eikonal/node_update.hpp"
#include "eikonal/resolution.hpp"

namespace fermat {
namespace {

/// Mean time across the smallest spacing in rock, in the units of NodeGeometry.
double mean_step(const Model& model, const FactoredSource& source) {
    double sum = 0;
    std::size_t count = 0;
    for (const float v : model.velocity()) {
        if (v == 0) continue;
        sum += 1 / static_cast<double>(v);
        ++count;
    }
    return sum / static_cast<double>(count) / source.slowness;
}

/// Nodes are settled in the order of their times from neighbours settled before them. In factored
/// form this is not quite enough: because of the gradient of T0, a node may depend on a neighbour
/// of the same time or a slightly later one (for example, two nodes on both sides of the source's
/// plane). So a settled node is computed again if a newly settled one makes it earlier. The
/// solution is then the one that sweeping and iterating find.
template <class Real, int Dim, int Order>
class March {
  public:
    March(const Model& model, const FactoredSource& source)
        : model_(model),
          source_(source),
          tiles_(model.grid().shape),
          geometry_(model, source),
          queue_(mean_step(model, source) / 8),
          until2_(geometry_.until2(source)),
          most_h2_(geometry_.most_h2()),
          in_turn_(Order == 1 && has_long_cells(model.grid())) {
        const Shape shape = tiles_.shape();
        const auto count = static_cast<std::size_t>(TiledShape::count(shape));
        fill(tau_, count, closed);
        fill(speed_, count, Real(0));
        for (int i = 0; i < shape.x; ++i) {
            for (int j = 0; j < shape.y; ++j) {
                for (int k = 0; k < shape.z; ++k) {
                    const Index3 n{i, j, k};
                    const std::uint32_t here = tiles_.offset(n);
                    speed_[here] = geometry_.speed(n);
                    if (speed_[here] > 0) tau_[here] = unreached<Real>;
                }
            }
        }
        for (const StartNode& start : source.starts) {
            const std::uint32_t here = tiles_.offset(start.node);
            tau_[here] = static_cast<Real>(start.tau);
            speed_[here] = 0;  // never computed again
        }
        for (const StartNode& start : source.starts) update_round(start.node);
    }

    void run(Monitor& monitor) {
        std::uint64_t turn = 0;
        // Even in difficult media each node is taken from the queue only a few times.
        constexpr std::uint64_t long_turns = 100;
        const std::uint64_t nodes = model_.grid().node_count();
        std::uint64_t next_look = long_turns * nodes;
        const auto take_turn = [&](Index3 n) {
            constexpr std::uint64_t turns_between_checks = 1 << 14;
            if (++turn % turns_between_checks == 0) monitor.check();
            if (turn > next_look) {
                require_progress(turn, 10'000 * nodes);
                next_look *= 2;
            }
            update_round(n);
        };
        const auto was_settled = [this](MarchItem item) { return tau_[item.node()] > 0; };
        MarchItem first;
        while (queue_.pop(first, was_settled)) {
            prefetch(queue_.ahead());
            Real& tau = tau_[first.node()];
            if (tau > 0) continue;
            const Index3 n = tiles_.node(first.node());
            // A node whose time has increased since it was queued is queued again.
            const Real r2 = geometry_.r2(n);
            const float time = static_cast<float>(std::sqrt(r2) * -tau);
            if (time > first.time() * (1 + late_turn)) {
                queue_.push({time, first.node()});
                continue;
            }
            if (fim_too_late(tau, 1 / r2, most_h2_, until2_)) continue;
            tau = -tau;
            take_turn(n);
            while (!again_.empty()) {
                const Index3 earlier = tiles_.node(in_turn_ ? again_.front() : again_.back());
                in_turn_ ? again_.pop_front() : again_.pop_back();
                earlier_again_ = true;
                take_turn(earlier);
            }
            earlier_again_ = false;
        }
    }

    /// Copies tau; nodes that no wave reached are `unreached`.
    void copy_to(FieldView<Real> tau) const {
        const Shape shape = tiles_.shape();
        for (int i = 0; i < shape.x; ++i) {
            for (int j = 0; j < shape.y; ++j) {
                for (int k = 0; k < shape.z; ++k) {
                    tau(i, j, k) = std::min(tau_[tiles_.offset({i, j, k})], unreached<Real>);
                }
            }
        }
    }

  private:
    /// Marks nodes whose time is not computed: air and the rim.
    static constexpr Real closed = 2 * unreached<Real>;
    static constexpr Real tolerance = 2 * std::numeric_limits<Real>::epsilon();
    static constexpr float late_turn = 1e-6F;

    static void fill(std::vector<Real>& values, std::size_t count, Real value) {
        values.reserve(count);
        advise_huge_pages(values.data(), count * sizeof(Real));
        values.assign(count, value);
    }

    void update_round(Index3 n) {
        const std::uint32_t here = tiles_.offset(n);
        update_next<0, -1>(n, here);
        update_next<0, 1>(n, here);
        if constexpr (Dim == 3) {
            update_next<1, -1>(n, here);
            update_next<1, 1>(n, here);
        }
        update_next<2, -1>(n, here);
        update_next<2, 1>(n, here);
    }

    template <int D, int Side>
    void update_next(Index3 n, std::uint32_t here) {
        const std::uint32_t next = shifted<D, Side>(n, here);
        const Real tau = tau_[next];
        if (tau == closed) return;
        n[D] += Side;
        if (!is_settled(tau)) {
            update(n, next);
        } else {
            if (draws_on<D, -Side>(n, next)) correct(n, next);
            if constexpr (Order == 2) update_second<D, Side>(n, next);
        }
    }

    /// Updates the node behind a settled neighbour, whose equation of second order may use a node
    /// that is settled after that neighbour. `n` and `next` are of the neighbour.
    template <int D, int Side>
    void update_second(Index3 n, std::uint32_t next) {
        const std::uint32_t second = shifted<D, Side>(n, next);
        const Real tau = tau_[second];
        n[D] += Side;
        if (tau < 0) {
            update(n, second);
        } else if (earlier_again_ && is_settled(tau)) {
            correct(n, second);
        }
    }

    /// The number of the node some steps along an axis from node n.
    template <int D, int Steps>
    std::uint32_t shifted(Index3 n, std::uint32_t offset) const {
        return offset - tiles_.part(D, n[D]) + tiles_.part(D, n[D] + Steps);
    }

    static bool is_settled(Real tau) { return tau > 0 && tau < reached_limit<Real>; }

    /// Whether the neighbour on that side contributes to the first-order equation of the node.
    template <int D, int Side>
    bool draws_on(Index3 n, std::uint32_t offset) const {
        const Real r2 = geometry_.r2(n);
        const Real moment = -Side * geometry_.axis(D).moment[static_cast<std::size_t>(n[D])];
        return (r2 + moment) * tau_[offset] > r2 * tau_[shifted<D, Side>(n, offset)];
    }

    Real candidate(Index3 n, Real r2, Real r, std::uint32_t offset) const {
        return update_node<Dim, Order>(
            geometry_, n, speed_[offset], r2,
            r, [&](int d, int steps) __attribute__((always_inline)) {
                const Real tau = tau_[offset - tiles_.part(d, n[d]) + tiles_.part(d, n[d] + steps)];
                return tau < 0 ? unreached<Real> : tau;
            });
    }

    void update(Index3 n, std::uint32_t offset) {
        const Real r2 = geometry_.r2(n);
        const Real r = std::sqrt(r2);
        const Real tau = candidate(n, r2, r, offset);
        if (!(tau < reached_limit<Real>)) return;
        const Real old = std::abs(tau_[offset]);
        tau_[offset] = -tau;
        if (tau < old) {
            queue_.push({static_cast<float>(r * tau), offset});
        }
    }

    void correct(Index3 n, std::uint32_t offset) {
        if (speed_[offset] == 0) return;
        const Real r2 = geometry_.r2(n);
        const Real tau = candidate(n, r2, std::sqrt(r2), offset);
        if (!(tau < tau_[offset] * (1 - tolerance))) return;
        tau_[offset] = tau;
        again_.push_back(offset);
    }

    /// Prefetches what the update of a node will read.
    [[gnu::always_inline]] void prefetch(std::uint32_t node) const {
        const Index3 n = tiles_.node(node);
        for (int d = 0; d < 3; ++d) {
            if (Dim == 2 && d == 1) continue;
            const std::uint32_t base = node - tiles_.part(d, n[d]);
            for (const int steps : {-1, 1}) {
                const std::uint32_t next = base + tiles_.part(d, n[d] + steps);
                prefetch_at(tau_.data(), next);
                prefetch_at(speed_.data(), next);
                prefetch_at(tau_.data(), base + tiles_.part(d, n[d] + 2 * steps));
            }
        }
    }

    void require_progress(std::uint64_t turns, std::uint64_t most) const {
        Field<Real> tau(tiles_.shape());
        copy_to(tau);
        for (Real& value : tau) value = std::abs(value);
        fermat::require_progress<Real>(model_, source_, tau.view(), static_cast<double>(turns),
                                       static_cast<double>(most));
    }

    const Model& model_;
    const FactoredSource& source_;
    TiledShape tiles_;
    NodeGeometry<Real> geometry_;
    /// tau: positive once settled, and only then may stencils use it; negative while on the front.
    std::vector<Real> tau_;
    std::vector<Real> speed_;  ///< v / v0; 0 in air and at start nodes
    MarchQueue queue_;
    Real until2_;   ///< the square of the largest T/s0 that the caller wants
    Real most_h2_;  ///< the square of the largest spacing
    /// Settled nodes that have become earlier since, and whose neighbours must be updated.
    std::deque<std::uint32_t> again_;
    /// Whether the oldest of them is taken first, else the newest. In long cells they are many, and
    /// with the oldest first each is handled only a few times. Second order settles better with the
    /// newest first.
    bool in_turn_;
    bool earlier_again_ = false;  ///< whether the node whose turn it is was settled before
};

template <int Dim, int Order, class Real>
void march(const Model& model, const FactoredSource& source, FieldView<Real> tau,
           Monitor& monitor) {
    March<Real, Dim, Order> march(model, source);
    march.run(monitor);
    march.copy_to(tau);
    if (source.until == INFINITY) return;
    // Nodes later than `until` were left on the front.
    for (Real& value : tau) value = value < 0 ? unreached<Real> : value;
}

}  // namespace

template <class Real>
void fmm_solve(const Model& model, const FactoredSource& source, int order, FieldView<Real> tau,
               Monitor& monitor) {
    constexpr double limit = 4.29e9;
    if (TiledShape::count(model.grid().shape) > limit) {
        throw InputError(
            fmt::format("a model of {} nodes is too large for fmm (must have fewer than "
                        "4.2e9; solve it with fim)",
                        model.grid().node_count()));
    }
    // In very long cells second order has several solutions. A march finds a wrong one, after ever
    // more corrections; sweeps from the times of first order do not.
    const bool swept = order == 2 && has_long_cells(model.grid(), 40);
    if (swept) {
        fmm_solve(model, source, 1, tau, monitor);
        sweep_to_second_order(model, source, tau, monitor);
        return;
    }
    if (model.grid().is_2d()) {
        order == 1 ? march<2, 1>(model, source, tau, monitor)
                   : march<2, 2>(model, source, tau, monitor);
    } else {
        order == 1 ? march<3, 1>(model, source, tau, monitor)
                   : march<3, 2>(model, source, tau, monitor);
    }
}

template void fmm_solve<float>(const Model&, const FactoredSource&, int, FieldView<float>,
                               Monitor&);
template void fmm_solve<double>(const Model&, const FactoredSource&, int, FieldView<double>,
                                Monitor&);

}  // namespace fermat
