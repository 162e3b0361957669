#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "core/host_device.hpp"
#include "eikonal/fim/rules.hpp"
#include "eikonal/fim/tile_halo.hpp"
#include "eikonal/fim/tile_queue.hpp"
#include "eikonal/metric/node_octant.hpp"

namespace fermat {

/// The equation with a metric (node_octant.hpp) on the tiles of fim/tile.hpp: one warp solves a
/// tile in shared memory. All pointers point to memory of the device that computes.

/// Four numbers that one instruction loads.
struct alignas(16) Quad {
    float x, y, z, w;
};

/// 1/mu in units of its mean; 1 in air.
FERMAT_HD_INLINE float relative_mean(float mean, float mu) { return mu > 0 ? mean / mu : 1.0F; }

/// One source of a batch.
struct MetricTileShot {
    float* tau = nullptr;
    const Quad* source = nullptr;  ///< gamma along x, y, z, and f^2
    float at[3] = {0, 0, 0};       ///< the source, in nodes
    int shift[3] = {0, 0, 0};      ///< the first tile begins this many nodes before the grid
};

struct MetricTileProblem {
    int shape[3] = {1, 1, 1};
    int tiles[3] = {1, 1, 1};
    const Quad* diagonal = nullptr;  ///< xx, yy, zz, and 1/mu in units of its mean
    const Quad* cross = nullptr;     ///< xy, xz, yz, and coupling_reach; null if no tensor has them
    const MetricTileShot* shots = nullptr;
    const std::uint16_t* steps = nullptr;
    int step_begin[TileSteps::sets + 1] = {};
    float crossing = 0;      ///< the time to cross a tile, in the units of keys
    bool visit_all = false;  ///< every tile is visited, in the order of the wave

    FERMAT_HD int tile_count() const { return tiles[0] * tiles[1] * tiles[2]; }
    /// Tiles that share a face differ in parity.
    FERMAT_HD int parity(int tile) const {
        const int column = tile / tiles[2];
        return (column / tiles[1] + column % tiles[1] + tile % tiles[2]) & 1;
    }
    FERMAT_HD bool has_tile_across(int tile, int face) const {
        const int axis = face / 2;
        const int at = axis == 0   ? tile / (tiles[1] * tiles[2])
                       : axis == 1 ? tile / tiles[2] % tiles[1]
                                   : tile % tiles[2];
        return face & 1 ? at + 1 < tiles[axis] : at > 0;
    }
};

/// Relative change below which a node counts as unchanged. First-order times may be rough, because
/// second order corrects them.
template <bool ByNeighbours>
inline constexpr float metric_tolerance = ByNeighbours ? 1e-4F : fim_tolerance<float, 2>;

/// The first sweep of a tile: from the only face (bits of `faces`) through which the wave came,
/// else away from the source; outward along axes that have the source inside.
template <class Begin, class At>
FERMAT_HD SweepWay metric_entry(const Begin& begin, const At& source, unsigned faces) {
    SweepWay way;
    for (int axis = 0; axis < 3; ++axis) {
        const float first = static_cast<float>(begin[axis]) - static_cast<float>(source[axis]);
        const float last = first + static_cast<float>(TileShape<3>::size(axis) - 1);
        const unsigned through = faces >> (2 * axis) & 3;
        const bool one_face = through == 1 || through == 2;
        const bool up = one_face ? through == 1 : first + last >= 0;
        if (!up) way.down |= 1U << axis;
        if (first <= 0 && last >= 0 && !one_face) way.outward |= 1U << axis;
    }
    return way;
}

/// What a warp keeps of its tile in shared memory. The pitches put the nodes of a step into
/// different banks.
struct MetricTileStorage {
    using Tile = TileShape<3>;
    static constexpr int halo = 2;
    static constexpr int plane = 158;
    FERMAT_HD static constexpr int pitch(int axis) {
        return axis == 2 ? 1 : axis == 1 ? Tile::size(2) + 2 * halo : plane;
    }
    float tau[(Tile::size(0) + 2 * halo) * plane];
    float f2[tile_nodes<3>];  ///< -1 at nodes that are not computed
    unsigned char moved[tile_nodes<3>];

    FERMAT_HD static int at(const int (&n)[3]) {
        return (n[0] + halo) * pitch(0) + (n[1] + halo) * pitch(1) + n[2] + halo;
    }
};

/// One visit of a tile by a warp. First order takes the octant of the earlier neighbours and only
/// earlier values; second order the octant of the characteristic.
template <bool Full, int Order, bool ByNeighbours, class Block>
class MetricTileVisit {
  public:
    using Tile = TileShape<3>;
    using Storage = MetricTileStorage;
    using Halo = TileHalo<3>;
    static constexpr int most_sweeps = 32;
    static constexpr float tolerance = metric_tolerance<ByNeighbours>;

