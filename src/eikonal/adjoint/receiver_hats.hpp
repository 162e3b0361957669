#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
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
    double share = 0;  ///< dJ/dw of a node beside it, by the node's weight
    bool arrives = false;
};

/// The weight of a receiver on one of the nodes round it.
struct ReceiverHat {
    std::size_t slot = 0;  ///< of the node
    double weight = 0;
    Vec3 gradient;
};

/// The hats of receivers, in memory of the host or of a device.
struct HatsView {
    const Vec3* positions = nullptr;
    const std::size_t* begin = nullptr;  ///< first hat of each receiver, and their number
    const ReceiverHat* hats = nullptr;

    /// T - start at a receiver, infinite where no wave arrives. tau_of(slot) is infinite where none
    /// arrives at a node.
    template <class TauOf>
    FERMAT_HD double time(std::size_t receiver, const SourceFactor& factor, TauOf tau_of) const {
        const double r = norm(factor.from_source(positions[receiver]));
        if (r == 0) return 0;
        const HatValue w = value(receiver, factor, tau_of);
        return w.weights == 0 ? static_cast<double>(INFINITY) : r * w.value;
    }

    /// What dJ/dT of a receiver says.
    template <class TauOf>
    FERMAT_HD ReceiverPull pull(std::size_t receiver, double by_time, const SourceFactor& factor,
                                TauOf tau_of) const {
        ReceiverPull out;
        const HatValue w = value(receiver, factor, tau_of);
        const Vec3 x = factor.from_source(positions[receiver]);
        const double r = norm(x);
        out.arrives = r == 0 || w.weights != 0;
        if (!out.arrives || r == 0) return out;
        const Vec3 apart = (by_time * w.value / r) * x;
        out.source = -1.0 * apart;
        out.receiver = apart + (by_time * r) * w.gradient;
        out.share = by_time * r / w.weights;
        return out;
    }

  private:
    template <class TauOf>
    FERMAT_HD HatValue value(std::size_t receiver, const SourceFactor& factor, TauOf tau_of) const {
        HatSum sum;
        for (std::size_t n = begin[receiver]; n < begin[receiver + 1]; ++n) {
            const ReceiverHat& hat = hats[n];
            sum.add(factor.slowness * static_cast<double>(tau_of(hat.slot)), hat.weight,
                    hat.gradient);
        }
        return sum.value();
    }
};

/// The nodes between which receivers lie, each once, and the weights of every receiver on them. One
/// survey has the same for all its sources.
class ReceiverHats {
  public:
    ReceiverHats() = default;
    /// `reached` tells the nodes that a wave can reach: beside others, receivers hear what tau_at
    /// continues (reached_corners.hpp). Without it they hear the mean of reached corners.
    ReceiverHats(const Grid& grid, std::span<const Vec3> receivers,
                 const std::function<bool(Index3)>& reached = {});

    /// Offsets of the nodes, in rising order. A node's place in this list is its slot.
    std::span<const std::size_t> nodes() const { return nodes_; }
    std::size_t receivers() const { return begin_.empty() ? 0 : begin_.size() - 1; }
    std::span<const Vec3> positions() const { return positions_; }
    std::span<const std::size_t> begin() const { return begin_; }
    std::span<const ReceiverHat> hats() const { return hats_; }
    HatsView view() const { return {positions_.data(), begin_.data(), hats_.data()}; }

    /// Hands dJ/dT of a receiver to its nodes: ask(slot, dJ/dw).
    template <class TauOf, class Ask>
    ReceiverPull pull(std::size_t receiver, double by_time, const SourceFactor& factor,
                      TauOf tau_of, Ask ask) const {
        const ReceiverPull out = view().pull(receiver, by_time, factor, tau_of);
        if (out.share == 0) return out;
        for (std::size_t n = begin_[receiver]; n < begin_[receiver + 1]; ++n) {
            const ReceiverHat& hat = hats_[n];
            if (hat.weight == 0 || !std::isfinite(tau_of(hat.slot))) continue;
            ask(hat.slot, out.share * hat.weight);
        }
        return out;
    }

    /// A receiver beside a node.
    struct Beside {
        std::uint32_t receiver = 0;
        double weight = 0;
    };
    /// The receivers beside every slot, in rising order, one slot after another.
    struct BySlot {
        std::vector<std::size_t> begin;  ///< first of each slot, and their number
        std::vector<Beside> beside;
    };
    BySlot by_slot() const;

  private:
    std::vector<Vec3> positions_;
    std::vector<std::size_t> nodes_;
    std::vector<std::size_t> begin_;  ///< first hat of each receiver, and their number
    std::vector<ReceiverHat> hats_;
};

}  // namespace fermat
