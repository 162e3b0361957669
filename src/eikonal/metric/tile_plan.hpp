#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "eikonal/fim/tile_steps.hpp"

namespace fermat {

/// A set of the nodes of a tile of 8^3: a word per plane, in which bit 8 l + r is node (l, r).
struct NodeSet {
    alignas(64) std::array<std::uint64_t, 8> plane{};

    static constexpr std::uint64_t every_line = 0x0101010101010101;

    static NodeSet all() {
        NodeSet set;
        set.plane.fill(~std::uint64_t{0});
        return set;
    }
    void add(int code) {
        plane[static_cast<std::size_t>(code >> 6)] |= std::uint64_t{1} << (code & 63);
    }
    [[gnu::always_inline]] NodeSet& operator|=(const NodeSet& other) {
        for (std::size_t n = 0; n < 8; ++n) plane[n] |= other.plane[n];
        return *this;
    }
    [[gnu::always_inline]] NodeSet operator&(const NodeSet& other) const {
        NodeSet both;
        for (std::size_t n = 0; n < 8; ++n) both.plane[n] = plane[n] & other.plane[n];
        return both;
    }
    [[gnu::always_inline]] void remove(const NodeSet& other) {
        for (std::size_t n = 0; n < 8; ++n) plane[n] &= ~other.plane[n];
    }
    [[gnu::always_inline]] bool meets(const NodeSet& other) const {
        std::uint64_t any = 0;
        for (std::size_t n = 0; n < 8; ++n) any |= plane[n] & other.plane[n];
        return any != 0;
    }
    /// Every node moved by some steps along an axis; nodes that leave the tile are lost.
    template <int Axis, int By>
    [[gnu::always_inline]] NodeSet moved() const {
        NodeSet out;
        constexpr int steps = By < 0 ? -By : By;
        for (int n = 0; n < 8; ++n) {
            std::uint64_t word = 0;
            if constexpr (Axis == 0) {
                if (n - By >= 0 && n - By < 8) word = plane[static_cast<std::size_t>(n - By)];
            } else {
                word = plane[static_cast<std::size_t>(n)];
                constexpr int bits = Axis == 1 ? 8 * steps : steps;
                word = By < 0 ? word >> bits : word << bits;
                constexpr std::uint64_t kept = By < 0 ? 0xFF >> steps : 0xFF << steps & 0xFF;
                if constexpr (Axis == 2) word &= kept * every_line;
            }
            out.plane[static_cast<std::size_t>(n)] = word;
        }
        return out;
    }
    /// The nodes from `first` to `last` along an axis.
    static NodeSet layers(int axis, int first, int last) {
        NodeSet out;
        for (int code = 0; code < tile_nodes<3>; ++code) {
            const int part = TileShape<3>::part(code, axis);
            if (part >= first && part <= last) out.add(code);
        }
        return out;
    }
    /// One layer across an axis as a word: bit 8 m + n is node (m, n) along the other two axes.
    std::uint64_t layer(int axis, int at) const {
        if (axis == 0) return plane[static_cast<std::size_t>(at)];
        std::uint64_t out = 0;
        for (std::size_t o = 0; o < 8; ++o) {
            std::uint64_t line = plane[o] >> (8 * at) & 0xFF;
            if (axis == 2) {
                // Bit `at` of every byte becomes a byte.
                line = (plane[o] >> at & every_line) * 0x0102040810204080 >> 56;
            }
            out |= line << (8 * o);
        }
        return out;
    }
};

/// The registers of a sweep of one tile: `lanes` nodes each that neither read nor write one another
/// (TileSteps), for all ways of sweeping.
template <int Lanes>
struct TilePlan {
    struct Register {
        alignas(64) std::array<std::int32_t, Lanes> code;  ///< idle lanes repeat the first one
        NodeSet nodes;
        std::uint32_t present = 0;  ///< lanes that are not idle
    };
    std::array<std::vector<Register>, 64> of;  ///< by SweepWay::packed()
    /// Of the only plane of nodes of a 2-D grid, which lies in the middle (tile_shift).
    std::array<std::vector<Register>, 64> flat;
    static constexpr int flat_plane = TileShape<3>::size(0) / 2;
    /// Layers 0 to n and n to 7 along each axis.
    std::array<std::array<NodeSet, 8>, 3> up_to;
    std::array<std::array<NodeSet, 8>, 3> from;

    static const TilePlan& made() {
        static const TilePlan plan;
        return plan;
    }

