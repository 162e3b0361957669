#pragma once

#include <cmath>
#include <cstddef>

#include "eikonal/adjoint/back_storage.hpp"
#include "eikonal/adjoint/lane_values.hpp"
#include "eikonal/adjoint/node_equation.hpp"
#include "eikonal/fim/tile_queue.hpp"

namespace fermat {

/// The transposed linearised equations of a field, lambda = b + W^T lambda (back_substitution.hpp),
/// on the tiles of `fim`. Every node gathers from the nodes that are made of it:
///
///     lambda_i = b_i + sum_d sum_k W(i + k e_d, i) lambda(i + k e_d),   k = -2, -1, 1, 2
///
/// in a fixed order, so that its value depends on theirs alone. Nodes are made of earlier ones:
/// sweeps run against the wave, and the latest tiles come first. At the end of a visit a tile
/// leaves what it hands on to the nodes beyond a face with the tile there, which adds it to b at
/// the beginning of its own visit.

/// One visit of a tile by a warp.
template <int Dim, class Real, class Block>
class BackVisit {
  public:
    using Tile = TileShape<Dim>;
    using Storage = BackStorage<Dim, Real>;
    using Halo = TileHalo<Dim>;
    using Weight = AxisWeight<Real>;
    using Faces = TileFaces<Dim>;
    static constexpr int first_axis = 3 - Dim;
    static constexpr int length = Storage::length;
    static constexpr int lines = Storage::lines;
    /// Relative change below which lambda counts as unchanged.
    static constexpr Real tolerance = sizeof(Real) == 8 ? Real(1e-15) : Real(1e-6);

    FERMAT_HD BackVisit(Block block, const TileProblem& problem, const TileShot& shot,
                        const BackShot<Real>& field, int tile, Storage& storage)
        : block_(block),
          problem_(problem),
          field_(field),
          s_(storage),
          tile_(static_cast<unsigned>(tile)) {
        const int column = tile / problem.tiles[2];
        const int at[3] = {column / problem.tiles[1], column % problem.tiles[1],
                           tile % problem.tiles[2]};
        for (int axis = 0; axis < 3; ++axis) {
            begin_[axis] = at[axis] * Tile::size(axis) - shot.shift[axis];
            source_[axis] = static_cast<Real>(shot.factor.coordinate(axis, begin_[axis]));
            step_[axis] = static_cast<Real>(shot.factor.step[axis]);
        }
        far2_ = static_cast<Real>(shot.factor.far2);
        whole_ = true;
        for (int axis = first_axis; axis < 3; ++axis) {
            whole_ &= begin_[axis] >= 0 && begin_[axis] + length <= problem.shape[axis];
        }
        stride_[2] = 1;
        stride_[1] = problem.shape[2];
        stride_[0] = stride_[1] * problem.shape[1];
        first_ = static_cast<std::ptrdiff_t>(begin_[0]) * stride_[0] +
                 static_cast<std::ptrdiff_t>(begin_[1]) * stride_[1] + begin_[2];
        own_ = static_cast<std::size_t>(tile) * tile_nodes<Dim>;
    }

    /// What a visit begins with.
    struct Before {
        unsigned fed = 0;      ///< faces through which something came
        bool asks = true;      ///< J asks something of the tile's nodes
        bool visited = false;  ///< the tile has been visited before
        /// Nodes count as moved even where nothing came yet, so that those they are made of are
        /// visited too.
        bool all_new = false;
    };
    FERMAT_HD void load(const Before& before) {
        const Incoming<1> of_lanes = look_through<1>(before.fed);
        const Incoming<2> of_runs = look_through<2>(before.fed);
        if constexpr (Dim == 3) {
            const Incoming<0> of_outers = look_through<0>(before.fed);
            load_nodes(before);
            take<0>(of_outers);
        } else {
            load_nodes(before);
        }
        take<1>(of_lanes);
        take<2>(of_runs);
    }

