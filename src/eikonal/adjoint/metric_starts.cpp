#include "eikonal/adjoint/metric_starts.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "eikonal/metric/line_slopes.hpp"

namespace fermat {
namespace {

/// The slowness at a point and the share of each corner of rock.
struct CornerShares {
    double slowness = INFINITY;
    std::array<std::pair<std::size_t, double>, 8> of;
    std::size_t count = 0;
};

CornerShares corner_shares(const Model& model, const NodeSlowness& slowness, Vec3 q) {
    CornerShares out;
    double sum = 0;
    for_each_corner(model.grid(), q, [&](Index3 n, double weight) {
        if (!(weight > 0) || model.is_air(n)) return;
        out.of[out.count++] = {model.grid().shape.offset(n), weight};
        sum += weight;
    });
    if (!(sum > 0)) return out;
    out.slowness = 0;
    for (std::size_t n = 0; n < out.count; ++n) {
        out.of[n].second /= sum;
        out.slowness += out.of[n].second * slowness[out.of[n].first];
    }
    return out;
}

/// The time of a short line of slowness 1 in the direction to which velocities refer.
double unit_time(const Model& model, Vec3 q, Vec3 d) {
    const Metric& metric = *model.metric();
    if (metric.isotropic()) return norm(d);
    const Vec3 along = transposed(metric.mapping().frame(q)) * d;
    if (metric.has_thomsen()) {
        return group_time(metric.thomsen_at(model.grid(), q), along).time;
    }
    return std::sqrt(dot(along, inverse(metric.tensor_at(model.grid(), q)) * along));
}

double start_time(const Model& model, const NodeSlowness& slowness, Vec3 from, Vec3 to) {
    double sum = 0;
    for_each_time_sample(model, from, to, [&](Vec3 q, Vec3 d, double weight) {
        if (!(norm(d) > 0)) return;
        sum += weight * corner_shares(model, slowness, q).slowness * unit_time(model, q, d);
    });
    return sum;
}

/// Hands dJ by parameters of Thomsen's medium at a point to the corners of its cell, as thomsen_at
/// interpolates.
void add_thomsen(const Model& model, Vec3 q, double epsilon, double delta, Vec3 axis,
                 AdjointGradient& sum) {
    const Metric& metric = *model.metric();
    const Grid& grid = model.grid();
    Vec3 first;
    Vec3 mean;
    const auto signed_axis = [&](std::size_t node) {
        const Vec3 here = metric.thomsen(node).axis;
        if (norm(first) == 0) first = here;
        return dot(first, here) < 0 ? -1.0 : 1.0;
    };
    for_each_corner(grid, q, [&](Index3 n, double weight) {
        const std::size_t node = grid.shape.offset(n);
        mean = mean + (signed_axis(node) * weight) * metric.thomsen(node).axis;
    });
    const double length = norm(mean);
    const Vec3 unit = mean / length;
    const Vec3 across = (axis - dot(axis, unit) * unit) / length;
    for_each_corner(grid, q, [&](Index3 n, double weight) {
        if (weight == 0) return;
        const std::size_t node = grid.shape.offset(n);
        sum.anisotropy[0][node] += weight * epsilon;
        sum.anisotropy[1][node] += weight * delta;
        for (int c = 0; c < 3; ++c) {
            sum.anisotropy[static_cast<std::size_t>(2 + c)][node] +=
                weight * signed_axis(node) * across[c];
        }
    });
}

/// dJ by A of the corners of a point's cell, from dJ by the mean B of their inverses: `by_mean`
/// counts every entry of B for itself.
void add_inverse_tensor(const Model& model, Vec3 q, const Mat3& by_mean, AdjointGradient& sum) {
    const Grid& grid = model.grid();
    for_each_corner(grid, q, [&](Index3 n, double weight) {
        if (weight == 0) return;
        const std::size_t node = grid.shape.offset(n);
        const Mat3 inverted = inverse(model.metric()->tensor(node));
        const Mat3 by = (-weight) * (inverted * by_mean * inverted);
        for (std::size_t entry = 0; entry < 6; ++entry) {
            const int r = tensor_entries[entry][0];
            const int c = tensor_entries[entry][1];
            sum.anisotropy[entry][node] += r == c ? by(r, r) : by(r, c) + by(c, r);
        }
    });
}

}  // namespace

std::vector<MetricStart> metric_starts(const Model& model, const NodeSlowness& slowness,
                                       Vec3 source) {
    const Grid& grid = model.grid();
    const Vec3 where = grid.to_index(source);
    Index3 first;
    Index3 last;
    for (int axis = 0; axis < 3; ++axis) {
        constexpr double reach = 1 + 1e-6;
        first[axis] = std::max(0, static_cast<int>(std::ceil(where[axis] - reach)));
        last[axis] =
            std::min(grid.shape[axis] - 1, static_cast<int>(std::floor(where[axis] + reach)));
    }
    std::vector<MetricStart> out;
    for (int i = first.x; i <= last.x; ++i) {
        for (int j = first.y; j <= last.y; ++j) {
            for (int k = first.z; k <= last.z; ++k) {
                const Index3 n{i, j, k};
                if (model.is_air(n)) continue;
                const double time = start_time(model, slowness, source, grid.position(n));
                if (std::isfinite(time)) out.push_back({grid.shape.offset(n), time});
            }
        }
    }
    return out;
}

namespace {

/// Calls visit(axis, low, high) for the points beside the source from which MetricFactor takes the
/// variation of S.
template <class Visit>
void for_each_variation(const Grid& grid, Vec3 source, Visit visit) {
    for (int axis = 0; axis < 3; ++axis) {
        if (axis == 1 && grid.is_2d()) continue;
        Vec3 low = source;
        Vec3 high = source;
        low[axis] -= grid.spacing[axis];
        high[axis] += grid.spacing[axis];
        visit(axis, grid.clamp(low), grid.clamp(high));
    }
}

}  // namespace

MetricFactor exact_factor(const Model& model, const NodeSlowness& slowness, Vec3 source) {
    const MetricFactor factor(model, source);
    const Metric& metric = *model.metric();
    // Of these T0 hangs on the slowness as a whole, which T = T0 tau does not feel.
    if (metric.isotropic() || metric.has_thomsen()) return factor;
    const auto square = [&](Vec3 q) {
        const double s = corner_shares(model, slowness, q).slowness;
        const Mat3 frame = metric.mapping().frame(q);
        return (s * s) * (frame * inverse(metric.tensor_at(model.grid(), q)) * transposed(frame));
    };
    MetricFactor::Shape0 shape = factor.shape();
    shape.squared_slowness = square(source);
    shape.variation = {};
    const Mat3 to_grid = inverse(metric.mapping().jacobian(source));
    for_each_variation(model.grid(), source, [&](int axis, Vec3 low, Vec3 high) {
        const double per = 0.5 / (high[axis] - low[axis]);
        const Mat3 slope = per * (square(high) + -1.0 * square(low));
        if (!std::isfinite(slope(0, 0) + slope(1, 1) + slope(2, 2))) return;
        for (int k = 0; k < 3; ++k) {
            auto& out = shape.variation[static_cast<std::size_t>(k)];
            out = out + to_grid(axis, k) * slope;
        }
    });
    return factor.with(shape);
}

void add_start(const Model& model, const NodeSlowness& slowness, Vec3 source,
               const MetricStart& start, double by_time, AdjointGradient& sum) {
    const Grid& grid = model.grid();
    const Metric& metric = *model.metric();
    const auto z = static_cast<std::size_t>(grid.shape.z);
    const auto y = static_cast<std::size_t>(grid.shape.y);
    const Vec3 to =
        grid.position({static_cast<int>(start.node / (y * z)), static_cast<int>(start.node / z % y),
                       static_cast<int>(start.node % z)});
    for_each_time_sample(model, source, to, [&](Vec3 q, Vec3 d, double weight) {
        if (!(norm(d) > 0)) return;
        const CornerShares shares = corner_shares(model, slowness, q);
        const double unit = unit_time(model, q, d);
        for (std::size_t n = 0; n < shares.count; ++n) {
            sum.slowness[shares.of[n].first] += by_time * weight * unit * shares.of[n].second;
        }
        if (metric.isotropic()) return;
        const Vec3 along = transposed(metric.mapping().frame(q)) * d;
        const double scale = by_time * weight * shares.slowness;
        if (metric.has_thomsen()) {
            const ThomsenSlopes s = thomsen_line_slopes(metric.thomsen_at(grid, q), along);
            add_thomsen(model, q, scale * s.epsilon, scale * s.delta, scale * s.axis, sum);
        } else {
            add_inverse_tensor(model, q, (0.5 * scale / unit) * outer(along), sum);
        }
    });
}

namespace {

/// dJ by a number that T0 hangs on, from T0 of two values of it that lie `apart`.
double along_factors(const MetricFactor& low, const MetricFactor& high, double apart,
                     const MetricFactorPull& pull) {
    double sum = pull.nodes(low, high);
    for (const auto& point : pull.points) {
        sum += point.by_t0 * (high.time(point.place) - low.time(point.place));
    }
    return sum / apart;
}

}  // namespace

Vec3 by_source_position(const Model& model, const NodeSlowness& slowness, Vec3 source,
                        const MetricFactorPull& pull) {
    const Grid& grid = model.grid();
    Vec3 out;
    for (int axis = 0; axis < 3; ++axis) {
        if (axis == 1 && grid.is_2d()) continue;
        constexpr double step = 1e-5;
        Vec3 low = source;
        Vec3 high = source;
        const double at = grid.index_along(axis, source[axis]);
        low[axis] = grid.coordinate(axis, at - step);
        high[axis] = grid.coordinate(axis, at + step);
        low = grid.clamp(low);
        high = grid.clamp(high);
        const double apart = high[axis] - low[axis];
        out[axis] = along_factors(exact_factor(model, slowness, low),
                                  exact_factor(model, slowness, high), apart, pull);
        for (const auto& start : pull.starts) {
            const auto z = static_cast<std::size_t>(grid.shape.z);
            const auto y = static_cast<std::size_t>(grid.shape.y);
            const Vec3 to = grid.position({static_cast<int>(start.node / (y * z)),
                                           static_cast<int>(start.node / z % y),
                                           static_cast<int>(start.node % z)});
            out[axis] +=
                start.by_time *
                (start_time(model, slowness, high, to) - start_time(model, slowness, low, to)) /
                apart;
        }
    }
    return out;
}

void add_factor_shape(const Model& model, const NodeSlowness& slowness, const MetricFactor& factor,
                      const MetricFactorPull& pull, AdjointGradient& sum) {
    const Grid& grid = model.grid();
    const Metric& metric = *model.metric();
    const Vec3 source = factor.position();
    const MetricFactor::Shape0 shape = factor.shape();
    const auto slope_by = [&](double step, auto change) {
        MetricFactor::Shape0 low = shape;
        MetricFactor::Shape0 high = shape;
        change(low, -step);
        change(high, step);
        return along_factors(factor.with(low), factor.with(high), 2 * step, pull);
    };
    if (metric.has_thomsen()) {
        constexpr double step = 1e-5;
        const double epsilon = slope_by(step, [](auto& s, double by) { s.thomsen.epsilon += by; });
        const double delta = slope_by(step, [](auto& s, double by) { s.thomsen.delta += by; });
        Vec3 axis;
        for (int c = 0; c < 3; ++c) {
            axis[c] = slope_by(step, [c](auto& s, double by) {
                s.thomsen.axis[c] += by;
                s.thomsen.axis = s.thomsen.axis / norm(s.thomsen.axis);
            });
        }
        axis = transposed(metric.mapping().frame(source)) * axis;
        add_thomsen(model, source, epsilon, delta, axis, sum);
        return;
    }
    // dJ by S at the source, and by its values beside the source, of which the variation is made.
    // Every entry of a matrix counts for itself.
    const auto by_matrix = [&](double step, auto matrix_of) {
        Mat3 out;
        for (int r = 0; r < 3; ++r) {
            for (int c = 0; c <= r; ++c) {
                const double by = slope_by(step, [&](auto& s, double change) {
                    Mat3& m = matrix_of(s);
                    m(r, c) += change;
                    if (r != c) m(c, r) += change;
                });
                out(r, c) = out(c, r) = r == c ? by : by / 2;
            }
        }
        return out;
    };
    const auto add_point = [&](Vec3 q, const Mat3& by) {
        const Mat3 frame = metric.mapping().frame(q);
        const Mat3 by_frame = transposed(frame) * by * frame;
        const CornerShares shares = corner_shares(model, slowness, q);
        const double s = shares.slowness;
        const Mat3 inverted = inverse(metric.tensor_at(grid, q));
        double by_slowness = 0;
        for (int r = 0; r < 3; ++r) {
            for (int c = 0; c < 3; ++c) by_slowness += 2 * s * by_frame(r, c) * inverted(r, c);
        }
        for (std::size_t n = 0; n < shares.count; ++n) {
            sum.slowness[shares.of[n].first] += by_slowness * shares.of[n].second;
        }
        add_inverse_tensor(model, q, (s * s) * by_frame, sum);
    };
    const double scale = shape.squared_slowness(0, 0) + shape.squared_slowness(2, 2);
    const double step = 1e-5 * scale;
    add_point(source, by_matrix(step, [](auto& s) -> Mat3& { return s.squared_slowness; }));
    const double width =
        distance(model.mapping().place(grid.origin), model.mapping().place(grid.far_corner()));
    std::array<Mat3, 3> by_variation;
    for (std::size_t k = 0; k < 3; ++k) {
        by_variation[k] = by_matrix(step / width, [k](auto& s) -> Mat3& { return s.variation[k]; });
    }
    const Mat3 to_grid = inverse(metric.mapping().jacobian(source));
    for_each_variation(grid, source, [&](int axis, Vec3 low, Vec3 high) {
        if (!std::isfinite(metric_slowness(model, low) + metric_slowness(model, high))) return;
        Mat3 by;
        for (int k = 0; k < 3; ++k) {
            by = by + to_grid(axis, k) * by_variation[static_cast<std::size_t>(k)];
        }
        const double per = 0.5 / (high[axis] - low[axis]);
        add_point(high, per * by);
        add_point(low, (-per) * by);
    });
}

}  // namespace fermat
