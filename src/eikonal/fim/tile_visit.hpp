#pragma once

#include <cmath>
#include <cstddef>

#include "eikonal/fim/rules.hpp"
#include "eikonal/fim/tile.hpp"
#include "eikonal/fim/tile_halo.hpp"
#include "eikonal/stencil.hpp"

namespace fermat {

/// One visit of a tile by a warp.
template <int Dim, int Order, class Block>
class TileVisit {
  public:
    using Tile = TileShape<Dim>;
    using Storage = TileStorage<Dim>;
    using Halo = TileHalo<Dim>;
    static constexpr int first_axis = Dim == 3 ? 0 : 1;
    static constexpr int most_sweeps = 32;

    FERMAT_HD TileVisit(Block block, const TileProblem& problem, const TileShot& shot, int tile,
                        Storage& storage)
        : block_(block), problem_(problem), shot_(shot), s_(storage) {
        const int column = tile / problem.tiles[2];
        const int at[3] = {column / problem.tiles[1], column % problem.tiles[1],
                           tile % problem.tiles[2]};
        for (int axis = 0; axis < 3; ++axis) {
            begin_[axis] = at[axis] * Tile::size(axis) - shot.shift[axis];
            h_[axis] = static_cast<float>(shot.factor.spacing[axis]);
            step_[axis] = static_cast<float>(shot.factor.step[axis]);
            inverse_h_[axis] = 1 / h_[axis];
            first_[axis] = static_cast<float>(shot.factor.coordinate(axis, begin_[axis]));
        }
        far2_ = static_cast<float>(shot.factor.far2);
        stride_[1] = problem.shape[2];
        stride_[0] = stride_[1] * problem.shape[1];
        const std::ptrdiff_t first = static_cast<std::ptrdiff_t>(begin_[0]) * stride_[0] +
                                     static_cast<std::ptrdiff_t>(begin_[1]) * stride_[1] +
                                     begin_[2];
        tau_ = shot.tau + first;
        velocity_ = problem.velocity + first;
    }

    /// The direction of the first sweep; the tile must be loaded. Along each axis it is the one in
    /// which times round the tile increase. If they do not decide, it is from the only face (2 *
    /// axis + side) through which the wave came, else away from the source.
    FERMAT_HD SweepWay entry(unsigned faces) const {
        const unsigned slopes = halo_slopes();
        SweepWay way;
        for (int axis = first_axis; axis < 3; ++axis) {
            const float last = coordinate(axis, Tile::size(axis) - 1);
            const unsigned slope = slopes >> (3 * axis) & 7;
            const unsigned through = faces >> (2 * axis) & 3;
            const bool told = slope == rising || slope == falling;
            const bool one_face = through == 1 || through == 2;
            const bool up = told       ? slope == rising
                            : one_face ? through == 1
                                       : first_[axis] + last >= 0;
            const bool source_inside = first_[axis] <= 0 && last >= 0;
            if (!up) way.down |= 1U << axis;
            // A valley elsewhere, where rays turn, does not lie in the middle: up and down are
            // fewer sweeps than outward, up and down.
            if (source_inside && (slope & valley || slope == 0)) way.outward |= 1U << axis;
        }
        return way;
    }

    FERMAT_HD void load() {
        bool clipped = false;
        for (int axis = first_axis; axis < 3; ++axis) {
            constexpr int halo = Storage::halo;
            clipped |= begin_[axis] < halo ||
                       begin_[axis] + Tile::size(axis) + halo > problem_.shape[axis];
        }
        if (clipped) {
            load_tau<true>();
            load_medium<true>();
        } else {
            load_tau<false>();
            load_medium<false>();
        }
        if (holds_source()) hold_starts();
    }

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

