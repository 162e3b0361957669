#include "eikonal/metric/ground_march.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "eikonal/metric/ground_face.hpp"
#include "eikonal/metric/ground_waves.hpp"

namespace fermat {
namespace {

template <int Dim>
class GroundMarch : GroundWaves<Dim> {
    using Base = GroundWaves<Dim>;
    using Base::all_axes;
    using Base::at_source;
    using Base::axis_of;
    using Base::centre;
    using Base::centre_;
    using Base::centre_behind;
    using Base::corner_;
    using Base::corner_node;
    using Base::far_side;
    using Base::for_each_cell_of;
    using Base::is_rock;
    using Base::mean_slowness;
    using Base::node_at;
    using Base::places_;
    using Base::ray_;
    using Base::shape_;
    using Base::side_of;
    using Base::slowness_;
    using Base::source_;
    using Base::spread;
    using Base::time_;
    using Base::value_at;
    using Base::value_beyond;
    using typename Base::Centre;
    using typename Base::Corner;

  public:
    GroundMarch(const Model& model, const MetricFactor& factor)
        : Base(model, factor.place()), given_(shape_.count(), 0), way_(shape_.count(), -1) {
        start(model, factor.position());
    }

    void fall(Monitor& monitor) {
        std::uint32_t turn = 0;
        while (!queue_.empty()) {
            constexpr std::uint32_t turns_between_checks = 1 << 10;
            if (++turn % turns_between_checks == 0) monitor.check();
            const Item first = queue_.top();
            queue_.pop();
            if (first.first > time_[first.second]) continue;
            pass_on(node_at(first.second));
        }
    }

    /// Computes all nodes once more, in the order of their times, with curved values.
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
            for (const std::size_t n : order) compute(n);
        }
    }

    void copy_to(const MetricFactor& factor, FieldView<float> tau) const {
        for (std::size_t n = 0; n < time_.size(); ++n) {
            const double t0 = factor.time(places_[n]);
            tau[n] = static_cast<float>(t0 > 0 ? time_[n] / t0 : 1);
        }
    }

  private:
    using Item = std::pair<double, std::size_t>;

    /// A way to a node.
    struct Arrival {
        double time = INFINITY;
        std::int64_t centre = at_source;
        Vec3 from;  ///< the place on the face
        std::int64_t way = -1;
    };
    std::int64_t way_through(Index3 cell, int axis) const {
        return 3 * static_cast<std::int64_t>(shape_.offset(cell)) + axis;
    }

    /// Gives the corners of the cells that the source touches their times along straight lines.
    void start(const Model& model, Vec3 source) {
        for_each_touched_cell(model.grid(), source, [&](Index3 cell) {
            for (Corner corner = 0; corner < 8; ++corner) {
                if (corner & ~all_axes) continue;
                const Index3 node = corner_node(cell, corner);
                const std::size_t n = shape_.offset(node);
                if (!is_rock(n) || given_[n]) continue;
                const double time = straight_time(model, source, model.grid().position(node));
                if (!std::isfinite(time)) continue;
                time_[n] = time;
                ray_[n] = places_[n] - source_.place;
                given_[n] = 1;
                queue_.push({time, n});
            }
        });
    }

    void pass_on(Index3 node) {
        const double time = time_[shape_.offset(node)];
        for_each_cell_of(node, [&](Index3 cell, Corner from) {
            for (Corner to = 0; to < 8; ++to) {
                if (to & ~all_axes || to == from) continue;
                const std::size_t n = shape_.offset(corner_node(cell, to));
                if (given_[n] || !is_rock(n)) continue;
                Arrival best;
                if (time < time_[n]) best = from_corner(cell, from, to);
                for (int axis = 0; axis < 3; ++axis) {
                    if (!((from ^ to) >> axis & 1U)) continue;
                    // Where cells lean, one end of a face may be later than the node.
                    if (!(earliest_on(cell, axis, to) < time_[n])) continue;
                    keep_earlier(best, through_face(cell, axis, to, Curve::none));
                }
                constexpr double least_gain = 1e-5;
                if (!(best.time < (1 - least_gain) * time_[n])) continue;
                set(n, best);
                queue_.push({best.time, n});
            }
        });
    }