    /// The way of the wave through the tile, by the sides from which its nodes are made.
    FERMAT_HD SweepWay way() const {
        unsigned sides = 0;
        block_.for_each(tile_nodes<Dim>, [&](int code) {
            if constexpr (Dim == 3) sides |= side_bits<0>(code);
            sides |= side_bits<1>(code) | side_bits<2>(code);
        });
        sides = block_.any_bits(sides);
        SweepWay way;
        for (int axis = first_axis; axis < 3; ++axis) {
            const unsigned own = sides >> (4 * axis) & 15;
            const bool down = (own & 5) == 0;
            const bool valley = (own & 2) && (own & 4);
            const Real last = source_[axis] + static_cast<Real>(length - 1) * step_[axis];
            const bool source_inside = source_[axis] <= 0 && last >= 0;
            if (down) way.down |= 1U << axis;
            if (valley && source_inside) way.outward |= 1U << axis;
        }
        return way;
    }

    /// Sweeps against the wave until no node that moved hands on to one swept before it. Returns
    /// false if the limit on sweeps is reached first; `way` is then that of the next sweep.
    FERMAT_HD bool solve(SweepWay& way, int sweeps) {
        for (int turn = 0; turn < sweeps; ++turn) {
            const unsigned against = block_.any_bits(sweep(way));
            if (against == 0) return true;
            // Nodes beside the source's plane draw on each other: the same sweep settles them.
            if (against & all_axes) way = way.after(against & all_axes, turn);
        }
        return false;
    }

    FERMAT_HD void store() const {
        block_.for_each(tile_nodes<Dim>, [&](int code) {
            field_.lambda[own_ + static_cast<std::size_t>(code)] = lambda(code);
        });
    }
    /// The faces through which a node hands on that moved.
    FERMAT_HD unsigned told() const {
        unsigned faces = 0;
        block_.for_each(tile_nodes<Dim>, [&](int code) {
            if (!s_.moved[code]) return;
            if constexpr (Dim == 3) faces |= faces_crossed<Dim, 0>(weight<0>(code), code);
            faces |= faces_crossed<Dim, 1>(weight<1>(code), code);
            faces |= faces_crossed<Dim, 2>(weight<2>(code), code);
        });
        return block_.any_bits(faces);
    }
    /// For every face how long before the latest node of the field the latest node is that moved
    /// and hands on across it; infinite if there is none.
    FERMAT_HD void find_keys(float (&keys)[6]) const {
        const Taus taus(block_, [&](int code) {
            return in_grid(code) ? field_.tau[offset(code)] : unreached<Real>;
        });
        for (float& key : keys) key = INFINITY;
        taus.for_each(block_, [&](int code, Real tau) {
            if (!s_.moved[code]) return;
            const float key = before_latest(code, tau);
            if constexpr (Dim == 3) add_key<0>(code, key, keys);
            add_key<1>(code, key, keys);
            add_key<2>(code, key, keys);
        });
        for (int face = 2 * first_axis; face < 6; ++face) keys[face] = block_.least(keys[face]);
    }
    /// Leaves what the tile hands on through some faces with the tiles across them.
    FERMAT_HD void hand_on(unsigned faces) const {
        if constexpr (Dim == 3) hand_on_along<0>(faces);
        hand_on_along<1>(faces);
        hand_on_along<2>(faces);
        block_.sync();
    }

  private:
    static constexpr unsigned all_axes = 7;
    using Taus = LaneValues<Block, Real, tile_nodes<Dim>>;

    FERMAT_HD bool in_grid(int code) const {
        return whole_ ||
               problem_.contains(begin_[0] + Tile::part(code, 0), begin_[1] + Tile::part(code, 1),
                                 begin_[2] + Tile::part(code, 2));
    }
    FERMAT_HD std::ptrdiff_t offset(int code) const {
        return first_ + (Tile::part(code, 0) * stride_[0] + Tile::part(code, 1) * stride_[1] +
                         Tile::part(code, 2));
    }
    template <int axis>
    FERMAT_HD_INLINE Weight& weight(int code, int steps = 0) const {
        return s_.weight[axis - first_axis]
                        [Storage::template weight_at<axis>(code) + steps * Tile::stride(axis)];
    }
    FERMAT_HD_INLINE Real& lambda(int code) const { return s_.lambda[Storage::margin + code]; }
    FERMAT_HD Real square_radius(const int (&node)[3]) const {
        Real r2 = far2_;
        for (int axis = first_axis; axis < 3; ++axis) {
            const Real x = source_[axis] + static_cast<Real>(node[axis]) * step_[axis];
            r2 += x * x;
        }
        return r2;
    }
    FERMAT_HD float before_latest(int code, Real tau) const {
        int node[3];
        Halo::node_of(code, node);
        const float before = field_.latest - static_cast<float>(tau) *
                                                 std::sqrt(static_cast<float>(square_radius(node)));
        return before > 0 ? before : 0;
    }

