#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include "eikonal/fim/rules.hpp"
#include "eikonal/fim/tile_halo.hpp"
#include "eikonal/lanes.hpp"
#include "eikonal/metric/jump_rows.hpp"
#include "eikonal/metric/kinks.hpp"
#include "eikonal/metric/lane_gather.hpp"
#include "eikonal/metric/metric_tile.hpp"
#include "eikonal/metric/node_numbers.hpp"
#include "eikonal/metric/tile_plan.hpp"
#include "eikonal/metric/tile_store.hpp"

namespace fermat {

/// A visit of a tile of metric_tile.hpp on the CPU: a step's nodes in registers. The steps, the
/// stencil and the rules are those of the GPU. As in FimBlock, nodes are computed only if they are
/// stale: the first visit computes all of them, later sweeps and visits those that a change
/// reaches.
class TileLanes {
  public:
    using V = Lanes<float>;
    using Ints = LaneInts;
    using Tile = TileShape<3>;
    static constexpr int lanes = lane_count<float>;
    static constexpr int most_sweeps = 32;

    struct Outcome {
        std::array<float, 6> earliest;  ///< as VisitOutcome of `fim`
        bool settled = false;
        float change = 0;  ///< the greatest relative one
    };
    struct Task {
        int tile = 0;
        SweepWay way;  ///< of the first sweep
        bool only_earlier = false;
        unsigned tell = 0;     ///< faces whose earliest arrival is told, changed or not
        unsigned through = 0;  ///< faces behind which values have changed; 0: all nodes are stale
    };

    TileLanes(const TileStore& tiles, double mean, JumpSlopes& slopes)
        : tiles_(tiles),
          mean_of_all_(static_cast<float>(mean)),
          flat_(tiles.numbers().shape.x == 1),
          jumps_(slopes) {
        times_.fill(unreached<float>);
    }

    template <bool Full, int Order, bool ByNeighbours>
    Outcome visit(const Task& task);

  private:
    using Plan = TilePlan<lanes>;
    static constexpr int nodes = tile_nodes<3>;
    static constexpr int halo = 2;
    static constexpr int line = Tile::size(2) + 2 * halo;
    static constexpr int plane = line * (Tile::size(1) + 2 * halo);
    static constexpr int centre = halo * (plane + line + 1);

    static constexpr int place(int code) {
        return (code >> 6) * plane + (code >> 3 & 7) * line + (code & 7) + centre;
    }
    static Ints place(Ints code) {
        return (code >> 6) * plane + (code >> 3 & 7) * line + (code & 7) + centre;
    }
    /// The lanes of some bits.
    static Ints lanes_of(std::uint32_t bits) {
        Ints bit;
        for (int n = 0; n < lanes; ++n) bit[n] = 1 << n;
        return ((Ints{} + static_cast<std::int32_t>(bits)) & bit) != 0;
    }
    static NodeSet nodes_of(const Plan::Register& group, std::uint32_t which) {
        if (which == group.present) return group.nodes;
        NodeSet set;
        for (; which != 0; which &= which - 1) {
            set.add(group.code[static_cast<std::size_t>(__builtin_ctz(which))]);
        }
        return set;
    }

