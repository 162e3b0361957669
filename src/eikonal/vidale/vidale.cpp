#include "eikonal/vidale/vidale.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

#include "eikonal/vidale/arrival_order.hpp"
#include "eikonal/vidale/grid.hpp"
#include "eikonal/vidale/source.hpp"
#include "eikonal/vidale/stencils.hpp"

namespace fermat {
namespace vidale {
namespace {

/// Half the width of the box round the source in which times start as those of straight rays: the
/// first number in widest spacings, but at most the second number of nodes along any axis.
constexpr double source_radius = 5;
constexpr double source_radius_limit = 25;
/// A node is examined again if a neighbour turns out to be earlier than it by the first fraction of
/// the time across a cell. Its time changes only if it gains the second fraction (Hole & Zelt's
/// test).
constexpr double worth_a_look = 0.05;
constexpr double worth_a_change = 1e-3;
/// The number of second looks per node of the grid is limited, so the solve always ends.
constexpr std::size_t looks_per_node = 64;
constexpr std::size_t looks_between_checks = 1 << 16;

/// One of the sides on which the box grows: the layer `index` normal to `axis`.
struct Side {
    int axis = 0;
    int direction = 0;
    int index = 0;
};

template <class Real, int D>
class ExpandingBox {
  public:
    ExpandingBox(const Model& model, Vec3 source, Monitor& monitor)
        : model_(model),
          source_(model.grid().clamp(source)),
          monitor_(monitor),
          grid_(model, slowness_at(model, source_)),
          stale_(grid_.padded_count(), 1) {
        looks_left_ = looks_per_node * model.grid().node_count();
    }

    Field<Real> fill() {
        start_at_source();
        for (Side side; next_side(side);) {
            monitor_.check();
            time_layer(side);
        }
        asked_ = std::move(reverse_);
        propagate([](Offset) { return true; });
        return grid_.take_times();
    }

  private:
    /// A node to be timed again, and the time of the neighbour that asked for it.
    using Look = std::pair<Real, Offset>;
    using Looks = std::priority_queue<Look, std::vector<Look>, std::greater<>>;
    /// The axes of the grid: x, y, z or x, z.
    static constexpr int axis_of(int number) { return D == 2 ? 2 * number : number; }

    void start_at_source();
    bool next_side(Side& side) const;
    void time_layer(const Side& side);
    Real earliest(Offset n, Real best) const;
    void set_time(Offset n, Real time);
    void mark_stale(Offset n);
    template <class Allowed>
    void propagate(Allowed allowed);
    template <class Allowed>
    void ask_neighbours(Offset n, Allowed allowed);

