#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "core/grid.hpp"
#include "eikonal/adjoint/hat.hpp"
#include "eikonal/source_factor.hpp"

namespace fermat {

/// What dJ/dT at a receiver says of the positions of the source and of the receiver.
struct ReceiverPull {
    Vec3 source;
    Vec3 receiver;
    bool arrives = false;
};

/// The nodes between which receivers lie, each once, and the weights of every receiver on them. One
/// survey has the same for all its sources.
class ReceiverHats {
  public:
    ReceiverHats() = default;
    ReceiverHats(const Grid& grid, std::span<const Vec3> receivers);

    /// Offsets of the nodes, in rising order. A node's place in this list is its slot.
    std::span<const std::size_t> nodes() const { return nodes_; }
    std::size_t receivers() const { return begin_.empty() ? 0 : begin_.size() - 1; }

    /// T - start at a receiver, infinite where no wave arrives. tau_of(slot) is infinite where none
    /// arrives at a node.
    template <class TauOf>
    double time(std::size_t receiver, const SourceFactor& factor, TauOf tau_of) const {
        const double r = norm(factor.from_source(positions_[receiver]));
        if (r == 0) return 0;
        const HatValue w = value(receiver, factor, tau_of);
        return w.weights == 0 ? std::numeric_limits<double>::infinity() : r * w.value;
    }

    /// Hands dJ/dT of a receiver to its nodes: ask(slot, dJ/dw).
    template <class TauOf, class Ask>
    ReceiverPull pull(std::size_t receiver, double by_time, const SourceFactor& factor,
                      TauOf tau_of, Ask ask) const {
        ReceiverPull out;
        const HatValue w = value(receiver, factor, tau_of);
        const Vec3 x = factor.from_source(positions_[receiver]);
        const double r = norm(x);
        out.arrives = r == 0 || w.weights != 0;
        if (!out.arrives || r == 0) return out;
        const Vec3 apart = (by_time * w.value / r) * x;
        out.source = -1.0 * apart;
        out.receiver = apart + (by_time * r) * w.gradient;
        const double share = by_time * r / w.weights;
        for (std::size_t n = begin_[receiver]; n < begin_[receiver + 1]; ++n) {
            const Hat& hat = hats_[n];
            if (hat.weight == 0 || !std::isfinite(tau_of(hat.slot))) continue;
            ask(hat.slot, share * hat.weight);
        }
        return out;
    }

  private:
    struct Hat {
        std::size_t slot = 0;
        double weight = 0;
        Vec3 gradient;
    };

    template <class TauOf>
    HatValue value(std::size_t receiver, const SourceFactor& factor, TauOf tau_of) const {
        HatSum sum;
        for (std::size_t n = begin_[receiver]; n < begin_[receiver + 1]; ++n) {
            const Hat& hat = hats_[n];
            sum.add(factor.slowness * static_cast<double>(tau_of(hat.slot)), hat.weight,
                    hat.gradient);
        }
        return sum.value();
    }

    std::vector<Vec3> positions_;
    std::vector<std::size_t> nodes_;
    std::vector<std::size_t> begin_;  ///< first hat of each receiver, and their number
    std::vector<Hat> hats_;
};

}  // namespace fermat
