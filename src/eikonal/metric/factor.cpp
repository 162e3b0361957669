#include "eikonal/metric/factor.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace fermat {
namespace {

/// The row of jumps at the top of a point's cell, as velocity below over velocity above; else 1.
double jump_above(const Model& model, Vec3 q) {
    const auto& jumps = model.coordinates().jumps;
    if (jumps.empty()) return 1;
    const double row = model.grid().to_index(q).z;
    const auto last = static_cast<double>(jumps.size() - 2);
    return jumps[static_cast<std::size_t>(std::clamp(std::floor(row), 0.0, last))];
}

}  // namespace

double metric_slowness(const Model& model, Vec3 q) {
    const double jump = jump_above(model, q);
    const double here = slowness_at(model, q);
    if (jump == 1) return here;
    // The nodes of the row hold the slowness above it.
    const Grid& grid = model.grid();
    const double row = grid.to_index(q).z;
    const double part = row - std::floor(row);
    Vec3 top = q;
    top.z = grid.coordinate(2, std::floor(row));
    return here + (1 - part) * slowness_at(model, top) * (1 / jump - 1);
}

MetricSlowness metric_slowness_point(const Model& model, Vec3 u) {
    const Shape shape = model.grid().shape;
    const auto velocity = model.velocity();
    Index3 cell;
    Vec3 part;
    for (int axis = 0; axis < 3; ++axis) {
        cell[axis] = std::clamp(static_cast<int>(u[axis]), 0, std::max(0, shape[axis] - 2));
        part[axis] = u[axis] - cell[axis];
    }
    const auto& jumps = model.coordinates().jumps;
    const double top = jumps.empty() ? 1 : 1 / jumps[static_cast<std::size_t>(cell.z)];
    MetricSlowness out;
    for (int i = 0; i < std::min(2, shape.x); ++i) {
        const double wx = i ? part.x : 1 - part.x;
        for (int j = 0; j < std::min(2, shape.y); ++j) {
            const double wy = shape.y == 1 ? 1 : (j ? part.y : 1 - part.y);
            const float* const line = &velocity(cell.x + i, cell.y + j, cell.z);
            const double high = top / static_cast<double>(line[0]);
            const double low = 1 / static_cast<double>(line[1]);
            const double here = high + part.z * (low - high);
            out.slowness += wx * wy * here;
            out.by_node.x += (i ? wy : -wy) * here;
            if (shape.y > 1) out.by_node.y += (j ? wx : -wx) * here;
            out.by_node.z += wx * wy * (low - high);
        }
    }
    return out;
}

namespace {

/// S = D^-1 at a point, in space.
Mat3 squared_slowness(const Model& model, Vec3 q) {
    const Metric& metric = *model.metric();
    const double s = metric_slowness(model, q);
    if (metric.isotropic()) return (s * s) * Mat3::identity();
    const Mat3 frame = metric.mapping().frame(q);
    return (s * s) * (frame * inverse(metric.tensor_at(model.grid(), q)) * transposed(frame));
}

Thomsen thomsen_in_space(const Model& model, Vec3 q) {
    const Metric& metric = *model.metric();
    Thomsen medium = metric.thomsen_at(model.grid(), q);
    medium.axis = metric.mapping().frame(q) * medium.axis;
    return medium;
}

void put(const Mat3& m, double (&to)[3][3]) {
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) to[r][c] = m(r, c);
    }
}

}  // namespace

MetricFactor::MetricFactor(const Model& model, Vec3 source)
    : position_(source), place_(model.mapping().place(source)) {
    const Grid& grid = model.grid();
    const Metric& metric = *model.metric();
    slowness_ = metric_slowness(model, source);
    has_thomsen_ = metric.has_thomsen();
    if (has_thomsen_) {
        thomsen_ = thomsen_in_space(model, source);
        series_ = GroupSeries(thomsen_);
        return;
    }
    put(squared_slowness(model, source), ellipse_.slowness);
    if (metric.isotropic()) return;
    ellipse_.varies = true;
    std::array<Mat3, 3> variation;
    const Mat3 to_grid = inverse(metric.mapping().jacobian(source));
    for (int axis = 0; axis < 3; ++axis) {
        if (axis == 1 && grid.is_2d()) continue;
        Vec3 low = source;
        Vec3 high = source;
        low[axis] -= grid.spacing[axis];
        high[axis] += grid.spacing[axis];
        low = grid.clamp(low);
        high = grid.clamp(high);
        const Mat3 below = squared_slowness(model, low);
        const Mat3 above = squared_slowness(model, high);
        const double per = 0.5 / (high[axis] - low[axis]);
        const Mat3 slope = per * (above + -1.0 * below);
        // Beside air the variation is unknown.
        if (!std::isfinite(slope(0, 0) + slope(1, 1) + slope(2, 2))) continue;
        for (int k = 0; k < 3; ++k) {
            auto& out = variation[static_cast<std::size_t>(k)];
            out = out + to_grid(axis, k) * slope;
        }
    }
    for (std::size_t k = 0; k < 3; ++k) put(variation[k], ellipse_.variation[k]);
}