    const Model& model_;
    Vec3 source_;
    Monitor& monitor_;
    TimingGrid<Real> grid_;
    NodeBox box_;
    ArrivalOrder<Real> sorter_;
    std::vector<Look> order_;
    std::vector<Look> asked_;    ///< second looks that the next propagation takes
    std::vector<Look> listed_;   ///< those that it has taken
    std::vector<Look> reverse_;  ///< second looks that wait until the expansion is done
    /// Nodes that were not timed since a time changed that their operators read. Of the others a
    /// look would find the time that they have.
    std::vector<std::uint8_t> stale_;
    std::size_t looks_left_;
};

/// Starts with straight rays, then accepts earlier times, which occur if the medium is not smooth
/// there.
template <class Real, int D>
void ExpandingBox<Real, D>::start_at_source() {
    const Vec3 h = model_.grid().spacing;
    const double widest = model_.grid().is_2d() ? std::max(h.x, h.z) : std::max({h.x, h.y, h.z});
    const auto nodes = [&](double spacing) {
        return std::min(source_radius * widest / spacing, source_radius_limit);
    };
    box_ = nodes_round(model_.grid(), source_, {nodes(h.x), nodes(h.y), nodes(h.z)});
    for (int i = box_.low.x; i <= box_.high.x; ++i) {
        for (int j = box_.low.y; j <= box_.high.y; ++j) {
            for (int k = box_.low.z; k <= box_.high.z; ++k) {
                const Offset n = grid_.offset({i, j, k});
                const double time = straight_time(model_, source_, Index3{i, j, k});
                grid_.time(n) = static_cast<Real>(time / grid_.unit());
                asked_.push_back({Real(0), n});
            }
        }
    }
    propagate([](Offset) { return true; });
}

/// The nearest layer next to the box. With equal spacing this takes the sides in turn.
template <class Real, int D>
bool ExpandingBox<Real, D>::next_side(Side& side) const {
    const Grid& grid = model_.grid();
    double nearest = std::numeric_limits<double>::infinity();
    for (int number = 0; number < D; ++number) {
        const int axis = axis_of(number);
        for (const int direction : {-1, 1}) {
            const int index = direction < 0 ? box_.low[axis] - 1 : box_.high[axis] + 1;
            if (index < 0 || index >= grid.shape[axis]) continue;
            const double at = grid.coordinate(axis, index);
            const double distance = direction * (at - source_[axis]);
            if (distance < nearest) {
                nearest = distance;
                side = {axis, direction, index};
            }
        }
    }
    return nearest < std::numeric_limits<double>::infinity();
}

/// Times the nodes of a new layer in the order in which the wave came to their inner neighbours.
template <class Real, int D>
void ExpandingBox<Real, D>::time_layer(const Side& side) {
    const Offset inward = -side.direction * grid_.stride(side.axis);
    NodeBox layer = box_;
    layer.low[side.axis] = layer.high[side.axis] = side.index;
    order_.clear();
    for (int i = layer.low.x; i <= layer.high.x; ++i) {
        for (int j = layer.low.y; j <= layer.high.y; ++j) {
            for (int k = layer.low.z; k <= layer.high.z; ++k) {
                const Offset n = grid_.offset({i, j, k});
                grid_.time(n) = no_arrival<Real>;
                order_.push_back({grid_.time(n + inward), n});
            }
        }
    }
    sorter_.sort(order_);
    (side.direction < 0 ? box_.low : box_.high)[side.axis] = side.index;

    const auto in_layer = [inward](Offset step) { return step != inward; };
    for (const auto& [inner_time, n] : order_) {
        stale_[static_cast<std::size_t>(n)] = 0;
        const Real t = earliest(n, no_arrival<Real>);
        if (!(t < no_arrival<Real>)) continue;
        set_time(n, t);
        ask_neighbours(n, in_layer);
    }
    propagate(in_layer);
}

/// The smallest of `best` and all operators: along edges, across faces, through cells. An operator
/// uses a corner only if the wave was there before. Nodes that the box has not reached are NaN and
/// fail that comparison.
template <class Real, int D>
Real ExpandingBox<Real, D>::earliest(Offset n, Real best) const {
    struct Neighbour {
        Offset step;
        Real time;
    };
    Neighbour beside[D][2];
    Real weight[D];
    for (int a = 0; a < D; ++a) {
        const Offset stride = grid_.stride(axis_of(a));
        beside[a][0] = {-stride, grid_.time(n - stride)};
        beside[a][1] = {stride, grid_.time(n + stride)};
        weight[a] = grid_.weight(axis_of(a));
    }

    for (int a = 0; a < D; ++a) {
        for (const auto& [sa, ta] : beside[a]) {
            if (!(ta < best)) continue;
            const Real h = grid_.spacing(axis_of(a));
            best = std::min(best, edge_time(ta, h, grid_.edge_slowness(n, sa)));
        }
    }
    for (int a = 0; a < D; ++a) {
        for (int b = a + 1; b < D; ++b) {
            for (const auto& [sa, ta] : beside[a]) {
                for (const auto& [sb, tb] : beside[b]) {
                    if (!(ta < best && tb < best)) continue;
                    const Real s = grid_.face_slowness(n, sa, sb);
                    best = std::min(best, face_time(grid_.time(n + sa + sb), tb, ta, s * s,
                                                    weight[a], weight[b]));
                }
            }
        }
    }
    if constexpr (D == 3) {
        for (const auto& [sa, ta] : beside[0]) {
            for (const auto& [sb, tb] : beside[1]) {
                for (const auto& [sc, tc] : beside[2]) {
                    if (!(ta < best && tb < best && tc < best)) continue;
                    const CellTimes<Real> t{grid_.time(n + sa + sb + sc),
                                            grid_.time(n + sb + sc),
                                            grid_.time(n + sa + sc),
                                            grid_.time(n + sa + sb),
                                            ta,
                                            tb,
                                            tc};
                    const Real s = grid_.cell_slowness(n, sa, sb, sc);
                    best = std::min(best, cell_time(t, s * s, weight[0], weight[1], weight[2]));
                }
            }
        }
    }
    return best;
}

template <class Real, int D>
void ExpandingBox<Real, D>::set_time(Offset n, Real time) {
    grid_.time(n) = time;
    mark_stale(n);
}

/// Marks the nodes m whose operators the new time of n may change. An operator reads n beside m
/// only if n is before m, and across a face or cell only if the neighbours of m towards n are all
/// before m; the far corner of a cell must be before m too, as the time through the cell is later
/// than it.
template <class Real, int D>
void ExpandingBox<Real, D>::mark_stale(Offset n) {
    const Real t = grid_.time(n);
    const auto mark = [&](Offset m) { stale_[static_cast<std::size_t>(m)] = 1; };
    Offset step[D];
    Real beside[D][2];
    for (int a = 0; a < D; ++a) {
        step[a] = grid_.stride(axis_of(a));
        for (const int side : {0, 1}) {
            const Offset m = n + (2 * side - 1) * step[a];
            beside[a][side] = grid_.time(m);
            if (beside[a][side] > t) mark(m);
        }
    }
    for (int a = 0; a < D; ++a) {
        for (int b = a + 1; b < D; ++b) {
            for (const int p : {0, 1}) {
                for (const int q : {0, 1}) {
                    const Offset m = n + (2 * p - 1) * step[a] + (2 * q - 1) * step[b];
                    const Real time = grid_.time(m);
                    if (beside[a][p] < time && beside[b][q] < time) mark(m);
                }
            }
        }
    }
    if constexpr (D == 3) {
        for (const int p : {0, 1}) {
            for (const int q : {0, 1}) {
                for (const int r : {0, 1}) {
                    const Offset x = (2 * p - 1) * step[0];
                    const Offset y = (2 * q - 1) * step[1];
                    const Offset z = (2 * r - 1) * step[2];
                    const Real time = grid_.time(n + x + y + z);
                    if (t < time && grid_.time(n + x + y) < time && grid_.time(n + x + z) < time &&
                        grid_.time(n + y + z) < time) {
                        mark(n + x + y + z);
                    }
                }
            }
        }
    }
}

/// Requests a second look at those neighbours of a newly timed node that the wave reached later or
/// not at all: at once where `allowed`, elsewhere after the expansion.
template <class Real, int D>
template <class Allowed>
void ExpandingBox<Real, D>::ask_neighbours(Offset n, Allowed allowed) {
    const Real t = grid_.time(n);
    for (int number = 0; number < D; ++number) {
        const Offset stride = grid_.stride(axis_of(number));
        for (const Offset step : {-stride, stride}) {
            const Offset m = n + step;
            if (!(grid_.time(m) > t + static_cast<Real>(worth_a_look) * grid_.slowness(m))) {
                continue;
            }
            if (allowed(step)) {
                asked_.push_back({t, m});
            } else {
                reverse_.push_back({t, m});
            }
        }
    }
}

/// Times nodes again, in the order in which the wave reaches them, until none becomes earlier. In a
/// new layer this corrects errors due to the order of the layer behind. After the expansion it is
/// reverse propagation, for waves that return into the box. Hole & Zelt run the expansion backwards
/// from the side where such a wave was found, and repeat. This code follows the wave itself and
/// touches only nodes that it reaches first.
template <class Real, int D>
template <class Allowed>
void ExpandingBox<Real, D>::propagate(Allowed allowed) {
    const auto is_stale = [&](const Look& look) {
        return stale_[static_cast<std::size_t>(look.second)] != 0;
    };
    // Looks before the first one at a stale node find nothing. Where the medium is smooth no node
    // of a layer is stale.
    Look first{std::numeric_limits<Real>::infinity(), std::numeric_limits<Offset>::max()};
    for (const Look& look : asked_) {
        if (is_stale(look)) first = std::min(first, look);
    }
    std::erase_if(asked_, [&](const Look& look) { return look < first; });
    sorter_.sort(asked_);
    std::swap(asked_, listed_);
    asked_.clear();
    // The list is sorted once; looks that come up on the way are few, and wait in a heap.
    Looks later;
    std::size_t next = 0;
    while ((next < listed_.size() || !later.empty()) && looks_left_ > 0) {
        const bool from_list =
            next < listed_.size() && (later.empty() || !(later.top() < listed_[next]));
        const Look look = from_list ? listed_[next++] : later.top();
        if (!from_list) later.pop();
        const auto [asked, n] = look;
        if (!(grid_.time(n) > asked) || !is_stale(look)) continue;
        if (--looks_left_ % looks_between_checks == 0) monitor_.check();
        stale_[static_cast<std::size_t>(n)] = 0;
        const Real t = earliest(n, grid_.time(n));
        if (t < grid_.time(n) - static_cast<Real>(worth_a_change) * grid_.slowness(n)) {
            set_time(n, t);
            ask_neighbours(n, allowed);
            for (const Look& found : asked_) later.push(found);
            asked_.clear();
        }
    }
    listed_.clear();
}

}  // namespace
}  // namespace vidale

template <class Real>
Field<Real> vidale_times(const Model& model, Vec3 source, Monitor& monitor) {
    return model.grid().is_2d() ? vidale::ExpandingBox<Real, 2>(model, source, monitor).fill()
                                : vidale::ExpandingBox<Real, 3>(model, source, monitor).fill();
}

template Field<float> vidale_times(const Model&, Vec3, Monitor&);
template Field<double> vidale_times(const Model&, Vec3, Monitor&);

}  // namespace fermat