    void compute(std::size_t n) {
        Arrival best;
        const double limit = time_[n];
        for_each_cell_of(node_at(n), [&](Index3 cell, Corner to) {
            for (int axis = 0; axis < 3; ++axis) {
                if (!(all_axes >> axis & 1U)) continue;
                // Where cells lean, both ends of the right face may be later than the node.
                const bool known = way_[n] == way_through(cell, axis);
                if (!known && !(earliest_on(cell, axis, to) < limit)) continue;
                keep_earlier(best, through_face(cell, axis, to, Curve::second));
            }
            for (Corner from = 0; from < 8; ++from) {
                if (from & ~all_axes || from == to) continue;
                if (time_[shape_.offset(corner_node(cell, from))] < limit) {
                    keep_earlier(best, from_corner(cell, from, to));
                }
            }
        });
        if (!(best.time < INFINITY)) return;
        set(n, best);
    }
    void set(std::size_t n, const Arrival& arrival) {
        time_[n] = arrival.time;
        centre_[n] = arrival.centre;
        way_[n] = arrival.way;
        if (corner_[n]) ray_[n] = places_[n] - arrival.from;
    }
    static void keep_earlier(Arrival& best, const Arrival& other) {
        if (other.time < best.time) best = other;
    }

    Arrival from_corner(Index3 cell, Corner from, Corner to) const {
        const std::size_t a = shape_.offset(corner_node(cell, from));
        const std::size_t b = shape_.offset(corner_node(cell, to));
        if (!(time_[a] < INFINITY)) return {};
        const double length = distance(places_[a], places_[b]);
        return {time_[a] + mean_slowness(cell, from, to) * length, centre_behind(a), places_[a]};
    }

    enum class Curve { none, second };

    double earliest_on(Index3 cell, int axis, Corner to) const {
        double earliest = INFINITY;
        for (unsigned n = 0; n < GroundFace<Dim>::corners; ++n) {
            const Corner corner = far_side(axis, to) | spread(axis, n);
            earliest = std::min(earliest, time_[shape_.offset(corner_node(cell, corner))]);
        }
        return earliest;
    }

    Arrival through_face(Index3 cell, int axis, Corner to, Curve curve) const {
        constexpr unsigned corners = GroundFace<Dim>::corners;
        FaceNodes face;
        std::int64_t first = at_source;
        std::int64_t last = at_source;
        for (unsigned n = 0; n < corners; ++n) {
            const Corner corner = far_side(axis, to) | spread(axis, n);
            const std::size_t node = shape_.offset(corner_node(cell, corner));
            if (!(time_[node] < INFINITY)) return {};
            face.node[n] = node;
            face.slowness[n] = mean_slowness(cell, corner, to);
            const std::int64_t own = centre_[node];
            if (n == 0 || centre(own).time > centre(last).time) last = own;
        }
        first = last;
        for (unsigned n = 0; n < corners; ++n) {
            // A corner of the ground itself belongs to the wave behind it too.
            if (static_cast<std::int64_t>(face.node[n]) == last) continue;
            const std::int64_t own = centre_[face.node[n]];
            if (centre(own).time < centre(first).time) first = own;
        }
        face.axis = axis;
        face.to = shape_.offset(corner_node(cell, to));
        Arrival best = through_face_from(face, last, curve);
        if constexpr (Dim == 2) {
            if (first != last) cross_shadow_edge(face, first, last, curve, best);
        }
        best.way = way_through(cell, axis);
        return best;
    }