    void copy_row(const float* from, int code, int shift) {
        std::memcpy(times_.data() + place(code) + shift, from, sizeof(float) * Tile::size(2));
    }
    /// The first node of the tile that the grid may have, and the end.
    std::pair<int, int> codes() const {
        constexpr int first = Plan::flat_plane * Tile::stride(0);
        return flat_ ? std::pair{first, first + Tile::stride(0)} : std::pair{0, nodes};
    }
    void load(const Task& task);
    void load_halo(const Task& task);
    template <int Order>
    void mark_stale(const Task& task);
    template <int Order>
    [[gnu::always_inline]] void read_times(Ints here, OctantNode<V>& node) const {
        const auto along = [&](int step) __attribute__((always_inline)) {
            AxisValues<V> axis{gather(times_.data() - step, here),
                               gather(times_.data() + step, here), V{}, V{}};
            if constexpr (Order == 2) {
                axis.low2 = gather(times_.data() - 2 * step, here);
                axis.high2 = gather(times_.data() + 2 * step, here);
            }
            return axis;
        };
        node.tau = gather(times_.data(), here);
        node.x = along(plane);
        node.y = along(line);
        node.z = along(1);
    }
    /// All but f^2.
    template <bool Full>
    [[gnu::always_inline]] void read_medium(Ints code, OctantNode<V>& node) const {
        const auto value = [&](NodeNumber which) __attribute__((always_inline)) {
            return gather(number(which), code);
        };
        node.gamma_x = value(NodeNumber::gamma_x);
        node.gamma_y = value(NodeNumber::gamma_y);
        node.gamma_z = value(NodeNumber::gamma_z);
        node.tensor.xx = value(NodeNumber::xx);
        node.tensor.yy = value(NodeNumber::yy);
        node.tensor.zz = value(NodeNumber::zz);
        node.coupling = V{};
        if constexpr (Full) {
            node.tensor.xy = value(NodeNumber::xy);
            node.tensor.xz = value(NodeNumber::xz);
            node.tensor.yz = value(NodeNumber::yz);
            node.coupling = gather(tiles_.coupling(tile_), code);
        }
    }
    /// tau of nodes from the octant of `from`, or where they have none yet the straight one.
    template <bool Full, int Order, bool ByNeighbours>
    V from_octant(Ints code, Ints live, const OctantNode<V>& node) const;
    void store(const Task& task);
    /// Returns the axes along which a changed node may change one that was swept before it.
    template <bool Full, int Order, bool ByNeighbours>
    unsigned sweep(SweepWay way, bool only_earlier);
    template <bool Full, int Order, bool ByNeighbours>
    unsigned update(const Plan::Register& group, const StaleNodes<Order>& readers, SweepWay way,
                    bool only_earlier);
    template <bool Full, int Order>
    float earliest_through(int face, bool any) const;

    /// Beside jumps and kinks, centred differences do not tell the way of the wave.
    Ints all_ways() const { return Ints{} - static_cast<std::int32_t>(has_jumps_ || has_kinks_); }
    const float* number(NodeNumber which) const { return tiles_.number(tile_, which); }

