#include "eikonal/metric/ellipse_march.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/mat3.hpp"
#include "eikonal/metric/ellipse_side.hpp"
#include "model/cell_medium.hpp"

namespace fermat {
namespace {

/// A node of a section, by column and row.
struct Place2 {
    int x = 0;
    int z = 0;
};

class EllipseMarch {
  public:
    EllipseMarch(const Model& model, const MetricFactor& factor)
        : factor_(factor),
          shape_(model.grid().shape),
          places_(shape_.count()),
          slow_(shape_.count()),
          t0_(shape_.count()),
          time_(shape_.count(), INFINITY),
          given_(shape_.count(), 0),
          pending_(shape_.count(), 0) {
        take_nodes(model);
        start(model);
    }

    /// Sweeps in each direction until no time falls. A fast way through a side may be earlier than
    /// both nodes of the side, so nodes in the order of their times would be computed far more
    /// often.
    void fall(Monitor& monitor) {
        bool changed = true;
        while (changed) {
            changed = false;
            for (int direction = 0; direction < 4; ++direction) {
                monitor.check();
                changed |= sweep(direction % 2 == 0, direction / 2 == 0);
            }
        }
    }

    /// Computes all nodes again, in the order of their times, with curved values.
    void curve(Monitor& monitor) {
        constexpr int rounds = 3;
        std::vector<std::size_t> order;
        for (std::size_t n = 0; n < time_.size(); ++n) {
            if (time_[n] < INFINITY && !given_[n]) order.push_back(n);
        }
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return time_[a] < time_[b]; });
        for (int round = 0; round < rounds; ++round) {
            monitor.check();
            for (const std::size_t n : order) {
                const double time = earliest_at(node_at(n), Values::curved);
                if (time < INFINITY) time_[n] = time;
            }
        }
    }

    void copy_to(FieldView<float> tau) const {
        for (std::size_t n = 0; n < time_.size(); ++n) {
            tau[n] = static_cast<float>(t0_[n] > 0 ? time_[n] / t0_[n] : 1);
        }
    }

  private:
    enum class Values { straight, curved };  ///< along sides

    std::size_t offset(Place2 n) const { return shape_.offset(n.x, 0, n.z); }
    Place2 node_at(std::size_t n) const {
        const auto rows = static_cast<std::size_t>(shape_.z);
        return {static_cast<int>(n / rows), static_cast<int>(n % rows)};
    }
    bool contains(Place2 n) const {
        return n.x >= 0 && n.z >= 0 && n.x < shape_.x && n.z < shape_.z;
    }
    bool is_rock(std::size_t n) const { return slow_[n].xx < INFINITY; }

    void take_nodes(const Model& model) {
        std::vector<MappedPoint> line(static_cast<std::size_t>(shape_.z));
        for (int i = 0; i < shape_.x; ++i) {
            model.mapping().line(model.grid(), i, 0, line);
            for (int k = 0; k < shape_.z; ++k) {
                const std::size_t n = shape_.offset(i, 0, k);
                places_[n] = line[static_cast<std::size_t>(k)].place;
                t0_[n] = factor_.time(places_[n]);
                const double v = model.velocity()(i, 0, k);
                const Mat3 inverse_a = inverse(model.metric()->tensor(n));
                const double s2 = v > 0 ? 1 / (v * v) : INFINITY;
                slow_[n] = {s2 * inverse_a(0, 0), v > 0 ? s2 * inverse_a(0, 2) : 0,
                            s2 * inverse_a(2, 2)};
            }
        }
    }
    /// Gives the corners of the cells that the source touches their times along straight lines.
    void start(const Model& model) {
        const Vec3 source = factor_.position();
        for_each_touched_cell(model.grid(), source, [&](Index3 cell) {
            for (int corner = 0; corner < 4; ++corner) {
                const Index3 node{cell.x + corner % 2, 0, cell.z + corner / 2};
                if (!contains({node.x, node.z})) continue;
                const std::size_t n = shape_.offset(node);
                if (!is_rock(n) || given_[n]) continue;
                const double time = straight_time(model, source, model.grid().position(node));
                if (!std::isfinite(time)) continue;
                time_[n] = time;
                given_[n] = 1;
                wake_round({node.x, node.z});
            }
        });
    }

