#pragma once

#include <cmath>
#include <cstddef>

#include "eikonal/adjoint/axis_weight.hpp"
#include "eikonal/adjoint/lane_values.hpp"
#include "eikonal/adjoint/node_equation.hpp"
#include "eikonal/fim/tile.hpp"
#include "eikonal/fim/tile_halo.hpp"

namespace fermat {

/// The transposed linearised equations of a field, lambda = b + W^T lambda (back_substitution.hpp),
/// on the tiles of `fim`. Every node gathers from the nodes that are made of it:
///
///     lambda_i = b_i + sum_d sum_k W(i + k e_d, i) lambda(i + k e_d),   k = -2, -1, 1, 2
///
/// in a fixed order, so that its value depends on theirs alone. Nodes are made of earlier ones:
/// sweeps run against the wave, and the latest tiles come first. Nodes outside the tile do not
/// change during a visit: what they hand into it is added to b at its beginning.

/// One field of a batch.
template <class Real>
struct BackShot {
    const Real* tau = nullptr;
    double slowness = 0;                        ///< s0 of the source
    const AxisWeight<Real>* weights = nullptr;  ///< [axis][node]
    const Real* by_slowness = nullptr;          ///< dw/ds of each node (NodeWeight)
    const Real* asked = nullptr;                ///< b: what J asks of each node
    Real* lambda = nullptr;
    float latest = 0;  ///< T/s0 of the latest node
};

/// What a warp keeps of its tile in shared memory. The nodes of a step lie in different banks as
/// their numbers do: padding would save a fortieth of the conflicts.
template <int Dim, class Real>
struct BackStorage {
    Real lambda[tile_nodes<Dim>];
    Real given[tile_nodes<Dim>];  ///< b, and what nodes outside the tile hand on
    AxisWeight<Real> weight[Dim][tile_nodes<Dim>];
    unsigned char moved[tile_nodes<Dim>];  ///< bits of Moved
};

/// One visit of a tile by a warp.
template <int Dim, class Real, class Block>
class BackVisit {
  public:
    using Tile = TileShape<Dim>;
    using Storage = BackStorage<Dim, Real>;
    using Halo = TileHalo<Dim>;
    using Weight = AxisWeight<Real>;
    static constexpr int first_axis = 3 - Dim;
    /// All axes of a tile have the same length.
    static constexpr int length = Tile::size(2);
    static constexpr int lines = tile_nodes<Dim> / length;
    static constexpr int most_sweeps = 32;
    /// Relative change below which lambda counts as unchanged.
    static constexpr Real tolerance = sizeof(Real) == 8 ? Real(1e-15) : Real(1e-6);

    FERMAT_HD BackVisit(Block block, const TileProblem& problem, const TileShot& shot,
                        const BackShot<Real>& field, int tile, Storage& storage)
        : block_(block), problem_(problem), field_(field), s_(storage) {
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
        nodes_ = static_cast<std::ptrdiff_t>(problem.shape[0]) * stride_[0];
    }

    /// tau of the tile's nodes, which says when they are reached.
    using Taus = LaneValues<Block, Real, tile_nodes<Dim>>;

    /// `all_new`: nodes count as moved even where nothing came yet, so that those they are made of
    /// are visited too.
    FERMAT_HD Taus load(bool all_new) {
        const auto copy = [&](const auto* from, auto* to) {
            block_.template copy<tile_nodes<Dim>>(
                [&](int code) { return in_grid(code) ? from + offset(code) : nullptr; },
                [&](int code) { return to + code; });
        };
        copy(static_cast<const Real*>(field_.lambda), s_.lambda);
        copy(field_.asked, s_.given);
        for (int d = 0; d < Dim; ++d) copy(field_.weights + d * nodes_, s_.weight[d]);
        const Taus taus(block_, [&](int code) {
            return in_grid(code) ? field_.tau[offset(code)] : unreached<Real>;
        });
        const Beyond<2> of_runs = look_beyond<2>();
        const Beyond<1> of_lanes = look_beyond<1>();
        block_.for_each(tile_nodes<Dim>,
                        [&](int code) { s_.moved[code] = all_new ? Moved::in_visit : 0; });
        if constexpr (Dim == 3) {
            const Beyond<0> of_outers = look_beyond<0>();
            block_.await();
            take<0>(of_outers);
        } else {
            block_.await();
        }
        take<1>(of_lanes);
        take<2>(of_runs);
        return taus;
    }

