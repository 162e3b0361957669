#pragma once

#include <cmath>
#include <cstddef>

#include "eikonal/adjoint/axis_weight.hpp"
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
/// sweeps run against the wave, and the latest tiles come first.

/// One field of a batch.
template <class Real>
struct BackShot {
    const Real* tau = nullptr;
    double slowness = 0;                        ///< s0 of the source
    const AxisWeight<Real>* weights = nullptr;  ///< [axis][node]
    const Real* asked = nullptr;                ///< b: what J asks of each node
    Real* lambda = nullptr;
    float latest = 0;  ///< T/s0 of the latest node
};

/// What a warp keeps of its tile in shared memory.
template <int Dim, class Real>
struct BackStorage {
    using Tile = TileShape<Dim>;
    using Frame = TileStorage<Dim>;
    static constexpr int halo = Frame::halo;
    /// All axes of a tile have the same length.
    static constexpr int length = Tile::size(2);
    static constexpr int lines = tile_nodes<Dim> / length;
    static constexpr int span = length + 2 * halo;

    Real lambda[Frame::tau_size];
    Real asked[tile_nodes<Dim>];
    AxisWeight<Real> weight[Dim][span * lines];  ///< of the nodes on lines along an axis
    unsigned char moved[tile_nodes<Dim>];        ///< bits of Moved

    /// The number of the line along an axis through a node.
    FERMAT_HD_INLINE static int line(int code, int axis) {
        if (axis == 2) return code >> Tile::bits(2);
        if (axis == 0 || Dim == 2) return code & (Tile::stride(axis) - 1);
        return (code >> (2 * Tile::bits(2)) << Tile::bits(2)) | (code & (Tile::size(2) - 1));
    }
    FERMAT_HD_INLINE static int code_on(int line, int axis, int n) {
        if (axis == 2) return (line << Tile::bits(2)) | n;
        if (axis == 0 || Dim == 2) return line + n * Tile::stride(axis);
        return (line >> Tile::bits(2) << (2 * Tile::bits(2))) | (n << Tile::bits(2)) |
               (line & (Tile::size(2) - 1));
    }
    FERMAT_HD_INLINE static int weight_at(int line, int n) { return (n + halo) * lines + line; }
};

