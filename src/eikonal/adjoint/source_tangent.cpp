#include "eikonal/adjoint/source_tangent.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/mat3.hpp"
#include "core/parallel.hpp"
#include "eikonal/adjoint/node_scheme.hpp"

namespace fermat {
namespace {

constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

template <int Dim, int Order>
void substitute_forward(const AdjointSurvey& survey, const SourceStarts& starts,
                        const BasicTimeField<double>& field, std::vector<Vec3>& by_source,
                        Monitor& monitor) {
    const Grid& grid = field.grid;
    const NodeScheme<double, Dim, Order> scheme(field.view(), survey.slowness(), starts);
    const std::ptrdiff_t strides[3] = {static_cast<std::ptrdiff_t>(grid.shape.y) * grid.shape.z,
                                       grid.shape.z, 1};
    std::vector<double> time(field.tau.size());
    std::vector<std::uint32_t> order;
    for (std::size_t n = 0; n < time.size(); ++n) {
        if (!std::isfinite(field.tau[n])) continue;
        if (starts.holds(n)) {
            by_source[n] = starts.derivative(n, [](std::size_t, double) {});
            continue;
        }
        time[n] = field.factor.value(grid.position(scheme.index_of(n))) * field.tau[n];
        order.push_back(static_cast<std::uint32_t>(n));
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return time[a] < time[b]; });
    constexpr auto axes = EquationAxes<Dim>::of_grid();
    // A node's neighbours are earlier, but for rounding: a second pass finds nothing new.
    double change = 1;
    for (int pass = 0; pass < 20 && change > 1e-13; ++pass) {
        monitor.check();
        change = 0;
        double most = 0;
        for (const std::uint32_t n : order) {
            const auto single = scheme.single(n, scheme.index_of(n));
            Vec3 sum = scheme.source_scale() * single.by_source;
            for (int d = 0; d < Dim; ++d) {
                const AxisDerivative<double>& by = single.by.axis[d];
                const std::ptrdiff_t step =
                    by.from_low ? -strides[axes.axis[d]] : strides[axes.axis[d]];
                if (by.near != 0)
                    sum = sum + by.near * by_source[n + static_cast<std::size_t>(step)];
                if (by.far != 0) {
                    sum = sum + by.far * by_source[n + static_cast<std::size_t>(2 * step)];
                }
            }
            change = std::max(change, norm(sum - by_source[n]));
            most = std::max(most, norm(sum));
            by_source[n] = sum;
        }
        change = most > 0 ? change / most : 0;
    }
}

/// Differences of values on nodes along the axes: centred, or one-sided beside what no wave
/// reaches, of second order where two nodes are there.
class NodeSlopes {
  public:
    NodeSlopes(const BasicTimeField<double>& field) : field_(field), shape_(field.grid.shape) {}

    template <class Value>
    auto along(Index3 n, int axis, Value value) const {
        using Result = decltype(value(std::size_t{}));
        if (shape_[axis] == 1) return Result{};
        const double h = field_.grid.spacing_along(axis);
        const auto at = [&](int steps) { return value(offset(n, axis, steps)); };
        const bool low = has(n, axis, -1);
        const bool high = has(n, axis, 1);
        if (low && high) return (0.5 / h) * (at(1) - at(-1));
        if (!low && !high) return Result{};
        const int side = low ? -1 : 1;
        if (!has(n, axis, 2 * side)) return (side / h) * (at(side) - at(0));
        return (side * 0.5 / h) * (4.0 * at(side) - at(2 * side) - 3.0 * at(0));
    }

  private:
    std::size_t offset(Index3 n, int axis, int steps) const {
        n[axis] += steps;
        return shape_.offset(n);
    }
    bool has(Index3 n, int axis, int steps) const {
        const int place = n[axis] + steps;
        return place >= 0 && place < shape_[axis] &&
               std::isfinite(field_.tau[offset(n, axis, steps)]);
    }