    /// A face, and the node that a wave reaches through it.
    struct FaceNodes {
        int axis = 0;
        std::size_t node[4] = {};
        double slowness[4] = {};
        std::size_t to = 0;
    };
    /// The edge of a shadow: the ray that goes past a corner of the ground. Across it times curve
    /// as those of the corner on one side only. So each part of the face has values of its own,
    /// continued from the node on its side, and the part in which the ray to the point lies counts.
    /// Behind ground that turns slowly, light and shadow have sectors of other corners in between.
    /// Where the edge does not cross the face, the wave before it counts.
    void cross_shadow_edge(const FaceNodes& face, std::int64_t before, std::int64_t behind,
                           Curve curve, Arrival& best) const {
        const unsigned lit = centre_[face.node[0]] == before ? 0 : 1;
        const std::size_t dark = face.node[1 - lit];
        // How far along the face, from the node in light, the shadow of a corner begins.
        const auto edge_of = [&](std::int64_t corner) -> std::optional<double> {
            const double a = side_of(corner, face.node[lit]);
            const double b = side_of(corner, dark);
            if (a * b > 0) return std::nullopt;
            return a == b ? 1 : a / (a - b);
        };
        const auto in_shadow_of = [&](std::int64_t corner) {
            return side_of(corner, face.to) * side_of(corner, dark) > 0;
        };
        const std::optional<double> edge = edge_of(behind);
        if (!edge) {
            best = through_face_from(face, before, curve);
            return;
        }
        if (in_shadow_of(behind)) {
            const double first = continued(face, 1 - lit, 1 - *edge, behind, curve);
            best =
                through_part(face, lit, behind, {*edge, 1, first, value_at(dark, centre(behind))});
            return;
        }
        const auto corner_before = [&](std::int64_t n) {
            return centre_[static_cast<std::size_t>(n)];
        };
        std::int64_t next = behind;
        std::int64_t number = corner_before(behind);
        while (number != before && number != at_source && !in_shadow_of(number)) {
            next = number;
            number = corner_before(number);
        }
        const double last = edge_of(next).value_or(0);
        if (number == before || number == at_source) {
            const double value = continued(face, lit, last, before, curve);
            best = through_part(face, lit, before,
                                {0, last, value_at(face.node[lit], centre(before)), value});
            return;
        }
        best = through_part(face, lit, number,
                            sector(face, lit, edge_of(number).value_or(0), last, number, next));
    }
    /// A part of a face, in lengths of it from a node, and the values at its ends.
    struct FacePart {
        double low;
        double high;
        double value_low;
        double value_high;
    };
    /// The value at a place on a face, so far from one of its nodes: continued from the node beyond
    /// or, if that is not known, by the slowness of the nodes.
    double continued(const FaceNodes& face, unsigned end, double part, std::int64_t number,
                     Curve curve) const {
        const std::size_t node = face.node[end];
        const std::size_t other = face.node[1 - end];
        const double value = value_at(node, centre(number));
        double beyond = 0;
        double ratio = 1;
        const int step = end == 0 ? -1 : 1;
        if (curve == Curve::second &&
            value_beyond(node, other, axis_of(face.axis, 0), step, number, true, beyond, ratio)) {
            return value + part * (value - beyond) / ratio;
        }
        return value + part * rise_of_mean(node, other);
    }
    /// How much more the mean slowness is on the way to another node.
    double rise_of_mean(std::size_t node, std::size_t other) const {
        return 0.5 * (slowness_[other] - slowness_[node]);
    }
    /// The part of a face between the rays that go past a corner and past the next one.
    FacePart sector(const FaceNodes& face, unsigned lit, double low, double high,
                    std::int64_t number, std::int64_t next) const {
        const Centre origin = centre(number);
        const Centre corner = centre(next);
        const std::size_t start = face.node[lit];
        const std::size_t dark = face.node[1 - lit];
        const double rise = rise_of_mean(start, dark);
        // The ray that ends the sector goes by the next corner.
        const double mean = value_at(dark, centre(centre_[dark])) - (1 - high) * rise;
        const Vec3 place = places_[start] + high * (places_[dark] - places_[start]);
        const double time = corner.time + mean * distance(place, corner.place);
        const double r = distance(place, origin.place);
        const double value = r > 0 ? (time - origin.time) / r : mean;
        return {low, high, value - (high - low) * rise, value};
    }
    /// The earliest way through a part of a face, which is measured from its node `start`.
    Arrival through_part(const FaceNodes& from, unsigned start, std::int64_t number,
                         const FacePart& part) const {
        const Centre origin = centre(number);
        const std::size_t node[2] = {from.node[start], from.node[1 - start]};
        const Vec3 along = places_[node[1]] - places_[node[0]];
        const double slowness = from.slowness[start];
        const double rise = from.slowness[1 - start] - slowness;
        GroundFace<2> face;
        face.first = places_[node[0]] + part.low * along - origin.place;
        face.edge[0] = (part.high - part.low) * along;
        face.value[0] = part.value_low;
        face.value[1] = part.value_high;
        face.slowness[0] = slowness + part.low * rise;
        face.slowness[1] = slowness + part.high * rise;
        const Vec3 point = places_[from.to] - origin.place;
        double at[2] = {0.5, 0};
        cross_straight(face, point, at);
        const double time = earliest_on_line(face, point, at);
        const double whole[2] = {part.low + at[0] * (part.high - part.low), 0};
        return {origin.time + time, centre_at(node, whole, number), origin.place + face.place(at)};
    }