    /// Marks the nodes round one that has become earlier.
    void wake_round(Place2 n) {
        for (int x = std::max(n.x - 1, 0); x <= std::min(n.x + 1, shape_.x - 1); ++x) {
            for (int z = std::max(n.z - 1, 0); z <= std::min(n.z + 1, shape_.z - 1); ++z) {
                const std::size_t other = offset({x, z});
                pending_[other] = !given_[other] && is_rock(other);
            }
        }
    }
    bool sweep(bool right, bool down) {
        bool changed = false;
        for (int i = 0; i < shape_.x; ++i) {
            for (int k = 0; k < shape_.z; ++k) {
                const Place2 node{right ? i : shape_.x - 1 - i, down ? k : shape_.z - 1 - k};
                const std::size_t n = offset(node);
                if (!pending_[n]) continue;
                pending_[n] = 0;
                const double time = earliest_at(node, Values::straight);
                constexpr double least_gain = 1e-8;
                if (!(time < (1 - least_gain) * time_[n])) continue;
                time_[n] = time;
                wake_round(node);
                pending_[n] = 0;
                changed = true;
            }
        }
        return changed;
    }

    /// The earliest time of a node over the sides round it.
    double earliest_at(Place2 node, Values values) const {
        double earliest = INFINITY;
        for (int right = -1; right <= 1; right += 2) {
            for (int down = -1; down <= 1; down += 2) {
                const Place2 corner{node.x + right, node.z + down};
                if (!contains(corner)) continue;
                const Place2 beside{node.x + right, node.z};
                const Place2 below{node.x, node.z + down};
                earliest = std::min(earliest, through(node, beside, corner, values));
                earliest = std::min(earliest, through(node, below, corner, values));
            }
        }
        return earliest;
    }
    /// The earliest time of a node through the side between two nodes of a cell of it.
    double through(Place2 node, Place2 first, Place2 second, Values values) const {
        const std::size_t p = offset(node);
        const std::size_t a = offset(first);
        const std::size_t b = offset(second);
        if (!(time_[a] < INFINITY) || !(time_[b] < INFINITY)) {
            const std::size_t known = time_[a] < INFINITY ? a : b;
            return time_[known] < INFINITY ? time_[known] + leg(known, p) : INFINITY;
        }
        EllipseSide side;
        side.first = places_[a];
        side.edge = places_[b] - places_[a];
        side.slow[0] = slow_[a];
        side.slow[1] = slow_[b];
        side.factored = straight(a) && straight(b);
        side.value[0] = value_at(a, side.factored);
        side.value[1] = value_at(b, side.factored);
        const bool curved = values == Values::curved;
        if (curved) side.bend = bend_of(first, second, side);
        const double enough = curved ? 1e-10 : 1e-9;
        return earliest_through(side, factor_, places_[p], slow_[p], enough);
    }
    double leg(std::size_t from, std::size_t to) const {
        const Vec3 d = places_[to] - places_[from];
        return std::sqrt((0.5 * (slow_[from] + slow_[to])).product(d, d));
    }
    /// Whether the wave of a node comes more or less straight from the source. Behind obstacles it
    /// does not, and T0 harms (update_tau of stencil.hpp).
    bool straight(std::size_t n) const {
        constexpr double late = 4;
        const Vec3 d = places_[n] - factor_.place();
        return t0_[n] > 0 && time_[n] < late * std::sqrt(slow_[n].product(d, d));
    }
    double value_at(std::size_t n, bool factored) const {
        return factored ? time_[n] / t0_[n] : time_[n];
    }

