#pragma once

#include <cmath>
#include <cstddef>
#include <cstring>

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
            load_nodes<true>();
        } else {
            load_nodes<false>();
        }
        if (holds_source()) hold_starts();
    }

    /// Sweeps until no node can change a neighbour swept before it. If one can, the next sweep
    /// reverses that axis. Returns false if the limit on sweeps is reached first; `way` is then
    /// that of the next sweep.
    FERMAT_HD bool solve(SweepWay& way, int sweeps, bool only_earlier) {
        for (int turn = 0; turn < sweeps; ++turn) {
            if (!sweep(way, only_earlier)) return true;
            const unsigned against = asked_against(way);
            if (against == 0) return true;
            way = way.after(against, turn);
        }
        return false;
    }

    /// For each face (2 * axis + side) the earliest changed arrival, as T/s0, that may matter to
    /// the tile across it; infinite if there is none.
    FERMAT_HD void earliest_through(float (&keys)[6]) const {
        for (float& key : keys) key = INFINITY;
        constexpr int face_nodes = tile_nodes<Dim> / Tile::size(2);
        block_.for_each(face_nodes, [&](int n) {
            if constexpr (Dim == 3) look_through<0>(n, keys);
            look_through<1>(n, keys);
            look_through<2>(n, keys);
        });
        for (int face = 2 * first_axis; face < 6; ++face) {
            const int axis = face / 2;
            const int beyond = begin_[axis] + (face & 1 ? Tile::size(axis) : -1);
            const bool outside = beyond < 0 || beyond >= problem_.shape[axis];
            keys[face] = outside ? INFINITY : block_.least(keys[face]);
        }
    }

    FERMAT_HD void store() {
        block_.template transfer<tile_nodes<Dim>>(
            [&](int code) {
                int node[3];
                Halo::node_of(code, node);
                return s_.f[code] < reached_limit<float> ? s_.tau[at(node)] : -1.0F;
            },
            [&](int code, float tau) {
                int node[3];
                Halo::node_of(code, node);
                if (tau >= 0) tau_[offset(node)] = tau;
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

    /// tau of nodes without velocity, to tell them from those that no wave has reached yet.
    static constexpr float closed = 2 * unreached<float>;

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
    FERMAT_HD void load_nodes() {
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
        block_.template transfer<tile_nodes<Dim>>(
            [&](int code) {
                int node[3];
                Halo::node_of(code, node);
                return Clipped && !in_grid(node) ? 0.0F : velocity_[offset(node)];
            },
            [&](int code, float v) {
                int node[3];
                Halo::node_of(code, node);
                const bool open = v > 0;
                s_.f[code] =
                    open ? shot_.inverse_slowness / (v * root(r2(node))) : unreached<float>;
                s_.moved[code] = 0;
                float& tau = s_.tau[at(node)];
                if (!open && tau >= reached_limit<float>) tau = closed;
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

    /// What a lane knows of a node of its next step before the times of the neighbours are there.
    struct NextNode {
        int code;
        float f;  ///< as in TileStorage; `unreached` if the lane is idle
        float inverse_r2;
        float moment[3];  ///< h x along each axis
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
        const bool idle = entry == TileSteps::idle;
        NextNode next;
        next.code = idle ? 0 : entry ^ mask;
        const float f = s_.f[next.code];
        next.f = idle ? unreached<float> : f;
        float square = far2_;
        for (int axis = first_axis; axis < 3; ++axis) {
            const float x = coordinate(axis, Tile::part(next.code, axis));
            square += x * x;
            next.moment[axis] = h_[axis] * x;
        }
        next.inverse_r2 = 1 / square;
        return next;
    }

    /// One sweep over the tile. Returns whether a node that changed may feed a neighbour swept
    /// before it, which has its value of this sweep by then; asked_against tells for sure.
    ///
    /// The time of a step is that of one chain of dependent operations, and a small grid has too
    /// few tiles to hide it. So a lane looks ahead to its next node while the present one waits for
    /// its neighbours, and there are few branches.
    FERMAT_HD bool sweep(SweepWay way, bool only_earlier) {
        const SweepStart<Dim> start(way);
        const int begin = problem_.step_begin[way.outward];
        const int end = problem_.step_begin[way.outward + 1];
        typename Block::template Local<Lane> lanes;
        float lead = 0;
        block_.each_lane([&](int lane) {
            lanes[lane].next = look_ahead(entry_of(begin, end, lane), start.mask);
            lanes[lane].after[0] = entry_of(begin + 1, end, lane);
            lanes[lane].after[1] = entry_of(begin + 2, end, lane);
        });
        for (int step = begin; step < end; ++step) {
            block_.each_lane([&](int lane) {
                const NextNode node = lanes[lane].next;
                int place[3];
                Halo::node_of(node.code, place);
                float* const t = s_.tau + at(place);
                const auto stencil = [&](int axis) {
                    const int pitch = Storage::pitch(axis);
                    return axis_stencil(node.moment[axis], h_[axis] * h_[axis], node.inverse_r2,
                                        inverse_h_[axis], [&](int n) { return t[n * pitch]; });
                };
                const auto on_lane = stencil(1);
                const auto on_run = stencil(2);
                const float old = *t;
                lanes[lane].next = look_ahead(lanes[lane].after[0], start.mask);
                lanes[lane].after[0] = lanes[lane].after[1];
                lanes[lane].after[1] = entry_of(step + 3, end, lane);
                float now;
                float back = 0;
                if constexpr (Dim == 3) {
                    const auto on_outer = stencil(0);
                    now = update_tau<Order>(node.f, node.inverse_r2, on_lane, on_run, on_outer);
                    back = most(back, lead_back(on_outer, place[0], start.pivot[0], now));
                } else {
                    now = update_tau<Order>(node.f, node.inverse_r2, on_lane, on_run);
                }
                back = most(back, lead_back(on_lane, place[1], start.pivot[1], now));
                back = most(back, lead_back(on_run, place[2], start.pivot[2], now));
                // Even the smallest changes are stored: dropped changes would add up along a ray.
                const float limit =
                    only_earlier ? least(old, reached_limit<float>) : reached_limit<float>;
                const bool taken = (node.f < reached_limit<float>)&(now < limit);
                if (taken) *t = now;
                if (taken & fim_moved(now, old, fim_tolerance<float, Order>)) {
                    s_.moved[node.code] = Moved::in_visit | (back > 0 ? Moved::asks : 0);
                    lead = most(lead, back);
                }
            });
        }
        return block_.any_bits(lead > 0 ? 1 : 0) != 0;
    }

    /// Positive if a node may feed the neighbour swept before it along an axis. The sweep runs away
    /// from `pivot`.
    FERMAT_HD_INLINE static float lead_back(const AxisStencil<float>& axis, int place, int pivot,
                                            float now) {
        const bool up = place > pivot;
        const float before = up ? axis.low : axis.high;
        const bool asked = (place != pivot) & (before < closed);
        const float toward = up ? axis.gamma : -axis.gamma;
        const float lead = feeding_lead(now, asked ? before : 0, toward, axis.eta);
        if constexpr (Order == 1) return lead;
        const float second = up ? axis.low2 : axis.high2;
        const bool asked_too = asked & (second < reached_limit<float>);
        return most(lead, second_lead(now, asked_too ? second : 0, toward, axis.eta,
                                      fim_tolerance<float, Order>));
    }

    /// The axes along which nodes that ask may change the neighbour swept before them.
    FERMAT_HD unsigned asked_against(SweepWay way) {
        unsigned axes = 0;
        block_.for_each(tile_nodes<Dim> / 4, [&](int word) {
            unsigned char marks[4];
            copy_word(marks, s_.moved + 4 * word);
            for (int n = 0; n < 4; ++n) {
                if (!(marks[n] & Moved::asks)) continue;
                s_.moved[4 * word + n] = Moved::in_visit;
                axes |= feeds_against(way, 4 * word + n);
            }
        });
        return block_.any_bits(axes);
    }
    FERMAT_HD_INLINE static void copy_word(unsigned char (&to)[4], const unsigned char* from) {
        std::memcpy(to, __builtin_assume_aligned(from, 4), 4);
    }
    FERMAT_HD unsigned feeds_against(SweepWay way, int code) const {
        unsigned axes = 0;
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
            const bool stale =
                may_feed(now, neighbour, toward, h * h * inverse_r2, fim_tolerance<float, Order>);
            const bool computed = s_.f[code - sense * Tile::stride(axis)] < reached_limit<float>;
            if (stale && computed) axes |= 1U << axis;
            if constexpr (Order == 2) {
                if (before - sense < 0 || before - sense >= Tile::size(axis)) continue;
                const float second = s_.tau[here - 2 * sense * Storage::pitch(axis)];
                const bool skips = may_feed_second(now, second, toward, h * h * inverse_r2,
                                                   fim_tolerance<float, Order>);
                const bool known =
                    s_.f[code - 2 * sense * Tile::stride(axis)] < reached_limit<float>;
                if (skips && known) axes |= 1U << axis;
            }
        }
        return axes;
    }

    /// Looks through node n of both faces normal to an axis.
    template <int axis>
    FERMAT_HD_INLINE void look_through(int n, float (&keys)[6]) const {
        constexpr int a = axis == 0 ? 1 : 0;
        constexpr int b = axis == 2 ? 1 : 2;
        int node[3];
        node[a] = n / Tile::size(b);
        node[b] = n % Tile::size(b);
        node[axis] = 0;
        keys[2 * axis] = least(keys[2 * axis], matters<axis>(node, -1));
        node[axis] = Tile::size(axis) - 1;
        keys[2 * axis + 1] = least(keys[2 * axis + 1], matters<axis>(node, 1));
    }

    /// T/s0 of a node at a face if it or (second order) the node behind it changed and the
    /// neighbour across the face is not earlier.
    template <int axis>
    FERMAT_HD float matters(const int (&node)[3], int outward) const {
        const float now = s_.tau[at(node)];
        const int code = Tile::code(node[0], node[1], node[2]);
        unsigned moved = s_.moved[code];
        if constexpr (Order == 2) moved |= s_.moved[code - outward * Tile::stride(axis)];
        const float next = s_.tau[at(node) + outward * Storage::pitch(axis)];
        const float square = r2(node);
        const float inverse = 1 / square;
        const float h = h_[axis];
        const float toward =
            -static_cast<float>(outward) * h * coordinate(axis, node[axis]) * inverse;
        bool feeds = may_feed(now, next, toward, h * h * inverse, fim_tolerance<float, Order>);
        if constexpr (Order == 2) {
            const float second = s_.tau[at(node) + 2 * outward * Storage::pitch(axis)];
            feeds |=
                may_feed_second(now, second, toward, h * h * inverse, fim_tolerance<float, Order>);
        }
        const bool late = fim_too_late(now, inverse, h * h, shot_.until2);
        const bool matter = (now < reached_limit<float>)&(moved != 0) & feeds & !late;
        return matter ? now * root(square) : INFINITY;
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