    /// The earliest changed arrival, as T/s0, that may matter to the tile across a face; infinite
    /// if there is none.
    template <int axis, int side>
    FERMAT_HD float earliest_through() const {
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
            earliest = least(earliest, matters<axis>(node, outward));
        });
        return block_.least(earliest);
    }

    FERMAT_HD void store() {
        block_.for_each(tile_nodes<Dim>, [&](int code) {
            if (!(s_.f[code] < reached_limit<float>)) return;
            int node[3];
            Halo::node_of(code, node);
            tau_[offset(node)] = s_.tau[at(node)];
        });
    }

  private:
    FERMAT_HD static int at(const int (&node)[3]) { return Storage::at(node[0], node[1], node[2]); }
    FERMAT_HD float coordinate(int axis, int n) const {
        return first_[axis] + static_cast<float>(n) * step_[axis];
    }
    FERMAT_HD float r2(const int (&node)[3]) const {
        float sum = far2_;
        for (int axis = first_axis; axis < 3; ++axis) {
            const float x = coordinate(axis, node[axis]);
            sum += x * x;
        }
        return sum;
    }
    FERMAT_HD bool in_grid(const int (&node)[3]) const {
        return problem_.contains(begin_[0] + node[0], begin_[1] + node[1], begin_[2] + node[2]);
    }
    /// Offset in the memory of the grid from the first node of the tile.
    FERMAT_HD int offset(const int (&node)[3]) const {
        return node[0] * stride_[0] + node[1] * stride_[1] + node[2];
    }
    FERMAT_HD bool holds_source() const {
        bool holds = true;
        for (int axis = first_axis; axis < 3; ++axis) {
            const float reach = 1.5F * h_[axis];
            holds &= first_[axis] <= reach && coordinate(axis, Tile::size(axis) - 1) >= -reach;
        }
        return holds;
    }

    static constexpr unsigned rising = 1;
    static constexpr unsigned falling = 2;
    static constexpr unsigned valley = 4;

    /// For each axis, three bits that say how times change along the edges of the halo, from the
    /// first node to the middle one and to the last.
    FERMAT_HD unsigned halo_slopes() const {
        constexpr int edges = Dim == 3 ? 24 : 4;
        unsigned slopes = 0;
        block_.for_each(edges, [&](int n) {
            // An edge along `along`, on the face normal to `across` at `side`, at one end of the
            // third axis.
            const int across = Dim == 3 ? n / 8 : 1 + n / 2;
            const int side = Dim == 3 ? n / 4 % 2 : n % 2;
            const int along = Dim == 3 ? (across + 1 + n / 2 % 2) % 3 : 3 - across;
            const auto time2 = [&](int place) {
                int node[3];
                for (int axis = 0; axis < 3; ++axis) {
                    node[axis] = axis == along    ? place
                                 : axis != across ? n % 2 * (Tile::size(axis) - 1)
                                 : side           ? Tile::size(axis)
                                                  : -1;
                }
                if constexpr (Dim == 2) node[0] = 0;
                const float tau = s_.tau[at(node)];
                return tau < reached_limit<float> ? tau * tau * r2(node) : INFINITY;
            };
            const float first = time2(0);
            const float middle = time2(Tile::size(along) / 2);
            const float last = time2(Tile::size(along) - 1);
            if (!(middle < INFINITY)) return;
            // An end may lie outside the grid or be unreached.
            const auto way = [](float from, float to) {
                return from == INFINITY || to == INFINITY ? 0U : from < to ? rising : falling;
            };
            const unsigned in = way(first, middle);
            const unsigned out = way(middle, last);
            const bool bends = in != 0 && out != 0 && in != out;
            const unsigned slope = bends ? (in == falling ? valley : 0) : in | out;
            slopes |= slope << (3 * along);
        });
        return block_.any_bits(slopes);
    }

    template <bool Clipped>
    FERMAT_HD void load_tau() {
        block_.template transfer<Halo::loaded>(
            [&](int n) {
                int node[3];
                Halo::loaded_node(n, node);
                return Clipped && !in_grid(node) ? unreached<float> : tau_[offset(node)];
            },
            [&](int n, float value) {
                int node[3];
                Halo::loaded_node(n, node);
                s_.tau[at(node)] = value;
            });
    }

    template <bool Clipped>
    FERMAT_HD void load_medium() {
        block_.template transfer<tile_nodes<Dim>>(
            [&](int code) {
                int node[3];
                Halo::node_of(code, node);
                return Clipped && !in_grid(node) ? 0.0F : velocity_[offset(node)];
            },
            [&](int code, float v) {
                int node[3];
                Halo::node_of(code, node);
                s_.f[code] =
                    v > 0 ? shot_.inverse_slowness / (v * root(r2(node))) : unreached<float>;
                s_.moved[code] = 0;
            });
    }

    FERMAT_HD void hold_starts() {
        block_.for_each(shot_.start_count, [&](int n) {
            const Index3 start = problem_.starts[shot_.first_start + n];
            const int node[3] = {start.x - begin_[0], start.y - begin_[1], start.z - begin_[2]};
            for (int axis = 0; axis < 3; ++axis) {
                if (node[axis] < 0 || node[axis] >= Tile::size(axis)) return;
            }
            s_.f[Tile::code(node[0], node[1], node[2])] = unreached<float>;
        });
    }

    FERMAT_HD_INLINE AxisStencil<float> stencil(const float* t, int axis, int n,
                                                float inverse_r2) const {
        const int step = Storage::pitch(axis);
        const float h = h_[axis];
        return axis_stencil(h * coordinate(axis, n), h * h, inverse_r2, inverse_h_[axis],
                            [&](int steps) { return t[steps * step]; });
    }

    FERMAT_HD void sweep(SweepWay way, bool only_earlier) {
        int mask = 0;
        for (int axis = first_axis; axis < 3; ++axis) {
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

    FERMAT_HD void update(int code, bool only_earlier) {
        const float f = s_.f[code];
        if (!(f < reached_limit<float>)) return;
        int node[3];
        Halo::node_of(code, node);
        float* const t = s_.tau + at(node);
        const float old = *t;
        const float inverse_r2 = 1 / r2(node);
        const auto on_lane = stencil(t, 1, node[1], inverse_r2);
        const auto on_run = stencil(t, 2, node[2], inverse_r2);
        float now;
        if constexpr (Dim == 3) {
            const auto on_outer = stencil(t, 0, node[0], inverse_r2);
            now = update_tau<Order>(f, inverse_r2, on_lane, on_run, on_outer);
        } else {
            now = update_tau<Order>(f, inverse_r2, on_lane, on_run);
        }
        if (!(now < reached_limit<float>) || (only_earlier && now >= old)) return;
        // Even the smallest changes are stored: dropped changes would add up along a ray.
        *t = now;
        if (!fim_moved(now, old, fim_tolerance<float, Order>)) return;
        s_.moved[code] = Moved::in_visit | Moved::in_sweep;
    }

    /// The axes along which a node that changed in this sweep may change the neighbour swept before
    /// it.
    FERMAT_HD unsigned moved_against(SweepWay way) {
        unsigned axes = 0;
        block_.for_each(tile_nodes<Dim>, [&](int code) {
            const unsigned moved = s_.moved[code];
            if (!(moved & Moved::in_sweep)) return;
            s_.moved[code] = Moved::in_visit;
            int node[3];
            Halo::node_of(code, node);
            const int here = at(node);
            const float now = s_.tau[here];
            const float inverse_r2 = 1 / r2(node);
            for (int axis = first_axis; axis < 3; ++axis) {
                const int sense = way.sense<Dim>(axis, node[axis]);
                const int before = node[axis] - sense;
                if (sense == 0 || before < 0 || before >= Tile::size(axis)) continue;
                const float h = h_[axis];
                const float toward =
                    static_cast<float>(sense) * h * coordinate(axis, node[axis]) * inverse_r2;
                const float neighbour = s_.tau[here - sense * Storage::pitch(axis)];
                const bool stale = may_feed(now, neighbour, toward, h * h * inverse_r2,
                                            fim_tolerance<float, Order>);
                const bool computed =
                    s_.f[code - sense * Tile::stride(axis)] < reached_limit<float>;
                if (stale && computed) axes |= 1U << axis;
            }
        });
        return block_.any_bits(axes);
    }

    /// T/s0 of a node at a face if it or (second order) the node behind it changed and the
    /// neighbour across the face is not earlier.
    template <int axis>
    FERMAT_HD float matters(const int (&node)[3], int outward) const {
        const float now = s_.tau[at(node)];
        if (!(now < reached_limit<float>)) return INFINITY;
        const int code = Tile::code(node[0], node[1], node[2]);
        bool matter = s_.moved[code] != 0;
        if constexpr (Order == 2) matter |= s_.moved[code - outward * Tile::stride(axis)] != 0;
        if (!matter) return INFINITY;
        const float next = s_.tau[at(node) + outward * Storage::pitch(axis)];
        const float square = r2(node);
        const float h = h_[axis];
        const float toward = -static_cast<float>(outward) * h * coordinate(axis, node[axis]);
        if (!may_feed(now, next, toward / square, h * h / square, fim_tolerance<float, Order>))
            return INFINITY;
        if (fim_too_late(now, 1 / square, h * h, shot_.until2)) return INFINITY;
        return now * root(square);
    }

    Block block_;
    const TileProblem& problem_;
    const TileShot& shot_;
    Storage& s_;
    float* tau_;             ///< of the tile's first node
    const float* velocity_;  ///< likewise
    int stride_[2];
    int begin_[3];
    float h_[3];
    float step_[3];  ///< difference of coordinates from node to node
    float far2_;
    float inverse_h_[3];
    float first_[3];  ///< coordinates of the tile's first node from the source
};

}  // namespace fermat