    template <int axis>
    FERMAT_HD_INLINE void add_key(int code, float key, float (&keys)[6]) const {
        const unsigned faces = faces_crossed<Dim, axis>(weight<axis>(code), code);
        float& low = keys[2 * axis];
        float& high = keys[2 * axis + 1];
        if (faces >> (2 * axis) & 1) low = least(low, key);
        if (faces >> (2 * axis + 1) & 1) high = least(high, key);
    }

    FERMAT_HD void load_nodes(const Before& before) {
        struct Weights {
            Weight of[Dim];
        };
        struct Pair {
            Real lambda;
            Real asked;
        };
        const Weight* const weights = field_.weights + Dim * own_;
        block_.template transfer<tile_nodes<Dim>>(
            [&](int code) {
                Weights all;
                for (int d = 0; d < Dim; ++d) all.of[d] = weights[d * tile_nodes<Dim> + code];
                return all;
            },
            [&](int code, const Weights& all) {
                if constexpr (Dim == 3) weight<0>(code) = all.of[0];
                weight<1>(code) = all.of[Dim - 2];
                weight<2>(code) = all.of[Dim - 1];
            });
        const Real* const old = field_.lambda + own_;
        block_.template transfer<tile_nodes<Dim>>(
            [&](int code) {
                const bool asks = before.asks && in_grid(code);
                return Pair{before.visited ? old[code] : Real(0),
                            asks ? field_.asked[offset(code)] : Real(0)};
            },
            [&](int code, Pair pair) {
                lambda(code) = pair.lambda;
                s_.given[code] = pair.asked;
                s_.moved[code] = before.all_new ? Moved::in_visit : 0;
            });
        clear_rims();
    }
    FERMAT_HD void clear_rims() {
        block_.for_each(Storage::margin, [&](int n) {
            s_.lambda[n] = 0;
            s_.lambda[Storage::margin + tile_nodes<Dim> + n] = 0;
        });
        block_.for_each(lines, [&](int line) {
            if constexpr (Dim == 3) clear_rim<0>(line);
            clear_rim<1>(line);
            clear_rim<2>(line);
        });
    }
    template <int axis>
    FERMAT_HD_INLINE void clear_rim(int line) {
        for (int steps = 1; steps <= Storage::rim; ++steps) {
            weight<axis>(code_on<axis>(line, 0), -steps) = {};
            weight<axis>(code_on<axis>(line, length - 1), steps) = {};
        }
    }
    template <int axis>
    FERMAT_HD_INLINE unsigned side_bits(int code) const {
        const int side = weight<axis>(code).side();
        const unsigned high = Tile::part(code, axis) >= length / 2 ? 2 : 0;
        return side == 0 ? 0U : (side < 0 ? 1U : 2U) << (4 * axis + high);
    }

    /// What came through both faces of an axis: [side][depth][line].
    template <int axis>
    using Incoming = LaneValues<Block, Real, 2 * Faces::values>;

    /// The number of the n-th node on a line along an axis.
    template <int axis>
    FERMAT_HD_INLINE static int code_on(int line, int n) {
        if (axis == 2) return (line << Tile::bits(2)) | n;
        if (axis == 0 || Dim == 2) return line + n * Tile::stride(axis);
        return (line >> Tile::bits(2) << (2 * Tile::bits(2))) | (n << Tile::bits(2)) |
               (line & (length - 1));
    }
    template <int axis>
    FERMAT_HD Incoming<axis> look_through(unsigned fed) const {
        const Real* const values = field_.incoming + Faces::at(tile_, 2 * axis);
        return Incoming<axis>(block_, [&](int n) {
            const int face = 2 * axis + (n >= Faces::values ? 1 : 0);
            return fed >> face & 1 ? read_fresh(values[n]) : Real(0);
        });
    }
    /// Adds to `given` what came through the faces of an axis.
    template <int axis>
    FERMAT_HD void take(const Incoming<axis>& incoming) {
        incoming.for_each(block_, [&](int n, Real value) {
            const int depth = n % Faces::values / lines;
            const int place = n >= Faces::values ? length - 1 - depth : depth;
            s_.given[code_on<axis>(n % lines, place)] += value;
        });
    }
    template <int axis>
    FERMAT_HD void hand_on_along(unsigned faces) const {
        for (int side = 0; side < 2; ++side) {
            const int face = 2 * axis + side;
            if (!(faces >> face & 1)) continue;
            const unsigned across = TileQueue::across(tile_, face, problem_.tiles);
            Real* const values = field_.incoming + Faces::at(across, face ^ 1);
            const int out = side == 0 ? -1 : 1;
            const int edge = side == 0 ? 0 : length - 1;
            block_.for_each(lines, [&](int line) {
                const int last = code_on<axis>(line, edge);
                const int inner = code_on<axis>(line, edge - out);
                const Weight w = weight<axis>(last);
                values[line] = w.near(out) * lambda(last) +
                               far<axis>(last, out, -out, weight<axis>(inner)) * lambda(inner);
                values[lines + line] = far<axis>(last, 2 * out, -out, w) * lambda(last);
            });
        }
    }

