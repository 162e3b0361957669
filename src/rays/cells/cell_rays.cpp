#include "rays/cells/cell_rays.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "rays/cells/jumping_descent.hpp"
#include "rays/cells/led_path.hpp"
#include "rays/cells/polish.hpp"
#include "rays/escape.hpp"
#include "rays/trace.hpp"

namespace fermat {
namespace {

/// Of a ray that is later than the field by these parts of its time, first the straight line is
/// tried and then a search.
constexpr double doubtful = 5e-5;
constexpr double worth_a_search = 2e-4;

}  // namespace

CellRays::CellRays(const Model& model, const TimeFieldView<float>& field)
    : model_(model),
      field_(field),
      times_(model),
      between_nodes_(model, field),
      near_(between_nodes_.near_source()) {}

CellRays::Ray CellRays::descend(Vec3 receiver) const {
    Ray ray;
    ray.status =
        trace_ray(field_, receiver, JumpingDescent<float, Space::host>{field_},
                  BreadthFirstEscape<float>{field_}, [&](Vec3 p) { ray.points.push_back(p); });
    ray.field_time = between_nodes_.at(receiver) - field_.start_time;
    ray.time = ray.status == RayStatus::ok ? settle(ray.points) : INFINITY;
    return ray;
}

CellRays::Ray CellRays::trace(Vec3 receiver) const {
    Ray ray = descend(receiver);
    if (ray.status != RayStatus::ok) return ray;
    find_earlier(ray);
    if (is_late(ray.time, ray.field_time)) ray.field_time = field_time(ray);
    return ray;
}

void CellRays::find_earlier(Ray& ray) const {
    constexpr std::size_t most_points = 30000;
    const Vec3 receiver = ray.points.front();
    // Beside the source, the field between nodes is no measure.
    const bool beside = near_.reaches(receiver);
    if (!beside && !(ray.time > (1 + doubtful) * ray.field_time)) return;
    take({receiver, field_.factor.position}, ray);
    if (!beside && !(ray.time > (1 + worth_a_search) * ray.field_time)) return;
    take(led_path(model_, field_, receiver, most_points), ray);
}

bool CellRays::take(std::vector<Vec3>&& points, Ray& ray) const {
    if (points.size() < 2) return false;
    const double time = settle(points);
    if (!(time < ray.time)) return false;
    ray.time = time;
    ray.points = std::move(points);
    return true;
}

/// Where the ray stays near the source, the shortest path replaces its end if that is earlier.
double CellRays::settle(std::vector<Vec3>& points) const {
    std::size_t n = points.size();
    while (n > 0 && near_.reaches(points[n - 1])) --n;
    if (n < points.size()) {
        std::vector<Vec3> way = near_.way_from(points[n]);
        if (!way.empty()) way.insert(way.begin(), points[n]);
        if (!way.empty() && times_.along(way) < times_.along(std::span(points).subspan(n))) {
            points.resize(n);
            points.insert(points.end(), way.begin(), way.end());
        }
    }
    return polish(model_, times_, points);
}

/// The time of the field at the receiver of a ray that is later. Times have kinks where waves meet
/// and where velocity jumps, so a value between nodes is too early there. What has no kinks is the
/// difference between the field and times along rays: it is interpolated between the corners of the
/// cell. Their rays also show the receiver further ways to the source.
double CellRays::field_time(Ray& ray) const {
    const Grid& grid = field_.grid;
    const Vec3 receiver = ray.points.front();
    double difference = 0;
    double weights = 0;
    for_each_corner(grid, receiver, [&](Index3 node, double weight) {
        const Vec3 corner = grid.position(node);
        if (weight < 1e-6 || in_air(model_, corner) || blocked(field_, receiver, corner)) return;
        Ray other = descend(corner);
        if (other.status != RayStatus::ok) return;
        if (is_late(other.time, other.field_time)) find_earlier(other);
        difference += weight * (other.field_time - other.time);
        weights += weight;
        if (corner == receiver) return;
        std::vector<Vec3> way = {receiver};
        way.insert(way.end(), other.points.begin(), other.points.end());
        take(std::move(way), ray);
    });
    if (!(weights > 0)) return ray.field_time;
    return std::max(ray.field_time, ray.time + difference / weights);
}

}  // namespace fermat
