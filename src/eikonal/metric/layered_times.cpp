#include "eikonal/metric/layered_times.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "eikonal/metric/factor.hpp"
#include "model/metric.hpp"

namespace fermat {
namespace {

constexpr double most_variation = 0.1;   ///< of velocity along a row
constexpr int most_rows = 1000;          ///< the memory of rays grows as the square of rows
constexpr double least_fall = 1 - 1e-4;  ///< of slowness times radius, from row to row
constexpr double most_lift = 0.99;       ///< of slowness, so that this holds

double angle_between(Vec3 a, Vec3 b) { return std::atan2(norm(crossed(a, b)), dot(a, b)); }

/// Slowness in the layers is linear between rows.
double slowness_between(const LayeredSphere& layers, std::size_t row, double depth) {
    const double top = layers.depths[row];
    const double share = (depth - top) / (layers.depths[row + 1] - top);
    return layers.below[row] + share * (layers.above[row + 1] - layers.below[row]);
}

}  // namespace

std::optional<LayeredSphere> nearest_layers(const Model& model) {
    const CoordinateNumbers& whole = model.coordinates();
    const Grid& grid = model.grid();
    if (whole.system != Coordinates::spherical || whole.jumps.empty()) return {};
    if (!model.is_isotropic() || grid.shape.z < 2 || grid.shape.z > most_rows) return {};
    const auto rows = static_cast<std::size_t>(grid.shape.z);
    std::vector<double> sums(rows);
    for (std::size_t n = 0; n < model.velocity().size(); ++n) {
        const float v = model.velocity()[n];
        if (!(v > 0)) return {};
        sums[n % rows] += 1 / static_cast<double>(v);
    }
    LayeredSphere layers;
    layers.radius = whole.radius;
    double eta = std::numeric_limits<double>::infinity();
    const double columns = static_cast<double>(model.velocity().size() / rows);
    for (std::size_t k = 0; k < rows; ++k) {
        // Rays are known where slowness times radius falls, if only a little.
        const double r = whole.radius - grid.coordinate(2, static_cast<int>(k));
        const double mean = sums[k] / columns;
        const double above = std::min(mean, least_fall * eta / r);
        const double below = std::min(mean / whole.jumps[k], above);
        if (above < most_lift * mean || below < most_lift * mean / whole.jumps[k]) return {};
        eta = below * r;
        layers.depths.push_back(grid.coordinate(2, static_cast<int>(k)));
        layers.above.push_back(above);
        layers.below.push_back(below);
    }
    for (std::size_t n = 0; n < model.velocity().size(); ++n) {
        const double ratio = static_cast<double>(model.velocity()[n]) * layers.above[n % rows];
        if (std::abs(ratio - 1) > most_variation) return {};
    }
    if (!LayeredRays::knows(layers)) return {};
    return layers;
}

LayeredTimes::LayeredTimes(const Model& model, const LayeredSphere& layers, Vec3 source)
    : model_(model), layers_(layers), source_(source), direction_(model.mapping().place(source)) {
    double farthest = 0;
    const Grid& grid = model_.grid();
    for (int i = 0; i < grid.shape.x; ++i) {
        for (int j = 0; j < grid.shape.y; ++j) {
            farthest = std::max(farthest, angle_to(grid.position({i, j, 0})));
        }
    }
    rays_ = std::make_unique<const LayeredRays>(layers, source.z, farthest);
}

double LayeredTimes::angle_to(Vec3 q) const {
    return angle_between(direction_, model_.mapping().place(q));
}

LayeredTimes::Column LayeredTimes::column(int i, int j) const {
    const Vec3 q = model_.grid().position({i, j, 0});
    const Vec3 place = model_.mapping().place(q);
    const Mat3 along = model_.mapping().jacobian(q);
    Column out;
    out.angle = angle_between(direction_, place);
    const double sine = std::sin(out.angle);
    if (!(sine > 0)) return out;
    // The direction away from the source.
    const double r = norm(place);
    const Vec3 away =
        (1 / sine) * ((std::cos(out.angle) / r) * place - (1 / norm(direction_)) * direction_);
    for (int axis = 0; axis < 2; ++axis) {
        out.by_axis[axis] = dot(Vec3{along(0, axis), along(1, axis), along(2, axis)}, away) / r;
    }
    return out;
}

LayeredTimes::Node LayeredTimes::node(const Column& column, int row) const {
    const auto k = static_cast<std::size_t>(row);
    const LayeredRays::Arrival arrival = rays_->arrival(k, column.angle);
    const double flat = arrival.p / (layers_.radius - layers_.depths[k]);
    const auto upright = [&](double slowness) {
        const double slope = std::sqrt(std::max(0.0, slowness * slowness - flat * flat));
        return arrival.downward ? slope : -slope;
    };
    return {arrival.time, arrival.p, upright(layers_.above[k]), upright(layers_.below[k])};
}

double LayeredTimes::time(const Column& column, int row) const {
    return rays_->at_row(static_cast<std::size_t>(row), column.angle);
}

double LayeredTimes::time(Vec3 q) const {
    // Most receivers lie on a row.
    constexpr double on_row = 1e-9;
    const double row = model_.grid().to_index(q).z;
    if (std::abs(row - std::round(row)) < on_row) {
        return rays_->at_row(static_cast<std::size_t>(std::lround(row)), angle_to(q));
    }
    return rays_->at_depth(q.z, angle_to(q));
}

double LayeredTimes::layered_slowness(double depth) const {
    const auto below =
        std::upper_bound(layers_.depths.begin() + 1, layers_.depths.end() - 1, depth);
    return slowness_between(layers_, static_cast<std::size_t>(below - layers_.depths.begin()) - 1,
                            depth);
}

double LayeredTimes::ratio_to(Vec3 q) const {
    double own = 0;
    double layered = 0;
    for_each_time_sample(model_, source_, q, [&](Vec3 at, Vec3, double weight) {
        own += weight * metric_slowness(model_, at);
        layered += weight * layered_slowness(at.z);
    });
    return own / layered;
}

}  // namespace fermat