  private:
    TilePlan() {
        using Tile = TileShape<3>;
        const TileSteps& steps = tile_steps<3>();
        for (std::size_t axis = 0; axis < 3; ++axis) {
            for (std::size_t n = 0; n < 8; ++n) {
                up_to[axis][n] = NodeSet::layers(static_cast<int>(axis), 0, static_cast<int>(n));
                from[axis][n] = NodeSet::layers(static_cast<int>(axis), static_cast<int>(n), 7);
            }
        }
        for (unsigned packed = 0; packed < of.size(); ++packed) {
            const SweepWay way = SweepWay::unpacked(packed);
            int mask = 0;
            for (int axis = 0; axis < 3; ++axis) {
                const bool flip = (way.down & ~way.outward) >> axis & 1;
                if (flip) mask |= (Tile::size(axis) - 1) * Tile::stride(axis);
            }
            const auto put = [&](std::vector<Register>& to, std::span<const int> codes) {
                Register group;
                for (std::size_t n = 0; n < Lanes; ++n) {
                    group.code[n] = codes[n < codes.size() ? n : 0] ^ mask;
                    group.nodes.add(group.code[n]);
                    if (n < codes.size()) group.present |= 1U << n;
                }
                to.push_back(group);
            };
            std::array<std::vector<int>, 4 * 15> levels;
            const int begin = steps.begin[way.outward] * TileSteps::lanes;
            const int end = steps.begin[way.outward + 1] * TileSteps::lanes;
            for (int first = begin; first < end; first += Lanes) {
                std::vector<int> codes;
                for (int n = first; n < first + Lanes; ++n) {
                    const int code = steps.nodes[static_cast<std::size_t>(n)];
                    if (code == TileSteps::idle) continue;
                    codes.push_back(code);
                    if (Tile::part(code ^ mask, 0) == flat_plane) {
                        levels[flat_level(way, code)].push_back(code);
                    }
                }
                if (!codes.empty()) put(of[packed], codes);
            }
            for (const std::vector<int>& level : levels) {
                for (std::size_t n = 0; n < level.size(); n += Lanes) {
                    put(flat[packed], std::span(level).subspan(
                                          n, std::min<std::size_t>(Lanes, level.size() - n)));
                }
            }
        }
    }

    /// The turn of a node of the plane: nodes before it along both axes have earlier ones. In an
    /// outward sweep second order reads across the middle, so the two sides take turns.
    static std::size_t flat_level(SweepWay way, int code) {
        int level = 0;
        int side = 0;
        for (int axis = 1; axis < 3; ++axis) {
            const int part = TileShape<3>::part(code, axis);
            const bool outward = way.outward >> axis & 1;
            const int from = part - TileShape<3>::size(axis) / 2;
            level += outward ? (from < 0 ? -from : from) : part;
            if (outward && from < 0) side |= axis;
        }
        return static_cast<std::size_t>(4 * level + side);
    }
};

/// The nodes of a tile that are to be computed: a value that their equations may use has changed.
template <int Order>
class StaleNodes {
  public:
    template <int Lanes>
    StaleNodes(const TilePlan<Lanes>& plan, SweepWay way)
        : up_to_(plan.up_to.data()), from_(plan.from.data()), way_(way) {}

    /// The nodes after `changed` in the order of the sweep that read them.
    [[gnu::always_inline]] void mark_after(const NodeSet& changed, NodeSet& stale) const {
        each_axis([&]<int Axis>() {
            if (way_.outward >> Axis & 1) {
                // Second order reads across the middle.
                outward<Axis, 1>(changed, stale);
                if constexpr (Order == 2) outward<Axis, 2>(changed, stale);
            } else if (way_.down >> Axis & 1) {
                stale |= changed.template moved<Axis, -1>();
                if constexpr (Order == 2) stale |= changed.template moved<Axis, -2>();
            } else {
                stale |= changed.template moved<Axis, 1>();
                if constexpr (Order == 2) stale |= changed.template moved<Axis, 2>();
            }
        });
    }
    /// The nodes before `fed` along one axis.
    template <int Axis>
    void mark_before(const NodeSet& fed, NodeSet& stale) const {
        const bool both = way_.outward >> Axis & 1;
        const bool down = way_.down >> Axis & 1;
        const NodeSet above = both ? fed & from_[Axis][middle + 1] : down ? NodeSet{} : fed;
        const NodeSet below = both ? fed & up_to_[Axis][middle - 1] : down ? fed : NodeSet{};
        stale |= above.template moved<Axis, -1>();
        stale |= below.template moved<Axis, 1>();
        if constexpr (Order == 2) {
            stale |= above.template moved<Axis, -2>();
            stale |= below.template moved<Axis, 2>();
        }
    }

  private:
    static constexpr int middle = 4;

    template <class Visit>
    [[gnu::always_inline]] static void each_axis(Visit visit) {
        visit.template operator()<0>();
        visit.template operator()<1>();
        visit.template operator()<2>();
    }
    template <int Axis, int By>
    void outward(const NodeSet& changed, NodeSet& stale) const {
        stale |= (changed & from_[Axis][middle + 1 - By]).template moved<Axis, By>();
        stale |= (changed & up_to_[Axis][middle - 1 + By]).template moved<Axis, -By>();
    }

    const std::array<NodeSet, 8>* up_to_;
    const std::array<NodeSet, 8>* from_;
    SweepWay way_;
};

}  // namespace fermat
