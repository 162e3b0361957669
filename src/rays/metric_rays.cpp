#include "rays/metric_rays.hpp"

#include <cmath>
#include <limits>

#include "core/parallel.hpp"
#include "rays/jump_relax.hpp"

namespace fermat {
namespace {

/// The longest side of a step, in cells.
double cells_along(const Grid& grid, Vec3 step) {
    double most = 0;
    for (int axis = 0; axis < 3; ++axis) {
        if (axis == 1 && grid.is_2d()) continue;
        most = std::max(most, std::abs(step[axis]) / grid.spacing_along(axis));
    }
    return most;
}

/// The way backwards along the group velocity, without what would leave the grid.
Vec3 way_back(const MetricField& field, Vec3 q, Vec3 gradient) {
    const Grid& grid = field.grid();
    Vec3 way = -1.0 * group_velocity(field, q, gradient);
    const Vec3 u = grid.to_index(q);
    for (int axis = 0; axis < 3; ++axis) {
        const double last = grid.shape[axis] - 1;
        if ((u[axis] <= 1e-9 && way[axis] < 0) || (u[axis] >= last - 1e-9 && way[axis] > 0)) {
            way[axis] = 0;
        }
    }
    return way;
}

/// The point that the way, in grid coordinates per time, leads to in some time: straight in space,
/// so that the bends of the grid do not bend the ray.
Vec3 gone(const MetricField& field, Vec3 from, Vec3 at, Vec3 way, double time) {
    const Mapping& mapping = field.mapping();
    const Vec3 place = mapping.place(from) + time * (mapping.jacobian(at) * way);
    return field.grid().clamp(mapping.from_place(place));
}

/// One step along the group velocity, by the midpoint rule: halved until the time falls as it
/// should.
bool step_back(const MetricField& field, Vec3& q, double& time, double& cells) {
    constexpr double shortest = 1.0 / 32;
    constexpr double longest = 1;
    const Grid& grid = field.grid();
    // The last piece of a ray is a straight line to the source. A step must not lead past it.
    const double away = cells_along(grid, q - field.factor.position());
    cells = std::min(cells, std::max(0.5, away - 0.9));
    const Vec3 start = way_back(field, q, time_point(field, q).gradient);
    const double crosses = cells_along(grid, start);
    if (!(crosses > 0) || !std::isfinite(crosses)) return false;
    for (; cells >= shortest; cells /= 2) {
        const Vec3 half = gone(field, q, q, start, 0.5 * cells / crosses);
        const Vec3 middle = way_back(field, half, time_point(field, half).gradient);
        const double crossing = cells_along(grid, middle);
        if (!(crossing > 0) || !std::isfinite(crossing)) continue;
        const double expected = cells / crossing;
        const Vec3 next = gone(field, q, half, middle, expected);
        const double next_time = multilinear_time_at(field, next);
        if (!(time - next_time > 0.3 * expected)) continue;
        q = next;
        time = next_time;
        cells = std::min(longest, 2 * cells);
        return true;
    }
    cells = longest;
    return false;
}

/// The node round a point, or beside a node, that makes the time fall most per cell.
bool step_to_node(const MetricField& field, Vec3& q, double& time) {
    const Grid& grid = field.grid();
    const Index3 centre = grid.nearest_node(q);
    Vec3 best;
    double best_time = time;
    double best_slope = 0;
    const int reach_y = grid.is_2d() ? 0 : 1;
    for (int i = -1; i <= 1; ++i) {
        for (int j = -reach_y; j <= reach_y; ++j) {
            for (int k = -1; k <= 1; ++k) {
                const Index3 n{centre.x + i, centre.y + j, centre.z + k};
                if (n.x < 0 || n.y < 0 || n.z < 0 || n.x >= grid.shape.x || n.y >= grid.shape.y ||
                    n.z >= grid.shape.z) {
                    continue;
                }
                const Vec3 there = grid.position(n);
                const double far = cells_along(grid, there - q);
                const double next = multilinear_time_at(field, there);
                if (!(far > 0) || !((time - next) / far > best_slope)) continue;
                best_slope = (time - next) / far;
                best = there;
                best_time = next;
            }
        }
    }
    if (!(best_time < time)) return false;
    q = best;
    time = best_time;
    return true;
}

/// Sums time and length along a ray, and turns its points into those of users.
void finish(const MetricField& field, std::span<Vec3> points, RayInfo& info) {
    const Mapping& mapping = field.mapping();
    double time = 0;
    for (std::size_t n = 1; n < points.size(); ++n) {
        time += straight_time(field.model, points[n - 1], points[n]);
        info.length += distance(mapping.place(points[n - 1]), mapping.place(points[n]));
    }
    info.time = info.status == RayStatus::ok ? field.start_time + time
                                             : std::numeric_limits<double>::infinity();
    for (Vec3& p : points) p = mapping.to_user(p);
}

/// Beside a kink of the field, where two waves arrive at nearly the same time, the traced ray may
/// be that of the later one. Where a settled ray is later than the field, those from the corners of
/// the receiver's cell are tried as well, and the one of least time counts.
void look_for_earlier(const MetricField& field, double field_time, std::vector<Vec3>& points) {
    constexpr double late = 5e-5;  // of the time
    double least = time_along(field.model, points);
    if (!(least > (1 + late) * field_time)) return;
    const Vec3 receiver = points.front();
    for_each_corner(field.grid(), receiver, [&](Index3 n, double) {
        std::vector<Vec3> other = {receiver};
        if (trace_metric_ray(field, field.grid().position(n), other) != RayStatus::ok) return;
        settle_at_jumps(field.model, other);
        const double time = time_along(field.model, other);
        if (!(time < least)) return;
        least = time;
        points = std::move(other);
    });
}

}  // namespace

RayStatus trace_metric_ray(const MetricField& field, Vec3 receiver, std::vector<Vec3>& points) {
    const Grid& grid = field.grid();
    const Vec3 source = field.factor.position();
    Vec3 q = grid.clamp(receiver);
    double time = multilinear_time_at(field, q);
    points.push_back(q);
    if (!std::isfinite(time)) return RayStatus::unreachable;
    const long most_points = 64L * (grid.shape.x + grid.shape.y + grid.shape.z);
    double cells = 0.5;
    bool nodes_only = false;
    for (long n = 0; n < 2 * most_points; ++n) {
        if (cells_along(grid, q - source) <= 1 + 1e-6 &&
            std::isfinite(straight_time(field.model, q, source))) {
            if (!(q == source)) points.push_back(source);
            return RayStatus::ok;
        }
        nodes_only |= n >= most_points;
        const bool moved = !nodes_only && step_back(field, q, time, cells);
        if (!moved && !step_to_node(field, q, time)) return RayStatus::stalled;
        points.push_back(q);
    }
    return RayStatus::stalled;
}

RaySet trace_metric_rays(const MetricField& field, std::int32_t event, const Listeners& to,
                         const Execution& execution) {
    const auto count = static_cast<std::int64_t>(to.positions.size());
    std::vector<RaySet> parts(to.positions.size());
    const bool has_jumps = !field.model.coordinates().jumps.empty();
    parallel_for(count, resolve_threads(execution.threads), [&](std::int64_t i) {
        const auto n = static_cast<std::size_t>(i);
        if (i % 16 == 0) execution.monitor.check();
        const Vec3 q = field.model.place().inside(to.positions[n], "receiver");
        RayInfo info{event, to.stations[n], time_at(field, q)};
        std::vector<Vec3> points;
        if (in_air(field.model, q)) {
            info.status = RayStatus::receiver_in_air;
            points.push_back(q);
        } else {
            info.status = trace_metric_ray(field, q, points);
            if (has_jumps && info.status == RayStatus::ok) {
                settle_at_jumps(field.model, points);
                look_for_earlier(field, info.field_time - field.start_time, points);
            }
        }
        finish(field, points, info);
        parts[n].append(info, points);
    });
    RaySet set;
    for (RaySet& part : parts) set.append(std::move(part));
    return set;
}

}  // namespace fermat
