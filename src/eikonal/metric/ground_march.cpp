#include "eikonal/metric/ground_march.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <utility>
#include <vector>

#include "eikonal/metric/ground_cells.hpp"
#include "eikonal/metric/ground_face.hpp"

namespace fermat {
namespace {

template <int Dim>
class GroundMarch : GroundCells<Dim> {
    using Base = GroundCells<Dim>;
    using Base::all_axes;
    using Base::axis_of;
    using Base::corner_;
    using Base::corner_node;
    using Base::far_side;
    using Base::for_each_cell_of;
    using Base::is_rock;
    using Base::mean_slowness;
    using Base::node_at;
    using Base::places_;
    using Base::shape_;
    using Base::slowness_;
    using Base::spread;
    using typename Base::Corner;

  public:
    GroundMarch(const Model& model, const MetricFactor& factor)
        : Base(model),
          source_{factor.place(), 0},
          time_(shape_.count(), INFINITY),
          centre_(shape_.count(), at_source),
          given_(shape_.count(), 0),
          ray_(shape_.count()) {
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
    static constexpr std::int64_t at_source = -1;

    /// Where a wave comes from: the source, or a corner of the ground.
    struct Centre {
        Vec3 place;
        double time = 0;
    };
    /// A way to a node.
    struct Arrival {
        double time = INFINITY;
        std::int64_t centre = at_source;
        Vec3 from;  ///< the place on the face
    };

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

    Centre centre(std::int64_t number) const {
        if (number == at_source) return source_;
        const auto n = static_cast<std::size_t>(number);
        return {places_[n], time_[n]};
    }
    /// The centre of a wave that goes on from a node.
    std::int64_t centre_behind(std::size_t n) const {
        return corner_[n] ? static_cast<std::int64_t>(n) : centre_[n];
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
                if (!(earliest_on(cell, axis, to) < limit)) continue;
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
        face.point = places_[shape_.offset(corner_node(cell, to))];
        Arrival best = through_face_from(face, last, curve);
        if constexpr (Dim == 2) {
            if (first != last) cross_shadow_edge(face, first, last, curve, best);
        }
        return best;
    }

    /// A face, and the node that a wave reaches through it.
    struct FaceNodes {
        int axis = 0;
        std::size_t node[4] = {};
        double slowness[4] = {};
        Vec3 point;
    };
    /// The edge of a shadow: the ray that goes past the corner of the ground. Across it times curve
    /// as those of the corner on one side only. So each part of the face has values of its own,
    /// continued from the nodes on its side. Where these are not known, values seen from the
    /// corner, which are early, and from the wave before it, which are late, are mixed; where the
    /// edge does not cross the face, the wave before it counts.
    void cross_shadow_edge(const FaceNodes& face, std::int64_t before, std::int64_t behind,
                           Curve curve, Arrival& best) const {
        const Vec3 corner = centre(behind).place;
        const Vec3 ray = ray_[static_cast<std::size_t>(behind)];
        const auto side = [&](std::size_t n) {
            const Vec3 d = places_[n] - corner;
            return ray.x * d.z - ray.z * d.x;
        };
        const unsigned lit = centre_[face.node[0]] == before ? 0 : 1;
        const double a = side(face.node[lit]);
        const double b = side(face.node[1 - lit]);
        const bool crosses = a * b < 0;
        const double part = crosses ? a / (a - b) : 1;
        if (crosses && curve == Curve::second) {
            const Arrival in_light = through_part(face, lit, before, part);
            const Arrival in_shadow = through_part(face, 1 - lit, behind, 1 - part);
            if (in_light.time < INFINITY && in_shadow.time < INFINITY) {
                best = in_light.time < in_shadow.time ? in_light : in_shadow;
                return;
            }
        }
        best.time += part * (through_face_from(face, before, curve).time - best.time);
    }
    /// The earliest way through the part of a face beside one of its nodes. Infinite if the node
    /// beyond is not known.
    Arrival through_part(const FaceNodes& from, unsigned end, std::int64_t number,
                         double part) const {
        const Centre origin = centre(number);
        const std::size_t node = from.node[end];
        const std::size_t other = from.node[1 - end];
        double beyond = 0;
        double ratio = 1;
        if (!value_beyond(node, other, axis_of(from.axis, 0), end == 0 ? -1 : 1, origin, true,
                          beyond, ratio)) {
            return {};
        }
        GroundFace<2> face;
        face.first = places_[node] - origin.place;
        face.edge[0] = part * (places_[other] - places_[node]);
        face.value[0] = value_at(node, origin);
        face.value[1] = face.value[0] + part * (face.value[0] - beyond) / ratio;
        face.slowness[0] = from.slowness[end];
        face.slowness[1] =
            from.slowness[end] + part * (from.slowness[1 - end] - from.slowness[end]);
        double at[2] = {0.5, 0};
        const Vec3 point = from.point - origin.place;
        cross_straight(face, point, at);
        const double time = earliest_on_line(face, point, at);
        constexpr double on_corner = 1e-6;
        return {origin.time + time, at[0] < on_corner ? centre_behind(node) : number,
                origin.place + face.place(at)};
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
        if (curve == Curve::second) bend(from.axis, node, origin, face);
        const Vec3 point = from.point - origin.place;
        double at[2] = {0.5, 0.5};
        if (face.factored) cross_straight(face, point, at);
        double time = 0;
        if constexpr (Dim == 2) {
            time = earliest_on_line(face, point, at);
        } else {
            time = earliest_through(face, point, at);
        }
        return {origin.time + time, centre_of(face, node, at, number),
                origin.place + face.place(at)};
    }
    /// The centre of a wave through a place on a face. In 3-D waves are diffracted by edges, which
    /// have no centre.
    std::int64_t centre_of(const GroundFace<Dim>&, const std::size_t (&node)[4],
                           const double (&at)[2], std::int64_t from) const {
        if constexpr (Dim == 3) return at_source;
        constexpr double on_corner = 1e-6;
        if (at[0] < on_corner) return centre_behind(node[0]);
        if (at[0] > 1 - on_corner) return centre_behind(node[1]);
        return from;
    }
    double value_at(std::size_t n, const Centre& origin) const {
        const double r = distance(places_[n], origin.place);
        return r > 0 ? (time_[n] - origin.time) / r : slowness_[n];
    }

    /// Second differences of the value along the edges of a face, of the side on which they are
    /// smaller: the other one may lie across a kink.
    void bend(int axis, const std::size_t (&node)[4], const Centre& origin,
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
                    if (!value_beyond(end, other, along, step, origin, face.factored, value,
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
    /// The value on the line from node `other` through `end`, in the next column (or, along z, at
    /// the next node). `ratio` is how far that is, in lengths of the line between the two.
    bool value_beyond(std::size_t end, std::size_t other, int along, int step, const Centre& origin,
                      bool factored, double& value, double& ratio) const {
        Index3 next = node_at(end);
        next[along] += step;
        if (next[along] < 0 || next[along] >= shape_[along]) return false;
        const auto read = [&](Index3 n) {
            const std::size_t at = shape_.offset(n);
            return factored ? value_at(at, origin) : time_[at] - origin.time;
        };
        if (along == 2) {
            value = read(next);
            return std::isfinite(value);
        }
        const Vec3 a = places_[other];
        const Vec3 b = places_[end];
        next.z = 0;
        const Vec3 top = places_[shape_.offset(next)];
        ratio = (top[along] - b[along]) / (b[along] - a[along]);
        const double z = b.z + ratio * (b.z - a.z);
        next.z = 1;
        const double dz = places_[shape_.offset(next)].z - top.z;
        const double row = (z - top.z) / dz;
        constexpr double slack = 1e-6;
        if (shape_.z < 3 || row < -slack || row > shape_.z - 1 + slack) return false;
        next.z = std::clamp(static_cast<int>(std::lround(row)), 1, shape_.z - 2);
        const double t = row - next.z;
        Index3 above = next;
        Index3 below = next;
        --above.z;
        ++below.z;
        const double va = read(above);
        const double vm = read(next);
        const double vb = read(below);
        value = vm + 0.5 * t * (vb - va) + 0.5 * t * t * (va - 2 * vm + vb);
        return std::isfinite(value);
    }

    Centre source_;
    std::vector<double> time_;
    std::vector<std::int64_t> centre_;
    std::vector<std::uint8_t> given_;  ///< times beside the source
    std::vector<Vec3> ray_;            ///< with which the wave comes to a corner of the ground
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
