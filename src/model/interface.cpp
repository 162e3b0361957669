#include "model/interface.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.hpp"
#include "model/place.hpp"

namespace fermat {
namespace {

/// Depth between points of ascending x: straight, or a cubic without overshoot (Fritsch and Carlson
/// 1980).
class Curve {
  public:
    Curve(std::vector<std::pair<double, double>> points, InterfaceShape shape)
        : points_(std::move(points)), slope_(points_.size(), 0.0) {
        const std::size_t n = points_.size();
        if (shape == InterfaceShape::linear || n < 3) return;
        smooth_ = true;
        for (std::size_t i = 1; i + 1 < n; ++i) {
            const double before = chord(i - 1);
            const double after = chord(i);
            const double h0 = points_[i].first - points_[i - 1].first;
            const double h1 = points_[i + 1].first - points_[i].first;
            if (before * after <= 0) continue;
            slope_[i] = 3 * (h0 + h1) / ((2 * h1 + h0) / before + (h1 + 2 * h0) / after);
        }
        slope_.front() = chord(0);
        slope_.back() = chord(n - 2);
    }

    double at(double x) const {
        if (x <= points_.front().first) return points_.front().second;
        if (x >= points_.back().first) return points_.back().second;
        const auto next = std::upper_bound(points_.begin(), points_.end(), x,
                                           [](double v, const auto& p) { return v < p.first; });
        const auto i = static_cast<std::size_t>(next - points_.begin() - 1);
        const double h = points_[i + 1].first - points_[i].first;
        const double t = (x - points_[i].first) / h;
        const double a = points_[i].second;
        const double b = points_[i + 1].second;
        if (!smooth_) return a + t * (b - a);
        return a * (1 + 2 * t) * (1 - t) * (1 - t) + slope_[i] * h * t * (1 - t) * (1 - t) +
               b * t * t * (3 - 2 * t) + slope_[i + 1] * h * t * t * (t - 1);
    }

  private:
    double chord(std::size_t i) const {
        return (points_[i + 1].second - points_[i].second) /
               (points_[i + 1].first - points_[i].first);
    }

    std::vector<std::pair<double, double>> points_;
    std::vector<double> slope_;
    bool smooth_ = false;
};

/// Depths at points of one coordinate, as a curve. `name` is that of the interface.
Curve curve_through(const std::string& name, std::vector<std::pair<double, double>> points,
                    InterfaceShape shape) {
    std::sort(points.begin(), points.end());
    for (std::size_t i = 1; i < points.size(); ++i) {
        if (points[i].first == points[i - 1].first) {
            throw InputError(
                fmt::format("interface '{}' has two depths at {:g} (give one per point)", name,
                            points[i].first));
        }
    }
    return Curve(std::move(points), shape);
}

}  // namespace

Interface::Interface(std::string id, Lattice lattice, std::vector<double> depth,
                     InterfaceShape shape)
    : id_(std::move(id)), lattice_(lattice), depth_(std::move(depth)), shape_(shape) {
    if (id_.empty()) throw InputError("an interface has no id (name it, as in 'moho')");
    if (lattice_.nx < 1 || lattice_.ny < 1 || !(lattice_.dx > 0) || !(lattice_.dy > 0)) {
        throw InputError(
            fmt::format("interface '{}' has no points or a spacing that is not > 0", id_));
    }
    if (depth_.size() != static_cast<std::size_t>(lattice_.count())) {
        throw InputError(fmt::format("interface '{}' has {} depths for {} x {} points", id_,
                                     depth_.size(), lattice_.nx, lattice_.ny));
    }
    const auto bad =
        std::find_if(depth_.begin(), depth_.end(), [](double z) { return !std::isfinite(z); });
    if (bad != depth_.end()) {
        throw InputError(fmt::format("interface '{}' has depth {} at point {} (must be finite)",
                                     id_, *bad, bad - depth_.begin()));
    }
}

Interface Interface::flat(std::string id, double depth) {
    return Interface(std::move(id), Lattice{}, {depth});
}

Interface Interface::of_points(std::string id, const std::vector<Vec3>& points, const Place& place,
                               InterfaceShape shape) {
    if (points.empty()) throw InputError(fmt::format("interface '{}' has no points", id));
    if (points.size() == 1) return flat(std::move(id), points.front().z);
    const Lattice columns = columns_of(place);
    std::vector<double> depth(static_cast<std::size_t>(columns.count()));
    if (columns.ny == 1) {
        std::vector<std::pair<double, double>> line;
        for (const Vec3& p : points) line.emplace_back(p.x, p.z);
        const Curve curve = curve_through(id, std::move(line), shape);
        for (int i = 0; i < columns.nx; ++i) {
            depth[static_cast<std::size_t>(i)] = curve.at(columns.x(i));
        }
        return Interface(std::move(id), columns, std::move(depth), shape);
    }
    std::vector<double> xs;
    for (const Vec3& p : points) xs.push_back(p.x);
    std::sort(xs.begin(), xs.end());
    xs.erase(std::unique(xs.begin(), xs.end()), xs.end());
    std::vector<Curve> along_y;
    for (const double x : xs) {
        std::vector<std::pair<double, double>> line;
        for (const Vec3& p : points) {
            if (p.x == x) line.emplace_back(p.y, p.z);
        }
        if (line.size() * xs.size() != points.size()) {
            throw InputError(fmt::format(
                "interface '{}' has {} points at x = {:g} and {} in all over {} values of "
                "x (must be a full grid of x and y)",
                id, line.size(), x, points.size(), xs.size()));
        }
        along_y.push_back(curve_through(id, std::move(line), shape));
    }
    for (int j = 0; j < columns.ny; ++j) {
        std::vector<std::pair<double, double>> line;
        for (std::size_t k = 0; k < xs.size(); ++k) {
            line.emplace_back(xs[k], along_y[k].at(columns.y(j)));
        }
        const Curve curve(std::move(line), shape);
        for (int i = 0; i < columns.nx; ++i) {
            depth[static_cast<std::size_t>(i * columns.ny + j)] = curve.at(columns.x(i));
        }
    }
    return Interface(std::move(id), columns, std::move(depth), shape);
}

Interface ground_of(const Place& place) {
    const std::vector<double>& ground = place.mapping().numbers().surface;
    if (ground.empty()) return Interface::flat("surface", place.corners().low.z);
    return Interface("surface", columns_of(place), ground, InterfaceShape::linear);
}

Lattice columns_of(const Place& place) {
    const Shape shape = place.grid().shape;
    const Corners box = place.corners();
    const auto step = [](double low, double high, int n) {
        return n > 1 && high > low ? (high - low) / (n - 1) : 1.0;
    };
    return {box.low.x,
            box.low.y,
            step(box.low.x, box.high.x, shape.x),
            step(box.low.y, box.high.y, shape.y),
            shape.x,
            place.grid().is_2d() ? 1 : shape.y};
}

}  // namespace fermat