    FERMAT_HD MetricTileVisit(Block block, const MetricTileProblem& problem,
                              const MetricTileShot& shot, int tile, Storage& storage)
        : block_(block), problem_(problem), shot_(shot), s_(storage) {
        const int column = tile / problem.tiles[2];
        const int at[3] = {column / problem.tiles[1], column % problem.tiles[1],
                           tile % problem.tiles[2]};
        for (int axis = 0; axis < 3; ++axis) {
            begin_[axis] = at[axis] * Tile::size(axis) - shot.shift[axis];
        }
        stride_[1] = problem.shape[2];
        stride_[0] = stride_[1] * problem.shape[1];
        first_ = static_cast<std::ptrdiff_t>(begin_[0]) * stride_[0] +
                 static_cast<std::ptrdiff_t>(begin_[1]) * stride_[1] + begin_[2];
    }

    FERMAT_HD void load() {
        bool clipped = false;
        for (int axis = 0; axis < 3; ++axis) {
            constexpr int halo = Storage::halo;
            clipped |= begin_[axis] < halo ||
                       begin_[axis] + Tile::size(axis) + halo > problem_.shape[axis];
        }
        if (clipped) {
            load_nodes<true>();
        } else {
            load_nodes<false>();
        }
    }

    FERMAT_HD SweepWay entry(unsigned faces) const { return metric_entry(begin_, shot_.at, faces); }

    /// Sweeps until no node can change a neighbour swept before it. If one can, the next sweep
    /// reverses that axis. Returns false if the limit on sweeps is reached first; `way` is then
    /// that of the next sweep.
    FERMAT_HD bool solve(SweepWay& way, int sweeps, bool only_earlier) {
        for (int turn = 0; turn < sweeps; ++turn) {
            const unsigned against = sweep(way, only_earlier);
            if (against == 0) return true;
            way = way.after(against, turn);
        }
        return false;
    }

    /// For each face (2 * axis + side) the earliest arrival that may matter to the tile across it;
    /// infinite if there is none. Through the faces of `tell`, the earliest arrival of all.
    FERMAT_HD void earliest_through(unsigned tell, float (&keys)[6]) const {
        for (float& key : keys) key = INFINITY;
        constexpr int face_nodes = tile_nodes<3> / Tile::size(2);
        block_.for_each(face_nodes, [&](int n) {
            look_through<0>(n, tell, keys);
            look_through<1>(n, tell, keys);
            look_through<2>(n, tell, keys);
        });
        for (int face = 0; face < 6; ++face) {
            const int axis = face / 2;
            const int beyond = begin_[axis] + (face & 1 ? Tile::size(axis) : -1);
            const bool outside = beyond < 0 || beyond >= problem_.shape[axis];
            keys[face] = outside ? INFINITY : block_.least(keys[face]);
        }
    }

    FERMAT_HD void store() {
        block_.for_each(tile_nodes<3>, [&](int code) {
            if (!(s_.f2[code] > 0)) return;
            int node[3];
            Halo::node_of(code, node);
            shot_.tau[global(node)] = s_.tau[Storage::at(node)];
        });
    }

  private:
    FERMAT_HD bool in_grid(const int (&node)[3]) const {
        bool inside = true;
        for (int axis = 0; axis < 3; ++axis) {
            const int n = begin_[axis] + node[axis];
            inside &= n >= 0 && n < problem_.shape[axis];
        }
        return inside;
    }
    FERMAT_HD std::ptrdiff_t global(const int (&node)[3]) const {
        return first_ + node[0] * stride_[0] + node[1] * stride_[1] + node[2];
    }

    template <bool Clipped>
    FERMAT_HD void load_nodes() {
        block_.template transfer<Halo::loaded>(
            [&](int n) {
                int node[3];
                Halo::loaded_node(n, node);
                return Clipped && !in_grid(node) ? unreached<float> : shot_.tau[global(node)];
            },
            [&](int n, float value) {
                int node[3];
                Halo::loaded_node(n, node);
                s_.tau[Storage::at(node)] = value;
            });
        block_.template transfer<tile_nodes<3>>(
            [&](int code) {
                int node[3];
                Halo::node_of(code, node);
                return Clipped && !in_grid(node) ? -1.0F : shot_.source[global(node)].w;
            },
            [&](int code, float f2) {
                s_.f2[code] = f2;
                s_.moved[code] = 0;
            });
    }