/// One visit of a tile by a warp.
template <int Dim, class Real, class Block>
class BackVisit {
  public:
    using Tile = TileShape<Dim>;
    using Storage = BackStorage<Dim, Real>;
    using Frame = typename Storage::Frame;
    using Halo = TileHalo<Dim>;
    using Weight = AxisWeight<Real>;
    static constexpr int first_axis = 3 - Dim;
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
        stride_[2] = 1;
        stride_[1] = problem.shape[2];
        stride_[0] = stride_[1] * problem.shape[1];
        first_ = static_cast<std::ptrdiff_t>(begin_[0]) * stride_[0] +
                 static_cast<std::ptrdiff_t>(begin_[1]) * stride_[1] + begin_[2];
        nodes_ = static_cast<std::ptrdiff_t>(problem.shape[0]) * stride_[0];
    }

    /// `all_new`: nodes count as moved even where nothing came yet, so that those they are made of
    /// are visited too.
    FERMAT_HD void load(bool all_new) {
        bool clipped = false;
        for (int axis = first_axis; axis < 3; ++axis) {
            constexpr int halo = Storage::halo;
            clipped |= begin_[axis] < halo ||
                       begin_[axis] + Tile::size(axis) + halo > problem_.shape[axis];
        }
        clipped ? load<true>() : load<false>();
        block_.for_each(tile_nodes<Dim>,
                        [&](int code) { s_.moved[code] = all_new ? Moved::in_visit : 0; });
        block_.await();
    }

    /// The way of the wave through the tile, by the sides from which its nodes are made.
    FERMAT_HD SweepWay way() const {
        unsigned sides = 0;
        block_.for_each(tile_nodes<Dim>, [&](int code) {
            for (int axis = first_axis; axis < 3; ++axis) {
                const int n = Tile::part(code, axis);
                const int side = weight(code, axis, n).side();
                const unsigned high = n >= Tile::size(axis) / 2 ? 2 : 0;
                if (side != 0) sides |= (side < 0 ? 1U : 2U) << (4 * axis + high);
            }
        });
        sides = block_.any_bits(sides);
        SweepWay way;
        for (int axis = first_axis; axis < 3; ++axis) {
            const unsigned own = sides >> (4 * axis) & 15;
            const bool down = (own & 5) == 0;
            const bool valley = (own & 2) && (own & 4);
            const Real last = source_[axis] + static_cast<Real>(Tile::size(axis) - 1) * step_[axis];
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

    /// How long before the latest node of the field the latest node is that moved and hands on
    /// across a face; infinite if there is none.
    template <int axis, int side>
    FERMAT_HD float key_through() const {
        const int sense = side ? 1 : -1;
        const int edge = side ? Tile::size(axis) - 1 : 0;
        float key = INFINITY;
        block_.for_each(2 * Storage::lines, [&](int n) {
            const int line = n % Storage::lines;
            const int depth = n / Storage::lines;
            const int code = Storage::code_on(line, axis, edge - sense * depth);
            if (!s_.moved[code]) return;
            const Weight w = weight(code, axis, edge - sense * depth);
            if (w.side() != sense || (depth > 0 && !w.second())) return;
            key = least(key, before_latest(code));
        });
        return block_.least(key);
    }

    /// The least key of the nodes with which the substitution begins: those of which no node is
    /// made (`everywhere`), or those of which J asks something.
    FERMAT_HD float start_key(bool everywhere) const {
        float key = INFINITY;
        block_.for_each(tile_nodes<Dim>, [&](int code) {
            int node[3];
            Halo::node_of(code, node);
            if (!in_grid(node) || !(field_.tau[offset(node)] < reached_limit<Real>)) return;
            if (everywhere ? makes_none(code) : s_.asked[code] != 0) {
                key = least(key, before_latest(code));
            }
        });
        return block_.least(key);
    }

    FERMAT_HD void store() {
        block_.for_each(tile_nodes<Dim>, [&](int code) {
            int node[3];
            Halo::node_of(code, node);
            if (in_grid(node)) {
                field_.lambda[offset(node)] = s_.lambda[Frame::at(node[0], node[1], node[2])];
            }
        });
    }

  private:
    static constexpr unsigned all_axes = 7;

    FERMAT_HD bool in_grid(const int (&node)[3]) const {
        return problem_.contains(begin_[0] + node[0], begin_[1] + node[1], begin_[2] + node[2]);
    }
    FERMAT_HD std::ptrdiff_t offset(const int (&node)[3]) const {
        return first_ + (node[0] * stride_[0] + node[1] * stride_[1] + node[2]);
    }
    FERMAT_HD_INLINE Weight weight(int code, int axis, int n) const {
        return s_.weight[axis - first_axis][Storage::weight_at(Storage::line(code, axis), n)];
    }
    FERMAT_HD Real square_radius(const int (&node)[3]) const {
        Real r2 = far2_;
        for (int axis = first_axis; axis < 3; ++axis) {
            const Real x = source_[axis] + static_cast<Real>(node[axis]) * step_[axis];
            r2 += x * x;
        }
        return r2;
    }
    FERMAT_HD float before_latest(int code) const {
        int node[3];
        Halo::node_of(code, node);
        const float before = field_.latest - static_cast<float>(field_.tau[offset(node)]) *
                                                 std::sqrt(static_cast<float>(square_radius(node)));
        return before > 0 ? before : 0;
    }

    template <bool Clipped>
    FERMAT_HD void load() {
        const auto from = [&](const auto* values, const int(&node)[3]) {
            return Clipped && !in_grid(node) ? nullptr : values + offset(node);
        };
        block_.template copy<Halo::loaded>(
            [&](int n) {
                int node[3];
                Halo::loaded_node(n, node);
                return from(static_cast<const Real*>(field_.lambda), node);
            },
            [&](int n) {
                int node[3];
                Halo::loaded_node(n, node);
                return s_.lambda + Frame::at(node[0], node[1], node[2]);
            });
        block_.template copy<tile_nodes<Dim>>(
            [&](int code) {
                int node[3];
                Halo::node_of(code, node);
                return from(field_.asked, node);
            },
            [&](int code) { return s_.asked + code; });
        load_weights<2>(from);
        load_weights<1>(from);
        if constexpr (Dim == 3) load_weights<0>(from);
    }

    template <int axis, class From>
    FERMAT_HD void load_weights(From from) {
        constexpr int d = axis - first_axis;
        // Lanes run along memory.
        const auto line_of = [](int e) {
            return axis == 2 ? e / Storage::span : e % Storage::lines;
        };
        const auto place_of = [](int e) {
            return (axis == 2 ? e % Storage::span : e / Storage::lines) - Storage::halo;
        };
        block_.template copy<Storage::span * Storage::lines>(
            [&](int e) {
                int node[3];
                Halo::node_of(Storage::code_on(line_of(e), axis, 0), node);
                node[axis] = place_of(e);
                return from(field_.weights + d * nodes_, node);
            },
            [&](int e) { return s_.weight[d] + Storage::weight_at(line_of(e), place_of(e)); });
    }

    /// Returns the axes along which a node that moved hands on to one swept before it: bits 0 to 2,
    /// bits 3 to 5 for nodes in the middle of an outward sweep.
    FERMAT_HD unsigned sweep(SweepWay way) {
        int mask = 0;
        for (int axis = first_axis; axis < 3; ++axis) {
            const bool flip = (way.down & ~way.outward) >> axis & 1;
            if (flip) mask |= (Tile::size(axis) - 1) * Tile::stride(axis);
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

    FERMAT_HD unsigned update(int code, SweepWay way) {
        int node[3];
        Halo::node_of(code, node);
        Real* const here = s_.lambda + Frame::at(node[0], node[1], node[2]);
        Real sum = s_.asked[code];
        bool plain = false;
        const auto add = [&]<int axis, int side>() {
            constexpr int step = side * Frame::pitch(axis);
            const Weight next = weight(code, axis, node[axis] + side);
            const Weight behind = weight(code, axis, node[axis] + 2 * side);
            sum += next.near(-side) * here[step];
            sum += behind.far(-side) * here[2 * step];
            plain |= behind.plain();
        };
        if constexpr (Dim == 3) {
            add.template operator()<0, -1>();
            add.template operator()<0, 1>();
        }
        add.template operator()<1, -1>();
        add.template operator()<1, 1>();
        add.template operator()<2, -1>();
        add.template operator()<2, 1>();
        if (plain) sum += missing(code, node, here);
        const Real change = sum - *here;
        *here = sum;
        const Real size = sum < 0 ? -sum : sum;
        if (!((change < 0 ? -change : change) > tolerance * size)) return 0;
        s_.moved[code] = Moved::in_visit;
        unsigned against = 0;
        for (int axis = first_axis; axis < 3; ++axis) {
            const int n = node[axis];
            const int side = weight(code, axis, n).side();
            const bool inside = n + side >= 0 && n + side < Tile::size(axis);
            const int sense = way.sense<Dim>(axis, n);
            if (side != 0 && inside && side != -sense) against |= (sense ? 1U : 8U) << axis;
        }
        return against;
    }

    /// What `far` lacks where the plain equation decides: its weights are scaled by a ratio of
    /// radii.
    FERMAT_HD_RARE Real missing(int code, const int (&node)[3], const Real* here) const {
        Real sum = 0;
        for (int axis = first_axis; axis < 3; ++axis) {
            for (int side = -1; side <= 1; side += 2) {
                const Weight behind = weight(code, axis, node[axis] + 2 * side);
                if (!behind.plain()) continue;
                int middle[3] = {node[0], node[1], node[2]};
                middle[axis] += side;
                const Real ratio = root(square_radius(node) / square_radius(middle));
                sum += (ratio - 1) * behind.far(-side) * here[2 * side * Frame::pitch(axis)];
            }
        }
        return sum;
    }

    FERMAT_HD bool makes_none(int code) const {
        for (int axis = first_axis; axis < 3; ++axis) {
            const int n = Tile::part(code, axis);
            for (int side = -1; side <= 1; side += 2) {
                if (weight(code, axis, n + side).side() == -side) return false;
                const Weight behind = weight(code, axis, n + 2 * side);
                if (behind.second() && behind.side() == -side) return false;
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
};

}  // namespace fermat
