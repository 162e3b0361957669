#include "eikonal/fsm.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "eikonal/fim/rules.hpp"
#include "eikonal/node_update.hpp"
#include "eikonal/resolution.hpp"

namespace fermat {
namespace {

/// Which new values a sweep accepts.
enum class Accept {
    earlier,  ///< values only fall, so sweeping ends
    changed,  ///< second order also corrects upwards
};

template <class Real, int Dim>
class Sweeper {
  public:
    Sweeper(const Model& model, const FactoredSource& source)
        : model_(model),
          source_(source),
          rimmed_(model.grid().shape),
          geometry_(model, source),
          until2_(geometry_.until2(source)),
          most_h2_(geometry_.most_h2()),
          tau_(rimmed_.count(), unreached<Real>),
          states_(rimmed_.count(), State::fixed),
          rows_(rimmed_.count() / static_cast<std::size_t>(rimmed_.stride(1)), 0) {
        const Shape shape = rimmed_.shape();
        for (int i = 0; i < shape.x; ++i) {
            for (int j = 0; j < shape.y; ++j) {
                const float* velocity = &model.velocity()(i, j, 0);
                State* state = states_.data() + rimmed_.offset(i, j, 0);
                for (int k = 0; k < shape.z; ++k) {
                    if (velocity[k] > 0) state[k] = State::quiet;
                }
            }
        }
        for (const StartNode& start : source.starts) {
            const std::size_t node = rimmed_.offset(start.node);
            tau_[node] = static_cast<Real>(start.tau);
            states_[node] = State::fixed;
        }
        for (const StartNode& start : source.starts) {
            const std::size_t node = rimmed_.offset(start.node);
            mark_later<1>(start.node, node, tau_[node]);
        }
    }

    /// Takes the place of first_order: times of first order, `unreached` where no wave arrives.
    void take(FieldView<const Real> tau) {
        const Shape shape = rimmed_.shape();
        for (int i = 0; i < shape.x; ++i) {
            for (int j = 0; j < shape.y; ++j) {
                for (int k = 0; k < shape.z; ++k) tau_[rimmed_.offset(i, j, k)] = tau(i, j, k);
            }
        }
    }

    void first_order(Monitor& monitor) {
        while (round<1, Accept::earlier>(monitor)) continue;
    }

    /// Improves the solution of first_order; call it after that. The second-order stencil is not
    /// monotone, so a few nodes may never come to rest. After some rounds values may therefore only
    /// fall.
    void second_order(Monitor& monitor) {
        mark_reached();
        constexpr int free_rounds = 8;
        for (int n = 0; n < free_rounds; ++n) {
            if (!round<2, Accept::changed>(monitor)) return;
        }
        while (round<2, Accept::earlier>(monitor)) continue;
    }

    void copy_to(FieldView<Real> tau) const { copy_from_rimmed(rimmed_, tau_, tau); }

  private:
    enum class State : std::uint8_t {
        fixed,   ///< not computed: start nodes, air, the rim
        quiet,   ///< no neighbour has changed since the node was computed
        pending  ///< the next sweep computes it
    };
    static constexpr Real tolerance = 2 * std::numeric_limits<Real>::epsilon();
    /// The most difficult media take some dozens of rounds.
    static constexpr int long_rounds = 100;
    static constexpr int most_rounds = 100 * long_rounds;

    void require_progress() const {
        Field<Real> tau(rimmed_.shape());
        copy_to(tau);
        fermat::require_progress<Real>(model_, source_, tau.view(), rounds_, most_rounds);
    }

    /// Sweeps once in each order; returns false if nothing changed.
    template <int Order, Accept Mode>
    bool round(Monitor& monitor) {
        if (++rounds_ % long_rounds == 0) require_progress();
        changed_ = false;
        for (int direction = 0; direction < 8; ++direction) {
            if (Dim == 2 && (direction & 2) != 0) continue;
            sweep<Order, Mode>(
                {direction & 1 ? -1 : 1, direction & 2 ? -1 : 1, direction & 4 ? -1 : 1}, monitor);
        }
        return changed_;
    }

    template <int Order, Accept Mode>
    void sweep(Index3 step, Monitor& monitor) {
        const Shape shape = rimmed_.shape();
        const auto first = [&](int d) { return step[d] > 0 ? 0 : shape[d] - 1; };
        const auto end = [&](int d) { return step[d] > 0 ? shape[d] : -1; };
        for (int i = first(0); i != end(0); i += step.x) {
            monitor.check();
            for (int j = first(1); j != end(1); j += step.y) {
                const std::size_t row = rimmed_.offset(i, j, 0);
                std::uint8_t& pending = rows_[row_of(row)];
                if (pending == 0) continue;
                pending = 0;
                for (int k = first(2); k != end(2); k += step.z) {
                    const std::size_t offset = row + static_cast<std::size_t>(k);
                    if (states_[offset] == State::pending) update<Order, Mode>({i, j, k}, offset);
                }
            }
        }
    }

