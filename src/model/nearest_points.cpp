#include "model/nearest_points.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace fermat {
namespace {

int bucket_along(double offset, double side, int count) {
    return static_cast<int>(std::clamp(std::floor(offset / side), 0.0, count - 1.0));
}

}  // namespace

NearestPoints::NearestPoints(std::span<const Vec3> points) {
    if (points.empty()) return;
    const auto [min_x, max_x] = std::minmax_element(
        points.begin(), points.end(), [](const Vec3& a, const Vec3& b) { return a.x < b.x; });
    const auto [min_y, max_y] = std::minmax_element(
        points.begin(), points.end(), [](const Vec3& a, const Vec3& b) { return a.y < b.y; });
    low_x_ = min_x->x;
    low_y_ = min_y->y;
    const double width = max_x->x - low_x_;
    const double height = max_y->y - low_y_;
    const auto count = static_cast<double>(points.size());
    // Two points per bucket. The second bound keeps a long thin cloud from making many empty
    // buckets.
    const double side =
        std::max(std::sqrt(width / count * 2 * height), std::max(width, height) / count * 2);
    if (side > 0 && std::isfinite(side)) {
        side_ = side;
        nx_ = static_cast<int>(width / side) + 1;
        ny_ = static_cast<int>(height / side) + 1;
    }

    const auto bucket_of = [&](const Vec3& p) {
        return static_cast<std::size_t>(bucket_x(p.x)) * static_cast<std::size_t>(ny_) +
               static_cast<std::size_t>(bucket_y(p.y));
    };
    first_.assign(static_cast<std::size_t>(nx_) * static_cast<std::size_t>(ny_) + 1, 0);
    for (const Vec3& p : points) ++first_[bucket_of(p) + 1];
    for (std::size_t n = 1; n < first_.size(); ++n) first_[n] += first_[n - 1];
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    entries_.resize(points.size());
    for (std::size_t n = 0; n < points.size(); ++n) {
        entries_[next[bucket_of(points[n])]++] = {points[n].x, points[n].y, n};
    }
}

int NearestPoints::bucket_x(double x) const { return bucket_along(x - low_x_, side_, nx_); }
int NearestPoints::bucket_y(double y) const { return bucket_along(y - low_y_, side_, ny_); }

void NearestPoints::gather(int bx, int by, double x, double y,
                           std::vector<Neighbour>& found) const {
    if (bx < 0 || bx >= nx_ || by < 0 || by >= ny_) return;
    const std::size_t bucket =
        static_cast<std::size_t>(bx) * static_cast<std::size_t>(ny_) + static_cast<std::size_t>(by);
    for (std::size_t n = first_[bucket]; n < first_[bucket + 1]; ++n) {
        const double dx = entries_[n].x - x;
        const double dy = entries_[n].y - y;
        found.push_back({dx * dx + dy * dy, entries_[n].point});
    }
}

std::vector<NearestPoints::Neighbour> NearestPoints::find(double x, double y,
                                                          std::size_t count) const {
    std::vector<Neighbour> found;
    count = std::min(count, entries_.size());
    if (count == 0) return found;
    const int bx = bucket_x(x);
    const int by = bucket_y(y);
    const int last_ring = std::max({bx, nx_ - 1 - bx, by, ny_ - 1 - by});
    for (int ring = 0; ring <= last_ring; ++ring) {
        for (int i = -ring; i <= ring; ++i) {
            const int step = std::abs(i) == ring || ring == 0 ? 1 : 2 * ring;
            for (int j = -ring; j <= ring; j += step) gather(bx + i, by + j, x, y, found);
        }
        // Points outside the rings searched so far are at least `ring` sides away.
        if (found.size() < count) continue;
        const auto kth = found.begin() + static_cast<std::ptrdiff_t>(count - 1);
        std::nth_element(found.begin(), kth, found.end());
        if (kth->squared_distance <= ring * side_ * (ring * side_)) break;
    }
    const auto end = found.begin() + static_cast<std::ptrdiff_t>(count);
    std::partial_sort(found.begin(), end, found.end());
    found.erase(end, found.end());
    return found;
}

}  // namespace fermat