    const BasicTimeField<double>& field_;
    Shape shape_;
};

/// The determinant of M across directions a (at the node) and b (at the source): what M makes of
/// the plane across b, seen along a. In 2-D y does not count.
double across(const Mat3& m, Vec3 a, Vec3 b, bool flat) {
    if (flat) {
        const Vec3 left{-a.z, 0, a.x};
        const Vec3 right{-b.z, 0, b.x};
        return dot(left, m * right);
    }
    double sum = 0;
    for (int i = 0; i < 3; ++i) {
        const Vec3 rows = crossed(row_of(m, (i + 1) % 3), row_of(m, (i + 2) % 3));
        sum += a[i] * dot(rows, b);
    }
    return sum;
}

}  // namespace

std::vector<Vec3> source_tangent(const AdjointSurvey& survey, std::size_t source,
                                 const BasicTimeField<double>& field, const Execution& execution) {
    std::vector<Vec3> by_source(field.tau.size());
    const SourceStarts starts(survey.model(), survey.slowness(), survey.sources()[source].position);
    const auto run = [&]<int Dim, int Order>() {
        substitute_forward<Dim, Order>(survey, starts, field, by_source, execution.monitor);
    };
    const bool first_order = survey.options().order == 1;
    if (field.grid.is_2d()) {
        first_order ? run.template operator()<2, 1>() : run.template operator()<2, 2>();
        for (Vec3& slope : by_source) slope.y = 0;
    } else {
        first_order ? run.template operator()<3, 1>() : run.template operator()<3, 2>();
    }
    return by_source;
}

RayAmplitudes ray_amplitudes(const AdjointSurvey& survey, std::size_t source,
                             const Execution& execution) {
    const auto field = survey.solve<double>(source, execution);
    const Grid& grid = field.grid;
    const bool flat = grid.is_2d();
    const std::vector<Vec3> q = source_tangent(survey, source, field, execution);
    RayAmplitudes out;
    out.times = Field<double>(grid.shape, std::numeric_limits<double>::infinity());
    out.spreading = Field<double>(grid.shape, std::numeric_limits<double>::infinity());
    out.takeoff.resize(grid.node_count());
    const double s0 = field.factor.slowness;
    const NodeSlopes slopes(field);
    parallel_for(grid.shape.x, resolve_threads(execution.threads), [&](std::int64_t slab) {
        for (int j = 0; j < grid.shape.y; ++j) {
            for (int k = 0; k < grid.shape.z; ++k) {
                const Index3 n{static_cast<int>(slab), j, k};
                const std::size_t node = grid.shape.offset(n);
                const double w = s0 * field.tau[node];
                if (!std::isfinite(w)) continue;
                Vec3 x = field.factor.from_source(grid.position(n));
                if (flat) x.y = 0;
                const double r = norm(x);
                out.times[node] = field.start_time + r * w;
                if (r == 0) {
                    out.spreading[node] = 0;
                    continue;
                }
                const Vec3 e = x / r;
                const Vec3 leaving = w * e - r * q[node];
                out.takeoff[node] = leaving / norm(leaving);
                Mat3 m;
                Vec3 slope;
                for (int i = 0; i < 3; ++i) {
                    if (flat && i == 1) continue;
                    const double by_w = slopes.along(
                        n, i, [&](std::size_t other) { return s0 * field.tau[other]; });
                    const Vec3 by_q =
                        slopes.along(n, i, [&](std::size_t other) { return q[other]; });
                    slope[i] = w * e[i] + r * by_w;
                    for (int c = 0; c < 3; ++c) {
                        if (flat && c == 1) continue;
                        m(i, c) = by_w * e[c] + w * ((i == c ? 1 : 0) - e[i] * e[c]) / r -
                                  e[i] * q[node][c] - r * by_q[c];
                    }
                }
                const double turned = across(m, slope / norm(slope), out.takeoff[node], flat);
                const double per = flat ? norm(leaving) : dot(leaving, leaving);
                out.spreading[node] = turned > 0 ? std::sqrt(per / turned) : no_value;
            }
        }
    });
    return out;
}

}  // namespace fermat
