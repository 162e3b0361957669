#include "tomography/start/ground_points.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "core/median.hpp"
#include "model/topography.hpp"

namespace fermat {
namespace {

bool is_stacked(std::span<const Vec3> points, double distance) {
    std::map<std::pair<std::int64_t, std::int64_t>, std::pair<double, double>> columns;
    std::size_t stacked = 0;
    for (const Vec3& p : points) {
        const auto key =
            std::pair(std::llround(p.x / (distance / 2)), std::llround(p.y / (distance / 2)));
        const auto [at, fresh] = columns.try_emplace(key, p.z, p.z);
        at->second = {std::min(at->second.first, p.z), std::max(at->second.second, p.z)};
        if (!fresh && at->second.second - at->second.first > distance) ++stacked;
    }
    return 20 * stacked >= points.size();
}

/// Whether neighbours differ in depth as much as points far from each other, and by steep slopes.
bool is_scattered(std::span<const Vec3> points) {
    constexpr std::size_t most = 300;  // points that are asked: enough for a median
    constexpr double steep = 0.2;
    constexpr double alike = 0.6;
    const std::size_t stride = std::max<std::size_t>(1, points.size() / most);
    std::vector<double> slopes;
    std::vector<double> near;
    std::vector<double> any;
    for (std::size_t a = 0; a < points.size(); a += stride) {
        double least = std::numeric_limits<double>::infinity();
        double difference = 0;
        for (std::size_t b = 0; b < points.size(); ++b) {
            const double across = std::hypot(points[a].x - points[b].x, points[a].y - points[b].y);
            const double deeper = std::abs(points[a].z - points[b].z);
            if (a != b) any.push_back(deeper);
            if (!(across > 0) || across >= least) continue;
            least = across;
            difference = deeper;
        }
        near.push_back(difference);
        slopes.push_back(difference / least);
    }
    return upper_median(slopes) > steep && upper_median(near) > alike * upper_median(any);
}

using Places = std::map<std::pair<double, double>, double>;

/// The higher of two depths at one place counts.
void add_place(Places& ground, Vec3 p, bool is_2d) {
    const auto at = ground.try_emplace(std::pair(p.x, is_2d ? 0.0 : p.y), p.z).first;
    at->second = std::min(at->second, p.z);
}

std::vector<Vec3> points_of(const Places& ground) {
    std::vector<Vec3> points;
    for (const auto& [place, z] : ground) points.push_back({place.first, place.second, z});
    return points;
}

template <class Ends>
std::vector<Vec3> places_of(const Ends& ends) {
    std::vector<Vec3> points;
    for (const auto& end : ends) points.push_back(end.position);
    return unique_points(std::move(points));
}

/// Whether a point is above or below others, not beyond their ends.
class Range {
  public:
    explicit Range(std::span<const Vec3> points) : low_(points.front()), high_(points.front()) {
        for (const Vec3& p : points) {
            low_ = {std::min(low_.x, p.x), std::min(low_.y, p.y), 0};
            high_ = {std::max(high_.x, p.x), std::max(high_.y, p.y), 0};
        }
    }
    bool has(const Vec3& p, bool is_2d) const {
        return p.x >= low_.x && p.x <= high_.x && (is_2d || (p.y >= low_.y && p.y <= high_.y));
    }

  private:
    Vec3 low_;
    Vec3 high_;
};

/// The ground that one kind of points makes, where others lie below it; none where they do not.
struct Holes {
    std::vector<Vec3> ground;
    std::size_t count = 0;
    double deepest = 0;
    bool all = false;  ///< of the others
};

std::optional<Holes> holes_below(std::span<const Vec3> upper, std::span<const Vec3> others,
                                 double distance, bool is_2d) {
    constexpr std::size_t least = 4;
    if (upper.size() < least || !lie_on_a_surface(upper, distance)) return std::nullopt;
    Places places;
    for (const Vec3& p : upper) add_place(places, p, is_2d);
    const Surface surface(is_2d ? Surface::Kind::line : Surface::Kind::area, points_of(places));
    const Range range(upper);
    const double rough = distance / 10;
    std::vector<double> depths;
    for (const Vec3& p : others) {
        if (!range.has(p, is_2d)) continue;
        depths.push_back(p.z - surface_at(surface, p));
        if (depths.back() < -distance / 2) return std::nullopt;  // above: no ground
    }
    if (depths.empty()) return std::nullopt;
    Holes holes;
    holes.deepest = *std::max_element(depths.begin(), depths.end());
    const auto below =
        std::count_if(depths.begin(), depths.end(), [&](double depth) { return depth > rough; });
    holes.all = 10 * below >= 9 * static_cast<std::ptrdiff_t>(depths.size());
    if (!holes.all && !(holes.deepest > distance)) return std::nullopt;
    const double usual = upper_median(depths);
    for (Vec3 p : others) {
        if (range.has(p, is_2d)) {
            const bool in_hole = p.z - surface_at(surface, p) > rough;
            if (in_hole) ++holes.count;
            if (in_hole) continue;
        } else if (holes.all) {
            ++holes.count;
            p.z -= usual;
        }
        add_place(places, p, is_2d);
    }
    holes.ground = points_of(places);
    return holes;
}

}  // namespace

std::vector<Vec3> unique_points(std::vector<Vec3> points) {
    const auto before = [](const Vec3& a, const Vec3& b) {
        return std::array{a.x, a.y, a.z} < std::array{b.x, b.y, b.z};
    };
    std::sort(points.begin(), points.end(), before);
    points.erase(std::unique(points.begin(), points.end()), points.end());
    return points;
}

bool lie_on_a_surface(std::span<const Vec3> points, double distance) {
    return !is_stacked(points, distance) && !is_scattered(points);
}

GroundPoints ground_points(const Survey& picks, double distance, double longest, bool is_2d) {
    const std::vector<Vec3> events = places_of(picks.events);
    const std::vector<Vec3> stations = places_of(picks.stations);
    constexpr double shallow = 0.1;  // of the longest distance
    GroundPoints ground;
    for (const bool below_stations : {true, false}) {
        const auto holes = below_stations ? holes_below(stations, events, distance, is_2d)
                                          : holes_below(events, stations, distance, is_2d);
        if (!holes) continue;
        ground.along_surface = holes->deepest < shallow * longest;
        // Over an area only stations are known: how the ground runs between them is not.
        if (is_2d || ground.along_surface) ground.points = holes->ground;
        ground.buried = holes->count;
        ground.dives = !holes->all || ground.along_surface;
        return ground;
    }
    std::vector<Vec3> all = events;
    all.insert(all.end(), stations.begin(), stations.end());
    all = unique_points(std::move(all));
    Vec3 low = all.front();
    Vec3 high = all.front();
    Places places;
    for (const Vec3& p : all) {
        for (int axis = 0; axis < 3; ++axis) {
            low[axis] = std::min(low[axis], p[axis]);
            high[axis] = std::max(high[axis], p[axis]);
        }
        add_place(places, p, is_2d);
    }
    const double across = std::max(high.x - low.x, high.y - low.y);
    ground.along_surface = high.z - low.z < 0.5 * across && lie_on_a_surface(all, distance);
    ground.dives = ground.along_surface;
    if (ground.along_surface) ground.points = points_of(places);
    return ground;
}

}  // namespace fermat