    /// What a lane knows of a node of its next step before the times of the neighbours are there.
    struct NextNode {
        int code;
        Quad source;  ///< w is negative if the node is not computed or the lane is idle
        Quad diagonal;
        Quad cross;
    };
    struct Lane {
        NextNode next;
        int after[2];  ///< what the table of steps says of the two steps after the next
    };

    FERMAT_HD_INLINE int entry_of(int step, int end, int lane) const {
        const int last = step < end ? step : end - 1;
        return problem_.steps[last * TileSteps::lanes + lane];
    }
    FERMAT_HD_INLINE NextNode look_ahead(int entry, int mask) const {
        NextNode next{};
        next.source.w = -1;
        if (entry == TileSteps::idle) return next;
        next.code = entry ^ mask;
        if (!(s_.f2[next.code] > 0)) return next;
        int at[3];
        Halo::node_of(next.code, at);
        read_medium(global(at), next);
        return next;
    }
    FERMAT_HD_INLINE void read_medium(std::ptrdiff_t here, NextNode& to) const {
        to.source = shot_.source[here];
        to.diagonal = problem_.diagonal[here];
        if constexpr (Full) to.cross = problem_.cross[here];
    }

    /// One sweep over the tile. Returns the axes along which a node that changed may change the
    /// neighbour swept before it. As in TileVisit, a lane looks ahead to its next node: the numbers
    /// of the medium come from far away.
    FERMAT_HD unsigned sweep(SweepWay way, bool only_earlier) {
        const SweepStart<3> start(way);
        const int begin = problem_.step_begin[way.outward];
        const int end = problem_.step_begin[way.outward + 1];
        typename Block::template Local<Lane> lanes;
        unsigned against = 0;
        block_.each_lane([&](int lane) {
            lanes[lane].next = look_ahead(entry_of(begin, end, lane), start.mask);
            lanes[lane].after[0] = entry_of(begin + 1, end, lane);
            lanes[lane].after[1] = entry_of(begin + 2, end, lane);
        });
        for (int step = begin; step < end; ++step) {
            block_.each_lane([&](int lane) {
                const int code = lanes[lane].next.code;
                OctantNode<float> node = node_of(lanes[lane].next);
                lanes[lane].next = look_ahead(lanes[lane].after[0], start.mask);
                lanes[lane].after[0] = lanes[lane].after[1];
                lanes[lane].after[1] = entry_of(step + 3, end, lane);
                if (node.f2 > 0) against |= update(code, node, start.pivot, only_earlier);
            });
        }
        return block_.any_bits(against);
    }

    FERMAT_HD_INLINE static AxisValues<float> values(const float* t, int axis) {
        const int step = Storage::pitch(axis);
        return {t[-step], t[step], t[-2 * step], t[2 * step]};
    }
    FERMAT_HD_INLINE OctantNode<float> node_of(const NextNode& medium) const {
        int at[3];
        Halo::node_of(medium.code, at);
        const float* const t = s_.tau + Storage::at(at);
        OctantNode<float> node;
        node.tau = *t;
        node.x = values(t, 0);
        node.y = values(t, 1);
        node.z = values(t, 2);
        node.gamma_x = medium.source.x;
        node.gamma_y = medium.source.y;
        node.gamma_z = medium.source.z;
        node.f2 = medium.source.w;
        node.tensor.xx = medium.diagonal.x;
        node.tensor.yy = medium.diagonal.y;
        node.tensor.zz = medium.diagonal.z;
        node.coupling = 0;
        if constexpr (Full) {
            node.tensor.xy = medium.cross.x;
            node.tensor.xz = medium.cross.y;
            node.tensor.yz = medium.cross.z;
            node.coupling = medium.cross.w;
        }
        return node;
    }

    /// Computes a node. Returns the axes along which the neighbour swept before it may use it; the
    /// sweep runs away from `pivot`.
    FERMAT_HD_INLINE unsigned update(int code, OctantNode<float>& node, const int (&pivot)[3],
                                     bool only_earlier) {
        const float nearest = least(least(node.x.low, node.x.high), least(node.y.low, node.y.high),
                                    least(node.z.low, node.z.high));
        if (!(nearest < reached_limit<float>)) return 0;
        const float now = fresh_or_known_tau<Full, Order, ByNeighbours>(node);
        if (!(now < reached_limit<float>) || !(now > 0)) return 0;
        if ((only_earlier || ByNeighbours) && now >= node.tau) return 0;
        // Even the smallest changes are stored: dropped changes would add up along a ray.
        int at[3];
        Halo::node_of(code, at);
        s_.tau[Storage::at(at)] = now;
        if (!fim_moved(now, node.tau, tolerance)) return 0;
        s_.moved[code] = Moved::in_visit;
        node.tau = now;
        const FedNeighbours<Full, float> fed(node, false);
        unsigned axes = 0;
        for (int axis = 0; axis < 3; ++axis) {
            const bool feeds = fed.along(axis, at[axis] < pivot[axis]);
            if (feeds & (at[axis] != pivot[axis])) axes |= 1U << axis;
        }
        return axes;
    }