MetricFactor::Shape0 MetricFactor::shape() const {
    Shape0 out{{}, {}, thomsen_};
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            out.squared_slowness(r, c) = ellipse_.slowness[r][c];
            for (std::size_t k = 0; k < 3; ++k) {
                out.variation[k](r, c) = ellipse_.variation[k][r][c];
            }
        }
    }
    return out;
}

MetricFactor MetricFactor::with(const Shape0& shape) const {
    MetricFactor out = *this;
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            out.ellipse_.slowness[r][c] = shape.squared_slowness(r, c);
            for (std::size_t k = 0; k < 3; ++k) {
                out.ellipse_.variation[k][r][c] = shape.variation[k](r, c);
            }
        }
    }
    out.thomsen_ = shape.thomsen;
    if (has_thomsen_) out.series_ = GroupSeries(shape.thomsen);
    return out;
}

void MetricFactor::squares_at(std::span<const MappedPoint> line, SquareLine& out) const {
    using V = Lanes<double>;
    constexpr std::size_t lanes = lane_count<double>;
    const std::size_t padded = (line.size() + lanes - 1) / lanes * lanes;
    for (auto* const values : {&out.value, &out.x, &out.y, &out.z}) values->resize(padded);
    for (std::size_t first = 0; first < padded; first += lanes) {
        V x;
        V y;
        V z;
        for (std::size_t n = 0; n < lanes; ++n) {
            const Vec3 place = line[std::min(first + n, line.size() - 1)].place;
            x[n] = place.x;
            y[n] = place.y;
            z[n] = place.z;
        }
        const SquareOf<V> square = square_of<V>(x - place_.x, y - place_.y, z - place_.z);
        store(out.value.data() + first, square.value);
        store(out.x.data() + first, square.x);
        store(out.y.data() + first, square.y);
        store(out.z.data() + first, square.z);
    }
}

std::vector<double> parts_between_jumps(const Model& model, Vec3 from, Vec3 to) {
    const auto& jumps = model.coordinates().jumps;
    const double first = model.grid().to_index(from).z;
    const double last = model.grid().to_index(to).z;
    std::vector<double> ends = {0};
    const double low = std::min(first, last);
    const double high = std::max(first, last);
    constexpr double apart = 1e-9;
    for (auto row = static_cast<std::size_t>(std::max(0.0, std::ceil(low)));
         row < jumps.size() && static_cast<double>(row) < high; ++row) {
        const double part = (static_cast<double>(row) - first) / (last - first);
        if (jumps[row] != 1 && part > apart && part < 1 - apart) ends.push_back(part);
    }
    ends.push_back(1);
    std::sort(ends.begin(), ends.end());
    return ends;
}

double line_time(const Model& model, Vec3 q, Vec3 d) {
    const double s = metric_slowness(model, q);
    if (!std::isfinite(s)) return s;
    const Metric& metric = *model.metric();
    if (metric.isotropic()) return s * norm(d);
    if (metric.has_thomsen()) return s * group_time(thomsen_in_space(model, q), d).time;
    return std::sqrt(dot(d, squared_slowness(model, q) * d));
}

Vec3 line_slowness(const Model& model, Vec3 q, Vec3 d) {
    const Metric& metric = *model.metric();
    if (metric.has_thomsen()) {
        return metric_slowness(model, q) * group_time(thomsen_in_space(model, q), d).slowness;
    }
    const Vec3 half = squared_slowness(model, q) * d;
    return (1 / std::sqrt(dot(d, half))) * half;
}

double straight_time(const Model& model, Vec3 from, Vec3 to) {
    double sum = 0;
    for_each_time_sample(model, from, to, [&](Vec3 q, Vec3 d, double weight) {
        sum += weight * line_time(model, q, d);
    });
    return sum;
}

}  // namespace fermat