    Arrival through_face_from(const FaceNodes& from, std::int64_t number, Curve curve) const {
        constexpr unsigned corners = GroundFace<Dim>::corners;
        const auto& node = from.node;
        const Centre origin = centre(number);
        GroundFace<Dim> face;
        double latest = 0;
        double least_slowness = INFINITY;
        for (unsigned n = 0; n < corners; ++n) {
            face.slowness[n] = from.slowness[n];
            face.value[n] = value_at(node[n], origin);
            latest = std::max(latest, face.value[n]);
            least_slowness = std::min(least_slowness, face.slowness[n]);
        }
        face.first = places_[node[0]] - origin.place;
        for (int d = 0; d < Dim - 1; ++d) face.edge[d] = places_[node[1 << d]] - places_[node[0]];
        if constexpr (Dim == 3) {
            face.twist = places_[node[3]] - places_[node[0]] - face.edge[0] - face.edge[1];
        }
        face.factored = latest < late_wave * least_slowness;
        if (!face.factored) {
            for (unsigned n = 0; n < corners; ++n) face.value[n] = time_[node[n]] - origin.time;
        }
        if (curve == Curve::second) bend(from.axis, node, number, face);
        const Vec3 point = places_[from.to] - origin.place;
        double at[2] = {0.5, 0.5};
        if (face.factored) cross_straight(face, point, at);
        double time = 0;
        if constexpr (Dim == 2) {
            time = earliest_on_line(face, point, at);
        } else {
            time = earliest_through(face, point, at);
        }
        return {origin.time + time, centre_at(node, at, number), origin.place + face.place(at)};
    }
    /// The centre of a wave through a place on a face. In 3-D waves are diffracted by edges, which
    /// have no centre.
    template <std::size_t count>
    std::int64_t centre_at(const std::size_t (&node)[count], const double (&at)[2],
                           std::int64_t from) const {
        if constexpr (Dim == 3) return at_source;
        constexpr double on_corner = 1e-6;
        if (at[0] < on_corner) return centre_behind(node[0]);
        if (at[0] > 1 - on_corner) return centre_behind(node[1]);
        return from;
    }
    /// Second differences of the value along the edges of a face, of the side on which they are
    /// smaller: the other one may lie across a kink.
    void bend(int axis, const std::size_t (&node)[4], std::int64_t number,
              GroundFace<Dim>& face) const {
        for (int d = 0; d < Dim - 1; ++d) {
            const int along = axis_of(axis, d);
            double sum[2] = {};
            bool known[2] = {true, true};
            double rise = 0;
            double size = 0;
            for (unsigned n = 0; n < GroundFace<Dim>::corners; ++n) {
                if (n >> d & 1U) continue;
                const std::size_t low = node[n];
                const std::size_t high = node[n | 1U << d];
                const double a = face.value[n];
                const double b = face.value[n | 1U << d];
                const auto curve_beyond = [&](std::size_t end, std::size_t other, int step, int s,
                                              double va, double vb) {
                    double value = 0;
                    double ratio = 1;
                    if (!value_beyond(end, other, along, step, number, face.factored, value,
                                      ratio)) {
                        known[s] = false;
                        return;
                    }
                    // Points at -ratio, 0 and 1.
                    sum[s] += 2 * ((value - va) / ratio + (vb - va)) / (1 + ratio);
                };
                curve_beyond(low, high, -1, 0, a, b);
                curve_beyond(high, low, 1, 1, b, a);
                rise += std::abs(b - a);
                size += a;
            }
            constexpr double share = 1.0 / (GroundFace<Dim>::corners / 2);
            double curve = 0;
            if (known[0] && known[1]) {
                if (sum[0] * sum[1] > 0) {
                    curve = std::abs(sum[0]) < std::abs(sum[1]) ? sum[0] : sum[1];
                }
            } else if (known[0] || known[1]) {
                curve = known[0] ? sum[0] : sum[1];
            }
            const double most = share * (0.5 * rise + (face.factored ? 0.02 * size : 0));
            face.bend[d] = std::clamp(share * curve, -most, most);
        }
    }

    std::vector<std::uint8_t> given_;  ///< times beside the source
    std::vector<std::int64_t> way_;    ///< through which face of which cell the wave came
    std::priority_queue<Item, std::vector<Item>, std::greater<>> queue_;
};

template <int Dim>
void march(const Model& model, const MetricFactor& factor, int order, FieldView<float> tau,
           Monitor& monitor) {
    GroundMarch<Dim> nodes(model, factor);
    nodes.fall(monitor);
    if (order == 2) nodes.curve(monitor);
    nodes.copy_to(factor, tau);
}

}  // namespace

void march_below_ground(const Model& model, const MetricFactor& factor, int order,
                        FieldView<float> tau, Monitor& monitor) {
    model.grid().is_2d() ? march<2>(model, factor, order, tau, monitor)
                         : march<3>(model, factor, order, tau, monitor);
}

bool can_march_below_ground(const Model& model) {
    return model.coordinates().system == Coordinates::terrain &&
           model.coordinates().jumps.empty() && model.metric()->isotropic();
}

double sharpest_corner(const Model& model) {
    const Grid& grid = model.grid();
    double sharpest = 0;
    for (int axis = 0; axis < 2; ++axis) {
        for (int i = 0; i < grid.shape.x; ++i) {
            for (int j = 0; j < grid.shape.y; ++j) {
                Index3 low{i, j, 0};
                Index3 high{i, j, 0};
                --low[axis];
                ++high[axis];
                if (low[axis] < 0 || high[axis] >= grid.shape[axis]) continue;
                const auto place = [&](Index3 n) {
                    return model.mapping().place(grid.position(n));
                };
                const Vec3 here = place({i, j, 0});
                const Vec3 before = place(low);
                const Vec3 after = place(high);
                const double down = std::atan2(here.z - before.z, here[axis] - before[axis]);
                const double up = std::atan2(after.z - here.z, after[axis] - here[axis]);
                sharpest = std::max(sharpest, down - up);
            }
        }
    }
    return sharpest;
}

}  // namespace fermat