    const TileStore& tiles_;
    float mean_of_all_;
    bool flat_;  ///< 2-D: only one plane of a tile has nodes
    int tile_ = 0;
    std::array<int, 3> begin_{};  ///< the tile's first node; may lie before the grid
    const Plan& plan_ = Plan::made();
    std::array<float, 12 * plane> times_;  ///< tau with the halo
    NodeSet stale_;
    NodeSet moved_;  ///< in this visit, by more than rounding
    V change_{};
    JumpRows jumps_;
    TileKinks kinks_;
    bool has_kinks_ = false;
    bool has_jumps_ = false;
};

inline void TileLanes::load(const Task& task) {
    tile_ = task.tile;
    begin_ = tiles_.begin_of(task.tile);
    const NodeNumbers& numbers = tiles_.numbers();
    has_jumps_ = jumps_.load(numbers, begin_);
    has_kinks_ = numbers.full() && kinks_.load(numbers, begin_);
    moved_ = {};
    change_ = V{};
    const float* const own = tiles_.times(task.tile);
    const auto [first, last] = codes();
    for (int row = first; row < last; row += Tile::size(2)) copy_row(own + row, row, 0);
    load_halo(task);
}

/// No stencil reads the edges and corners of the halo.
inline void TileLanes::load_halo(const Task& task) {
    static const std::array<float, nodes> nothing = [] {
        std::array<float, nodes> none;
        none.fill(unreached<float>);
        return none;
    }();
    const auto [first, last] = codes();
    const auto at = tiles_.place_of(task.tile);
    const auto beside = [&](int axis, int side) -> const float* {
        const int there = at[static_cast<std::size_t>(axis)] + side;
        if (there < 0 || there >= tiles_.tiles(axis)) return nothing.data();
        return tiles_.times(task.tile + side * tiles_.tile_stride(axis));
    };
    for (int side = -1; side <= 1; side += 2) {
        const float* const outer = beside(0, side);
        const float* const middle = beside(1, side);
        const float* const inner = beside(2, side);
        for (int layer = 0; layer < halo; ++layer) {
            const int from = side < 0 ? Tile::size(0) - halo + layer : layer;
            const int to = side < 0 ? layer - halo : Tile::size(0) + layer;
            for (int n = 0; n < Tile::size(0) && !flat_; ++n) {
                copy_row(outer + Tile::code(from, n, 0), Tile::code(0, n, 0), to * plane);
            }
            for (int n = first; n < last; n += Tile::stride(0)) {
                copy_row(middle + n + Tile::code(0, from, 0), n, to * line);
            }
        }
        const int from = side < 0 ? Tile::size(2) - halo : 0;
        const int to = side < 0 ? -halo : Tile::size(2);
        for (int row = first; row < last; row += Tile::size(2)) {
            std::memcpy(times_.data() + place(row) + to, inner + row + from, sizeof(float) * halo);
        }
    }
}

inline void TileLanes::store(const Task& task) {
    if (has_jumps_) jumps_.store(tiles_.numbers(), begin_);
    // Nodes that are not computed have kept their values.
    float* const own = tiles_.times(task.tile);
    const auto [first, last] = codes();
    for (int row = first; row < last; row += Tile::size(2)) {
        std::memcpy(own + row, times_.data() + place(row), sizeof(float) * Tile::size(2));
    }
}

template <int Order>
void TileLanes::mark_stale(const Task& task) {
    if (task.through == 0) {
        stale_ = NodeSet::all();
        return;
    }
    stale_ = {};
    for (unsigned axis = 0; axis < 3; ++axis) {
        if (task.through >> (2 * axis) & 1) stale_ |= plan_.up_to[axis][Order - 1];
        if (task.through >> (2 * axis + 1) & 1) stale_ |= plan_.from[axis][8 - Order];
    }
}

template <bool Full, int Order, bool ByNeighbours>
TileLanes::V TileLanes::from_octant(Ints code, Ints live, const OctantNode<V>& node) const {
    const auto tau = [&](OctantSides<Ints> sides) __attribute__((always_inline)) {
        if (!Full || Order == 1 || !has_kinks_) {
            return octant_tau<Full, Order, ByNeighbours>(node, sides);
        }
        OctantNode<V> bent = node;
        kinks_.bend(code, sides, bent);
        return octant_tau<Full, Order, ByNeighbours>(bent, sides);
    };
    const OctantSides<Ints> from = octant_sides<Full, ByNeighbours>(node);
    const V now = tau(from);
    if constexpr (!Full || ByNeighbours) return now;
    const Ints fresh = node.tau >= reached_limit<float>;
    if (!any_lane(fresh & live)) return now;
    const OctantSides<Ints> straight = straight_sides<Full>(node, from);
    const Ints other =
        fresh & ((from.x != straight.x) | (from.y != straight.y) | (from.z != straight.z));
    if (!any_lane(other & live)) return now;
    const V from_there = tau(straight);
    return other ? least(now, from_there) : now;
}

template <bool Full, int Order, bool ByNeighbours>
unsigned TileLanes::update(const Plan::Register& group, const StaleNodes<Order>& readers,
                           SweepWay way, bool only_earlier) {
    Ints code;
    std::memcpy(&code, group.code.data(), sizeof code);
    const V f2 = gather(number(NodeNumber::f2), code);
    const auto live = (f2 > 0) & lanes_of(group.present);
    if (!any_lane(live)) return 0;
    const Ints here = place(code);
    OctantNode<V> node;
    read_times<Order>(here, node);
    const V nearest = least(least(node.x.low, node.x.high), least(node.y.low, node.y.high),
                            least(node.z.low, node.z.high));
    if (!any_lane(live & (nearest < reached_limit<float>))) return 0;
    read_medium<Full>(code, node);
    node.f2 = live ? f2 : V{} + 1;
    const V now = has_jumps_ ? jumps_.tau<Full, Order, ByNeighbours>(code, live, node)
                             : from_octant<Full, Order, ByNeighbours>(code, live, node);
    const V old = node.tau;
    auto take = live & (now < reached_limit<float>)&(now > 0);
    if (ByNeighbours || only_earlier) take = take & (now < old);
    const V change = now > old ? now - old : old - now;
    const auto moved = take & (change > metric_tolerance<ByNeighbours> * now);
    const std::uint32_t taken = lane_bits(take & (now != old));
    if (taken == 0) return 0;
    scatter(times_.data(), here, now, taken);
    readers.mark_after(nodes_of(group, taken), stale_);
    const std::uint32_t moves = lane_bits(moved);
    if (moves == 0) return 0;
    moved_ |= nodes_of(group, moves);
    change_ = most(change_, moved ? change / now : V{});
    // Nodes that were swept before these and may use them.
    node.tau = now;
    const FedNeighbours<Full, V> fed(node, all_ways());
    unsigned against = 0;
    const auto look = [&]<int axis>() {
        constexpr int shift = 6 - 3 * axis;
        const Ints part = code >> shift & 7;
        const Ints up = Ints{} + 1;
        const Ints middle = Ints{} + Tile::size(axis) / 2;
        Ints sense = way.down >> axis & 1 ? -up : up;
        if (way.outward >> axis & 1) sense = (part > middle ? up : part < middle ? -up : Ints{});
        const Ints before = part - sense;
        const auto inside = (sense != 0) & (before >= 0) & (before < Tile::size(axis));
        const std::uint32_t feeds = lane_bits(moved & inside & fed.along(axis, sense < 0));
        if (feeds == 0) return;
        against |= 1U << axis;
        readers.template mark_before<axis>(nodes_of(group, feeds), stale_);
    };
    look.template operator()<0>();
    look.template operator()<1>();
    look.template operator()<2>();
    return against;
}

template <bool Full, int Order, bool ByNeighbours>
unsigned TileLanes::sweep(SweepWay way, bool only_earlier) {
    const StaleNodes<Order> readers(plan_, way);
    unsigned against = 0;
    for (const Plan::Register& group : (flat_ ? plan_.flat : plan_.of)[way.packed()]) {
        if (!stale_.meets(group.nodes)) continue;
        stale_.remove(group.nodes);
        against |= update<Full, Order, ByNeighbours>(group, readers, way, only_earlier);
    }
    return against;
}

template <bool Full, int Order>
float TileLanes::earliest_through(int face, bool any) const {
    const int axis = face / 2;
    const int edge = face % 2 ? Tile::size(axis) - 1 : 0;
    const int outward = face % 2 ? 1 : -1;
    const auto a = static_cast<std::size_t>(axis);
    const int beyond = begin_[a] + edge + outward;
    constexpr float none = std::numeric_limits<float>::infinity();
    if (beyond < 0 || beyond >= tiles_.numbers().shape[axis]) return none;
    std::uint64_t matter = any ? ~std::uint64_t{0} : moved_.layer(axis, edge);
    if (Order == 2 && !any) matter |= moved_.layer(axis, edge - outward);
    if (matter == 0) return none;
    const int one = Tile::stride(axis == 0 ? 1 : 0);
    const int two = Tile::stride(axis == 2 ? 1 : 2);
    const float* const means = tiles_.mean(tile_);
    V earliest = V{} + none;
    Ints lane;
    for (int n = 0; n < lanes; ++n) lane[n] = n;
    for (int first = 0; first < 64; first += lanes) {
        const auto bits = static_cast<std::uint32_t>(matter >> first & ((1ULL << lanes) - 1));
        if (bits == 0) continue;
        const Ints n = lane + first;
        const Ints code = edge * Tile::stride(axis) + (n >> 3) * one + (n & 7) * two;
        const Ints here = place(code);
        const V now = gather(times_.data(), here);
        const V f2 = gather(number(NodeNumber::f2), code);
        const auto computed = f2 > 0;
        const V safe = computed ? f2 : V{} + 1;
        auto told = lanes_of(bits) & (now < reached_limit<float>);
        if (!any) {
            OctantNode<V> node;
            read_times<1>(here, node);
            read_medium<Full>(code, node);
            node.f2 = safe;
            const FedNeighbours<Full, V> fed(node, all_ways());
            told = told & (~computed | fed.along(axis, Ints{} - (outward > 0)));
        }
        const V mean = computed ? gather(means, code) : V{} + 1;
        const V key = computed ? now * root(mean_of_all_ / (mean * safe)) : V{};
        earliest = least(earliest, told ? key : V{} + none);
    }
    float out = none;
    for (int n = 0; n < lanes; ++n) out = std::min(out, earliest[n]);
    return out;
}

template <bool Full, int Order, bool ByNeighbours>
TileLanes::Outcome TileLanes::visit(const Task& task) {
    Outcome outcome;
    load(task);
    mark_stale<Order>(task);
    SweepWay way = task.way;
    for (int turn = 0; turn < most_sweeps && !outcome.settled; ++turn) {
        const V before = change_;
        // Beside rows of jumps a node depends on the slope of the row and on its own time: there
        // all nodes are computed until none moves.
        if (has_jumps_) {
            stale_ = NodeSet::all();
            change_ = V{};
        }
        unsigned against = sweep<Full, Order, ByNeighbours>(way, task.only_earlier);
        if (has_jumps_ && against == 0 && any_lane(change_ > 0)) against = 7;
        change_ = most(before, change_);
        outcome.settled = against == 0;
        if (!outcome.settled) way = way.after(against, turn);
    }
    for (int face = 0; face < 6; ++face) {
        outcome.earliest[static_cast<std::size_t>(face)] =
            earliest_through<Full, Order>(face, task.tell >> face & 1U);
    }
    for (int n = 0; n < lanes; ++n) outcome.change = std::max(outcome.change, change_[n]);
    store(task);
    return outcome;
}

}  // namespace fermat