    /// The way of the wave through the tile, by the sides from which its nodes are made.
    FERMAT_HD SweepWay way() const {
        unsigned sides = 0;
        block_.for_each(tile_nodes<Dim>, [&](int code) {
            for (int axis = first_axis; axis < 3; ++axis) {
                const int side = weight(code, axis).side();
                const unsigned high = Tile::part(code, axis) >= length / 2 ? 2 : 0;
                if (side != 0) sides |= (side < 0 ? 1U : 2U) << (4 * axis + high);
            }
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

    /// Sweeps against the wave until no node that moved hands on to one swept before it. False if
    /// the limit on sweeps is reached first.
    FERMAT_HD bool solve(SweepWay way) {
        for (int turn = 0; turn < most_sweeps; ++turn) {
            const unsigned against = block_.any_bits(sweep(way));
            if (against == 0) return true;
            // Nodes beside the source's plane draw on each other: the same sweep settles them.
            if (against & all_axes) way = way.after(against & all_axes, turn);
        }
        return false;
    }

    /// For every face (2 * axis + side), how long before the latest node of the field the latest
    /// node is that moved and hands on across it; infinite if there is none.
    FERMAT_HD void keys(const Taus& taus, float (&keys)[6]) const {
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

    /// The least key of the nodes with which the substitution begins: those of which no node is
    /// made (`everywhere`), or those of which J asks something. Needs no load().
    FERMAT_HD float start_key(bool everywhere) const {
        float key = INFINITY;
        block_.for_each(tile_nodes<Dim>, [&](int code) {
            if (!in_grid(code)) return;
            const std::ptrdiff_t node = offset(code);
            if (!everywhere && field_.asked[node] == 0) return;
            const Real tau = field_.tau[node];
            if (!(tau < reached_limit<Real>)) return;
            if (!everywhere || makes_none(code)) key = least(key, before_latest(code, tau));
        });
        return block_.least(key);
    }

    FERMAT_HD void store() {
        block_.for_each(tile_nodes<Dim>, [&](int code) {
            if (in_grid(code)) field_.lambda[offset(code)] = s_.lambda[code];
        });
    }

  private:
    static constexpr unsigned all_axes = 7;

    FERMAT_HD bool in_grid(int code) const {
        return whole_ ||
               problem_.contains(begin_[0] + Tile::part(code, 0), begin_[1] + Tile::part(code, 1),
                                 begin_[2] + Tile::part(code, 2));
    }
    FERMAT_HD std::ptrdiff_t offset(int code) const {
        return first_ + (Tile::part(code, 0) * stride_[0] + Tile::part(code, 1) * stride_[1] +
                         Tile::part(code, 2));
    }
    FERMAT_HD_INLINE Weight weight(int code, int axis) const {
        return s_.weight[axis - first_axis][code];
    }
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
        const Weight w = weight(code, axis);
        const int n = Tile::part(code, axis);
        const int depth = w.second() ? 1 : 0;
        float& low = keys[2 * axis];
        float& high = keys[2 * axis + 1];
        if (w.side() < 0 && n <= depth) low = least(low, key);
        if (w.side() > 0 && length - 1 - n <= depth) high = least(high, key);
    }

    /// The two nodes beyond one end of a line of the tile, and what they hand on along it.
    struct Outer {
        Weight near;
        Weight behind;
        Real lambda_near = 0;
        Real lambda_behind = 0;
    };
    template <int axis>
    using Beyond = LaneValues<Block, Outer, 2 * lines>;

    /// The number of the n-th node on a line along an axis.
    template <int axis>
    FERMAT_HD_INLINE static int code_on(int line, int n) {
        if (axis == 2) return (line << Tile::bits(2)) | n;
        if (axis == 0 || Dim == 2) return line + n * Tile::stride(axis);
        return (line >> Tile::bits(2) << (2 * Tile::bits(2))) | (n << Tile::bits(2)) |
               (line & (length - 1));
    }
    /// Reads beyond both ends of all lines along an axis: first all low ends, then all high ones.
    template <int axis>
    FERMAT_HD Beyond<axis> look_beyond() const {
        return Beyond<axis>(block_, [&](int e) {
            const int out = e < lines ? -1 : 1;
            const int edge = code_on<axis>(e % lines, e < lines ? 0 : length - 1);
            Outer outer;
            if (!in_grid(edge)) return outer;
            const int at = begin_[axis] + Tile::part(edge, axis);
            const auto read = [&](int steps, Weight& w, Real& lambda) {
                const int place = at + steps * out;
                if (place < 0 || place >= problem_.shape[axis]) return;
                const std::ptrdiff_t node = offset(edge) + steps * out * stride_[axis];
                w = field_.weights[(axis - first_axis) * nodes_ + node];
                lambda = field_.lambda[node];
            };
            read(1, outer.near, outer.lambda_near);
            read(2, outer.behind, outer.lambda_behind);
            return outer;
        });
    }
    /// Adds to `given` what the nodes beyond the ends of lines hand into the tile.
    template <int axis>
    FERMAT_HD void take(const Beyond<axis>& beyond) {
        beyond.for_each(block_, [&](int e, const Outer& outer) {
            const int out = e < lines ? -1 : 1;
            const int n = e < lines ? 0 : length - 1;
            const int edge = code_on<axis>(e % lines, n);
            const int inner = code_on<axis>(e % lines, n - out);
            s_.given[edge] += outer.near.near(-out) * outer.lambda_near +
                              far<axis>(edge, out, outer.behind) * outer.lambda_behind;
            s_.given[inner] += far<axis>(inner, out, outer.near) * outer.lambda_near;
        });
    }

    /// What a node two steps to one side hands on to a node, by the side where it lies.
    template <int axis>
    FERMAT_HD_INLINE Real far(int code, int side, Weight behind) const {
        const Real weight = behind.far(-side);
        return behind.plain() && weight != 0 ? plain_far<axis>(code, side, weight) : weight;
    }
    /// Weights of the plain equation are scaled by a ratio of radii, which AxisWeight::far lacks.
    template <int axis>
    FERMAT_HD_RARE Real plain_far(int code, int side, Real weight) const {
        int node[3];
        Halo::node_of(code, node);
        int middle[3] = {node[0], node[1], node[2]};
        middle[axis] += side;
        return weight * root(square_radius(node) / square_radius(middle));
    }

    /// Returns the axes along which a node that moved hands on to one swept before it: bits 0 to 2,
    /// bits 3 to 5 for nodes in the middle of an outward sweep.
    FERMAT_HD unsigned sweep(SweepWay way) {
        int mask = 0;
        for (int axis = first_axis; axis < 3; ++axis) {
            const bool flip = (way.down & ~way.outward) >> axis & 1;
            if (flip) mask |= (length - 1) * Tile::stride(axis);
        }
        unsigned against = 0;
        const int begin = problem_.step_begin[way.outward];
        for (int step = problem_.step_begin[way.outward + 1] - 1; step >= begin; --step) {
            block_.for_each(TileSteps::lanes, [&](int lane) {
                const int entry = problem_.steps[step * TileSteps::lanes + lane];
                if (entry != TileSteps::idle) against |= update(entry ^ mask, way);
            });
        }
        return against;
    }

    /// What the two nodes of the tile on one side of a node hand on to it.
    template <int axis, int side>
    FERMAT_HD_INLINE Real handed(int code) const {
        constexpr int step = side * Tile::stride(axis);
        const int n = Tile::part(code, axis);
        const int room = side < 0 ? n : length - 1 - n;
        Real sum = 0;
        if (room >= 1) sum += weight(code + step, axis).near(-side) * s_.lambda[code + step];
        if (room >= 2) {
            sum +=
                far<axis>(code, side, weight(code + 2 * step, axis)) * s_.lambda[code + 2 * step];
        }
        return sum;
    }

    FERMAT_HD unsigned update(int code, SweepWay way) {
        Real sum = s_.given[code];
        if constexpr (Dim == 3) sum += handed<0, -1>(code) + handed<0, 1>(code);
        sum += handed<1, -1>(code) + handed<1, 1>(code);
        sum += handed<2, -1>(code) + handed<2, 1>(code);
        const Real change = sum - s_.lambda[code];
        s_.lambda[code] = sum;
        const Real size = sum < 0 ? -sum : sum;
        if (!((change < 0 ? -change : change) > tolerance * size)) return 0;
        s_.moved[code] = Moved::in_visit;
        unsigned against = 0;
        for (int axis = first_axis; axis < 3; ++axis) {
            const int n = Tile::part(code, axis);
            const int side = weight(code, axis).side();
            const bool inside = n + side >= 0 && n + side < length;
            const int sense = way.sense<Dim>(axis, n);
            if (side != 0 && inside && side != -sense) against |= (sense ? 1U : 8U) << axis;
        }
        return against;
    }

    /// Whether no node is made of a node. Reads the field, not the tile.
    FERMAT_HD bool makes_none(int code) const {
        for (int axis = first_axis; axis < 3; ++axis) {
            const int at = begin_[axis] + Tile::part(code, axis);
            for (int side = -1; side <= 1; side += 2) {
                for (int steps = 1; steps <= 2; ++steps) {
                    const int place = at + steps * side;
                    if (place < 0 || place >= problem_.shape[axis]) continue;
                    const Weight w = field_.weights[(axis - first_axis) * nodes_ + offset(code) +
                                                    steps * side * stride_[axis]];
                    if (w.side() == -side && (steps == 1 || w.second())) return false;
                }
            }
        }
        return true;
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
    std::ptrdiff_t nodes_;
    bool whole_;  ///< all nodes of the tile are in the grid
};

}  // namespace fermat