    /// Looks through node n of both faces normal to an axis.
    template <int axis>
    FERMAT_HD_INLINE void look_through(int n, unsigned tell, float (&keys)[6]) const {
        constexpr int a = axis == 0 ? 1 : 0;
        constexpr int b = axis == 2 ? 1 : 2;
        int at[3];
        at[a] = n / Tile::size(b);
        at[b] = n % Tile::size(b);
        at[axis] = 0;
        keys[2 * axis] = least(keys[2 * axis], matters<axis, -1>(at, tell));
        at[axis] = Tile::size(axis) - 1;
        keys[2 * axis + 1] = least(keys[2 * axis + 1], matters<axis, 1>(at, tell));
    }

    /// The time of a node at a face, in units of keys, if it or (second order) the node behind it
    /// changed and the neighbour across the face may use it.
    template <int axis, int outward>
    FERMAT_HD_INLINE float matters(const int (&at)[3], unsigned tell) const {
        NextNode medium;
        medium.code = Tile::code(at[0], at[1], at[2]);
        const int code = medium.code;
        const float now = s_.tau[Storage::at(at)];
        const bool any = tell >> (2 * axis + (outward > 0 ? 1 : 0)) & 1;
        bool told = any || s_.moved[code] != 0;
        if constexpr (Order == 2) told |= s_.moved[code - outward * Tile::stride(axis)] != 0;
        if (!told || !(now < reached_limit<float>)) return INFINITY;
        // Start nodes are always told.
        if (!(s_.f2[code] > 0)) return 0;
        read_medium(global(at), medium);
        const OctantNode<float> node = node_of(medium);
        const bool feeds = FedNeighbours<Full, float>(node, any).along(axis, outward > 0);
        return any || feeds ? now * root(medium.diagonal.w / node.f2) : INFINITY;
    }

    Block block_;
    const MetricTileProblem& problem_;
    const MetricTileShot& shot_;
    Storage& s_;
    int begin_[3];
    int stride_[2];
    std::ptrdiff_t first_;  ///< of the tile's first node in the memory of the grid
};

/// Processes one entry of the list of a pass.
template <bool Full, int Order, bool ByNeighbours, class Block>
FERMAT_HD void take_metric_tile(Block block, const MetricTileProblem& problem,
                                const TileQueue& queue, int pass, unsigned entry,
                                MetricTileStorage& storage) {
    const auto tiles = static_cast<unsigned>(problem.tile_count());
    const int shot = static_cast<int>(entry / tiles);
    const int tile = static_cast<int>(entry % tiles);
    const TileState before = queue.state_of(block, entry);
    if (!queue.admits(block, pass, shot, entry, before, problem.crossing)) return;
    const MetricTileShot source = problem.shots[shot];
    MetricTileVisit<Full, Order, ByNeighbours, Block> visit(block, problem, source, tile, storage);
    visit.load();
    const bool goes_on = before.faces & TileQueue::unsettled;
    SweepWay way = goes_on ? SweepWay::unpacked(before.way) : visit.entry(before.faces);
    const bool settled =
        visit.solve(way, visit.most_sweeps, fim_only_falls(ByNeighbours ? 1 : 2, before.visits));
    unsigned tell = 0;
    for (int face = 0; face < 6 && problem.visit_all && before.visits == 0; ++face) {
        if (!problem.has_tile_across(tile, face)) continue;
        const unsigned neighbour = TileQueue::across(entry, face, problem.tiles);
        if (queue.states[neighbour].visits == 0) tell |= 1U << face;
    }
    float keys[6];
    visit.earliest_through(tell, keys);
    const float earliest = queue.wake_through(block, pass, shot, entry, problem.tiles, keys);
    visit.store();
    if (settled || !block.leads()) return;
    const float key = earliest < INFINITY ? earliest : before.key;
    queue.wait_again(pass, shot, entry, {key, TileQueue::unsettled, 0, way.packed()});
}

}  // namespace fermat