    /// What a node two steps to one side hands on to the node that lies some steps along an axis
    /// from node `code`, by the side where it lies.
    template <int axis>
    FERMAT_HD_INLINE Real far(int code, int steps, int side, Weight behind) const {
        return behind.by_place() && behind.near(-side) != 0
                   ? far_by_place<axis>(code, steps, side, behind)
                   : behind.far(-side);
    }
    template <int axis>
    FERMAT_HD_INLINE Real far_by_place(int code, int steps, int side, Weight behind) const {
        int node[3];
        Halo::node_of(code, node);
        node[axis] += steps + 2 * side;
        const Real inverse_r2 = 1 / square_radius(node);
        const Real h = step_[axis];
        const Real x = source_[axis] + static_cast<Real>(node[axis]) * step_[axis];
        const Real toward = static_cast<Real>(side) * h * x * inverse_r2;
        return behind.near(-side) * behind.far_by_near(toward, h * h * inverse_r2);
    }

    /// What a lane knows of a node of its next step before the neighbours' lambda are there.
    struct NextNode {
        int code;          ///< negative if the lane is idle
        unsigned against;  ///< what sweep() returns if it moves
        Real given;
        Real part[Dim][4];  ///< of lambda of the nodes -2, -1, 1, 2 steps along each axis
    };
    /// At which places along each axis (bit n) a node that is made of the one below it, or above
    /// it, hands on to a node swept before it, and the middles of outward axes.
    struct Against {
        unsigned from_low[3];
        unsigned from_high[3];
        unsigned middle[3];

        FERMAT_HD explicit Against(SweepWay way) {
            constexpr unsigned all = length == 32 ? ~0U : (1U << (length % 32)) - 1;
            for (int axis = first_axis; axis < 3; ++axis) {
                const bool outward = way.outward >> axis & 1;
                const bool down = way.down >> axis & 1;
                const unsigned lower = (1U << (length / 2)) - 1;
                middle[axis] = outward ? lower + 1 : 0;
                // A sweep runs against the wave: upward where the wave runs down.
                from_low[axis] = (outward ? lower | middle[axis] : down ? all : 0) & ~1U;
                from_high[axis] = (outward ? ~lower & all : down ? 0 : all) & all >> 1;
            }
        }
    };
    struct Lane {
        NextNode next;
        int after[2];  ///< what the table of steps says of the two steps after the next
    };

