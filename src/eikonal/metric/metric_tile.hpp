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
};

/// How much later than a node, in units of f, a neighbour may be that the node still uses. Half a
/// cell is for the curvature of T0, of which gamma is the slope only.
template <bool Full, class V>
FERMAT_HD_INLINE V metric_reach(V coupling) {
    using Real = Scalar<V>;
    if constexpr (Full) {
        return Real(0.5) + Real(1.5) * coupling;
    } else {
        return V{} + Real(0.5);
    }
}

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
        block_.template transfer<Halo::loaded>(
            [&](int n) {
                int node[3];
                Halo::loaded_node(n, node);
                return in_grid(node) ? shot_.tau[global(node)] : unreached<float>;
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
                return in_grid(node) ? shot_.source[global(node)].w : -1.0F;
            },
            [&](int code, float f2) {
                s_.f2[code] = f2;
                s_.moved[code] = 0;
            });
    }

    FERMAT_HD SweepWay entry(unsigned faces) const { return metric_entry(begin_, shot_.at, faces); }

    /// Sweeps until no node can change a neighbour swept before it. If one can, the next sweep
    /// reverses that axis. Returns false if the limit on sweeps is reached first.
    FERMAT_HD bool solve(SweepWay way, bool only_earlier) {
        for (int turn = 0; turn < most_sweeps; ++turn) {
            sweep(way, only_earlier);
            const unsigned against = moved_against(way);
            if (against == 0) return true;
            way = way.after(against, turn);
        }
        return false;
    }

    /// The earliest arrival that may matter to the tile across a face; infinite if there is none.
    /// With `any`, the earliest arrival at the face.
    FERMAT_HD float earliest_through(int axis, int side, bool any) const {
        const int edge = side ? Tile::size(axis) - 1 : 0;
        const int outward = side ? 1 : -1;
        const int beyond = begin_[axis] + edge + outward;
        if (beyond < 0 || beyond >= problem_.shape[axis]) return INFINITY;
        float earliest = INFINITY;
        const int a = axis == 0 ? 1 : 0;
        const int b = axis == 2 ? 1 : 2;
        block_.for_each(Tile::size(a) * Tile::size(b), [&](int n) {
            int node[3];
            node[axis] = edge;
            node[a] = n / Tile::size(b);
            node[b] = n % Tile::size(b);
            earliest = least(earliest, matters(node, axis, outward, any));
        });
        return block_.least(earliest);
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

    FERMAT_HD void sweep(SweepWay way, bool only_earlier) {
        int mask = 0;
        for (int axis = 0; axis < 3; ++axis) {
            const bool flip = (way.down & ~way.outward) >> axis & 1;
            if (flip) mask |= (Tile::size(axis) - 1) * Tile::stride(axis);
        }
        const int end = problem_.step_begin[way.outward + 1];
        for (int step = problem_.step_begin[way.outward]; step < end; ++step) {
            block_.for_each(TileSteps::lanes, [&](int lane) {
                const int entry = problem_.steps[step * TileSteps::lanes + lane];
                if (entry != TileSteps::idle) update(entry ^ mask, only_earlier);
            });
        }
    }

    FERMAT_HD_INLINE AxisValues<float> values(const float* t, int axis) const {
        const int step = Storage::pitch(axis);
        return {t[-step], t[step], t[-2 * step], t[2 * step]};
    }

    FERMAT_HD void update(int code, bool only_earlier) {
        if (!(s_.f2[code] > 0)) return;
        int at[3];
        Halo::node_of(code, at);
        float* const t = s_.tau + Storage::at(at);
        OctantNode<float> node;
        node.x = values(t, 0);
        node.y = values(t, 1);
        node.z = values(t, 2);
        const float nearest = least(least(node.x.low, node.x.high), least(node.y.low, node.y.high),
                                    least(node.z.low, node.z.high));
        if (!(nearest < reached_limit<float>)) return;
        const std::ptrdiff_t here = global(at);
        const Quad source = shot_.source[here];
        const Quad diagonal = problem_.diagonal[here];
        node.tau = *t;
        node.gamma_x = source.x;
        node.gamma_y = source.y;
        node.gamma_z = source.z;
        node.f2 = source.w;
        node.tensor.xx = diagonal.x;
        node.tensor.yy = diagonal.y;
        node.tensor.zz = diagonal.z;
        if constexpr (Full) {
            const Quad cross = problem_.cross[here];
            node.tensor.xy = cross.x;
            node.tensor.xz = cross.y;
            node.tensor.yz = cross.z;
            node.coupling = cross.w;
        }
        const auto from = octant_sides<Full, ByNeighbours>(node);
        const float now = octant_tau<Full, Order, ByNeighbours>(node, from);
        if (!(now < reached_limit<float>) || !(now > 0)) return;
        if ((only_earlier || ByNeighbours) && now >= node.tau) return;
        // Even the smallest changes are stored: dropped changes would add up along a ray.
        *t = now;
        if (!fim_moved(now, node.tau, tolerance)) return;
        s_.moved[code] = Moved::in_visit | Moved::in_sweep;
    }

    /// Whether a node may be used by the neighbour on one side. T0 varies as 1 + sigma gamma.
    FERMAT_HD bool feeds(std::ptrdiff_t here, float now, float next, int axis, int outward) const {
        const Quad source = shot_.source[here];
        if (!(source.w > 0)) return true;
        const float gamma = axis == 0 ? source.x : axis == 1 ? source.y : source.z;
        const float late = (1 + static_cast<float>(outward) * gamma) * next;
        float coupling = 0;
        if constexpr (Full) coupling = problem_.cross[here].w;
        return now < late + metric_reach<Full>(coupling) * root(source.w);
    }

    /// The axes along which a node that changed in this sweep may change the neighbour swept before
    /// it.
    FERMAT_HD unsigned moved_against(SweepWay way) {
        unsigned axes = 0;
        block_.for_each(tile_nodes<3>, [&](int code) {
            if (!(s_.moved[code] & Moved::in_sweep)) return;
            s_.moved[code] = Moved::in_visit;
            int node[3];
            Halo::node_of(code, node);
            const int here = Storage::at(node);
            for (int axis = 0; axis < 3; ++axis) {
                const int sense = way.sense<3>(axis, node[axis]);
                const int before = node[axis] - sense;
                if (sense == 0 || before < 0 || before >= Tile::size(axis)) continue;
                if (axes >> axis & 1) continue;
                if (!(s_.f2[code - sense * Tile::stride(axis)] > 0)) continue;
                const float next = s_.tau[here - sense * Storage::pitch(axis)];
                if (feeds(global(node), s_.tau[here], next, axis, -sense)) axes |= 1U << axis;
            }
        });
        return block_.any_bits(axes);
    }

    /// The time of a node at a face, in units of keys, if it or (second order) the node behind it
    /// changed and the neighbour across the face may use it.
    FERMAT_HD float matters(const int (&node)[3], int axis, int outward, bool any) const {
        const int code = Tile::code(node[0], node[1], node[2]);
        const int at = Storage::at(node);
        const float now = s_.tau[at];
        if (!(now < reached_limit<float>)) return INFINITY;
        const std::ptrdiff_t here = global(node);
        if (!any) {
            bool matter = s_.moved[code] != 0;
            if constexpr (Order == 2) matter |= s_.moved[code - outward * Tile::stride(axis)] != 0;
            const float next = s_.tau[at + outward * Storage::pitch(axis)];
            if (!matter || !feeds(here, now, next, axis, outward)) return INFINITY;
        }
        const float f2 = s_.f2[code];
        return f2 > 0 ? now * root(problem_.diagonal[here].w / f2) : 0.0F;
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
    const bool settled =
        visit.solve(visit.entry(before.faces), fim_only_falls(ByNeighbours ? 1 : 2, before.visits));
    float keys[6];
    for (int face = 0; face < 6; ++face) {
        keys[face] = visit.earliest_through(face / 2, face % 2, false);
        if (keys[face] < INFINITY || !problem.visit_all || before.visits > 0) continue;
        // Across the grid's edge nothing is told, so the neighbour exists where there is a key.
        const float all = visit.earliest_through(face / 2, face % 2, true);
        const unsigned neighbour = TileQueue::across(entry, face, problem.tiles);
        if (all < INFINITY && queue.states[neighbour].visits == 0) keys[face] = all;
    }
    const float earliest = queue.wake_through(block, pass, shot, entry, problem.tiles, keys);
    visit.store();
    if (settled || !block.leads()) return;
    queue.wait_again(pass, shot, entry, {fim_unsettled_key(earliest), TileQueue::by_itself, 0, 0});
}

}  // namespace fermat