    template <int Order, Accept Mode>
    void update(Index3 n, std::size_t offset) {
        states_[offset] = State::quiet;
        const Real r2 = geometry_.r2(n);
        const Real* tau = &tau_[offset];
        const Real found = update_node<Dim, Order>(
            geometry_, n, geometry_.speed(n), r2, std::sqrt(r2),
            [&](int d, int steps) { return tau[steps * rimmed_.stride(d)]; });
        const Real old = *tau;
        const Real least_change = tolerance * old;
        const bool take =
            found < reached_limit<Real> &&
            (found < old - least_change || (Mode == Accept::changed && found > old + least_change));
        if (!take) return;
        tau_[offset] = found;
        changed_ = true;
        if (fim_too_late(std::min(found, old), 1 / r2, most_h2_, until2_)) return;
        mark_later<Order>(n, offset, std::min(found, old));
    }

    /// Nodes whose stencil reads a changed node become pending, unless they are earlier than it. In
    /// factored form a node may depend on a slightly later neighbour: from
    ///     (1 + gamma)^2 (r_1/r)^2 <= 1 + 4 eta
    /// its own time T is at least T_1 / sqrt(1 + 4 eta).
    template <int Order>
    void mark_later(Index3 n, std::size_t offset, Real tau) {
        const Real time2 = tau * tau * geometry_.r2(n);
        for (int d = 0; d < 3; ++d) {
            if (Dim == 2 && d == 1) continue;
            for (int distance = -Order; distance <= Order; ++distance) {
                const std::size_t other =
                    offset + static_cast<std::size_t>(distance * rimmed_.stride(d));
                if (states_[other] != State::quiet) continue;
                Index3 node = n;
                node[d] += distance;
                const Real slack =
                    static_cast<Real>(4 * distance * distance) * geometry_.axis(d).h2;
                if (tau_[other] * tau_[other] * (geometry_.r2(node) + slack) > time2) mark(other);
            }
        }
    }

    void mark(std::size_t offset) {
        states_[offset] = State::pending;
        rows_[row_of(offset)] = 1;
    }
    void mark_reached() {
        for (std::size_t n = 0; n < tau_.size(); ++n) {
            if (states_[n] == State::quiet && tau_[n] < reached_limit<Real>) mark(n);
        }
    }
    std::size_t row_of(std::size_t offset) const {
        return offset / static_cast<std::size_t>(rimmed_.stride(1));
    }

    const Model& model_;
    const FactoredSource& source_;
    RimmedShape rimmed_;
    NodeGeometry<Real> geometry_;
    Real until2_;   ///< the square of the largest T/s0 that the caller wants
    Real most_h2_;  ///< the square of the largest spacing
    std::vector<Real> tau_;
    std::vector<State> states_;
    std::vector<std::uint8_t> rows_;  ///< 1 where a row may have pending nodes
    bool changed_ = false;
    int rounds_ = 0;
};

template <int Dim, class Real>
void sweep(const Model& model, const FactoredSource& source, int order, FieldView<Real> tau,
           Monitor& monitor) {
    Sweeper<Real, Dim> sweeper(model, source);
    sweeper.first_order(monitor);
    if (order == 2) sweeper.second_order(monitor);
    sweeper.copy_to(tau);
}

}  // namespace

template <class Real>
void fsm_solve(const Model& model, const FactoredSource& source, int order, FieldView<Real> tau,
               Monitor& monitor) {
    if (model.grid().is_2d()) {
        sweep<2>(model, source, order, tau, monitor);
    } else {
        sweep<3>(model, source, order, tau, monitor);
    }
}

template <class Real>
void sweep_to_second_order(const Model& model, const FactoredSource& source, FieldView<Real> tau,
                           Monitor& monitor) {
    const auto improve = [&](auto sweeper) {
        sweeper.take(tau);
        sweeper.second_order(monitor);
        sweeper.copy_to(tau);
    };
    if (model.grid().is_2d()) {
        improve(Sweeper<Real, 2>(model, source));
    } else {
        improve(Sweeper<Real, 3>(model, source));
    }
}

template void sweep_to_second_order(const Model&, const FactoredSource&, FieldView<float>,
                                    Monitor&);
template void sweep_to_second_order(const Model&, const FactoredSource&, FieldView<double>,
                                    Monitor&);
template void fsm_solve<float>(const Model&, const FactoredSource&, int, FieldView<float>,
                               Monitor&);
template void fsm_solve<double>(const Model&, const FactoredSource&, int, FieldView<double>,
                                Monitor&);

}  // namespace fermat