    /// The second difference of the value along a side, on the end where it is smaller: the other
    /// may lie across a kink.
    double bend_of(Place2 first, Place2 second, const EllipseSide& side) const {
        const Place2 step{second.x - first.x, second.z - first.z};
        const double rise = side.value[1] - side.value[0];
        const auto beyond = [&](Place2 end, int sign, double value, double slope, double& bend) {
            const Place2 next{end.x + sign * step.x, end.z + sign * step.z};
            if (!contains(next)) return false;
            const std::size_t n = offset(next);
            if (!(time_[n] < INFINITY) || (side.factored && !(t0_[n] > 0))) return false;
            const double ratio =
                distance(places_[n], places_[offset(end)]) / std::sqrt(dot(side.edge, side.edge));
            // Points at -ratio, 0 and 1, or 0, 1 and 1 + ratio.
            bend = 2 * ((value_at(n, side.factored) - value) / ratio + slope) / (1 + ratio);
            return true;
        };
        double low = 0;
        double high = 0;
        const bool has_low = beyond(first, -1, side.value[0], rise, low);
        const bool has_high = beyond(second, 1, side.value[1], -rise, high);
        double bend = 0;
        if (has_low && has_high) {
            if (low * high > 0) bend = std::abs(low) < std::abs(high) ? low : high;
        } else if (has_low || has_high) {
            bend = has_low ? low : high;
        }
        const double most = 0.5 * std::abs(rise) + (side.factored ? 0.02 * side.value[0] : 0);
        return std::clamp(bend, -most, most);
    }

    const MetricFactor& factor_;
    Shape shape_;
    std::vector<Vec3> places_;
    std::vector<SectionSlowness> slow_;
    std::vector<double> t0_;
    std::vector<double> time_;
    std::vector<std::uint8_t> given_;    ///< times beside the source
    std::vector<std::uint8_t> pending_;  ///< nodes round one that has become earlier
};

}  // namespace

void march_through_ellipses(const Model& model, const MetricFactor& factor, int order,
                            FieldView<float> tau, Monitor& monitor) {
    EllipseMarch nodes(model, factor);
    nodes.fall(monitor);
    if (order == 2) nodes.curve(monitor);
    nodes.copy_to(tau);
}

bool can_march_through_ellipses(const Model& model) {
    const Coordinates system = model.coordinates().system;
    return model.grid().is_2d() && model.metric() != nullptr && !model.metric()->isotropic() &&
           !model.has_thomsen() && model.coordinates().jumps.empty() &&
           (system == Coordinates::cartesian || system == Coordinates::graded);
}

/// By tr(M) tr(M^-1), which is R^2 + 2 + 1/R^2 of an ellipse of ratio R and does not depend on
/// axes.
bool has_long_tilted_ellipses(const Model& model) {
    constexpr double most = 12;
    constexpr double tilted = 1e-4;
    const Grid& grid = model.grid();
    std::vector<MappedPoint> line(static_cast<std::size_t>(grid.shape.z));
    std::vector<MappedPoint> next(line.size());
    for (int i = 0; i + 1 < grid.shape.x; ++i) {
        model.mapping().line(grid, i, 0, line);
        model.mapping().line(grid, i + 1, 0, next);
        for (std::size_t k = 0; k + 1 < line.size(); ++k) {
            const Mat3 a = model.metric()->tensor(grid.shape.offset(i, 0, static_cast<int>(k)));
            const double hx = next[k].place.x - line[k].place.x;
            const double hz = line[k + 1].place.z - line[k].place.z;
            const double xx = a(0, 0) / (hx * hx);
            const double zz = a(2, 2) / (hz * hz);
            const double xz = a(0, 2) / (hx * hz);
            if (xz * xz < tilted * xx * zz) continue;
            if ((xx + zz) * (xx + zz) > most * (xx * zz - xz * xz)) return true;
        }
    }
    return false;
}

}  // namespace fermat