    FERMAT_HD_INLINE int entry_of(int step, int begin, int lane) const {
        const int last = step >= begin ? step : begin;
        return problem_.steps[last * TileSteps::lanes + lane];
    }
    FERMAT_HD_INLINE NextNode look_ahead(int entry, int mask, const Against& swept) const {
        const bool idle = entry == TileSteps::idle;
        const int code = idle ? 0 : entry ^ mask;
        NextNode next;
        next.code = idle ? -1 : code;
        next.against = 0;
        next.given = s_.given[code];
        bool by_place = false;
        if constexpr (Dim == 3) by_place |= add_axis<0>(code, swept, next);
        by_place |= add_axis<1>(code, swept, next);
        by_place |= add_axis<2>(code, swept, next);
        if (by_place) {
            if constexpr (Dim == 3) scale_by_place<0>(code, next);
            scale_by_place<1>(code, next);
            scale_by_place<2>(code, next);
        }
        return next;
    }
    /// Returns whether what a node two steps along the axis hands on depends on its place.
    template <int axis>
    FERMAT_HD_INLINE bool add_axis(int code, const Against& swept, NextNode& next) const {
        Real(&part)[4] = next.part[axis - first_axis];
        const Weight low = weight<axis>(code, -2);
        const Weight high = weight<axis>(code, 2);
        part[0] = low.far(1);
        part[1] = weight<axis>(code, -1).near(1);
        part[2] = weight<axis>(code, 1).near(-1);
        part[3] = high.far(-1);
        const int n = Tile::part(code, axis);
        const int side = weight<axis>(code).side();
        const unsigned places = side < 0   ? swept.from_low[axis]
                                : side > 0 ? swept.from_high[axis]
                                           : 0U;
        const unsigned bit = places >> n & 1;
        next.against |= bit << (axis + 3 * (swept.middle[axis] >> n & 1));
        return low.by_place() || high.by_place();
    }
    template <int axis>
    FERMAT_HD_INLINE void scale_by_place(int code, NextNode& next) const {
        Real(&part)[4] = next.part[axis - first_axis];
        part[0] = far<axis>(code, 0, -1, weight<axis>(code, -2));
        part[3] = far<axis>(code, 0, 1, weight<axis>(code, 2));
    }
    template <int axis>
    FERMAT_HD_INLINE Real handed(const NextNode& node, const Real* here) const {
        const Real(&part)[4] = node.part[axis - first_axis];
        constexpr int step = Tile::stride(axis);
        return (part[0] * here[-2 * step] + part[1] * here[-step]) +
               (part[2] * here[step] + part[3] * here[2 * step]);
    }

    /// Returns the axes along which a node that moved hands on to one swept before it: bits 0 to 2,
    /// bits 3 to 5 for nodes in the middle of an outward sweep.
    ///
    /// As in TileVisit, a lane looks ahead to its next node while the present one waits.
    FERMAT_HD unsigned sweep(SweepWay way) {
        int mask = 0;
        for (int axis = first_axis; axis < 3; ++axis) {
            const bool flip = (way.down & ~way.outward) >> axis & 1;
            if (flip) mask |= (length - 1) * Tile::stride(axis);
        }
        const Against swept(way);
        unsigned against = 0;
        const int begin = problem_.step_begin[way.outward];
        const int last = problem_.step_begin[way.outward + 1] - 1;
        typename Block::template Local<Lane> lanes;
        block_.each_lane([&](int lane) {
            lanes[lane].next = look_ahead(entry_of(last, begin, lane), mask, swept);
            for (int n = 0; n < 2; ++n) lanes[lane].after[n] = entry_of(last - 1 - n, begin, lane);
        });
        for (int step = last; step >= begin; --step) {
            block_.each_lane([&](int lane) {
                const NextNode node = lanes[lane].next;
                const bool idle = node.code < 0;
                Real* const here = &lambda(idle ? 0 : node.code);
                Real sum = node.given;
                if constexpr (Dim == 3) sum += handed<0>(node, here);
                sum += handed<1>(node, here);
                sum += handed<2>(node, here);
                const Real old = *here;
                lanes[lane].next = look_ahead(lanes[lane].after[0], mask, swept);
                lanes[lane].after[0] = lanes[lane].after[1];
                lanes[lane].after[1] = entry_of(step - 3, begin, lane);
                if (idle) return;
                *here = sum;
                const Real size = sum < 0 ? -sum : sum;
                const Real change = sum < old ? old - sum : sum - old;
                if (change > tolerance * size) {
                    s_.moved[node.code] = Moved::in_visit;
                    against |= node.against;
                }
            });
        }
        return against;
    }

    Block block_;
    const TileProblem& problem_;
    const BackShot<Real> field_;  ///< a copy: a reference would be read again at every use
    Storage& s_;
    int begin_[3];
    int stride_[3];
    Real source_[3];  ///< coordinates of the tile's first node from the source
    Real step_[3];    ///< difference of coordinates from node to node
    Real far2_;
    std::ptrdiff_t first_;  ///< offset of the tile's first node
    std::size_t own_;       ///< of the tile's first node in [tile][node]
    unsigned tile_;
    bool whole_;  ///< all nodes of the tile are in the grid
};

}  // namespace fermat
