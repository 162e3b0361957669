#include "eikonal/metric/metric_field.hpp"

#include <cmath>
#include <vector>

#include "core/parallel.hpp"
#include "eikonal/metric/kinked_tau.hpp"

namespace fermat {
namespace {

/// The gradient of tau with respect to grid coordinates in a cell. Differences of tau between nodes
/// belong to the Jacobians at the nodes, which may differ from that of the cell where grid lines
/// have kinks, as below a ridge.
Vec3 cell_gradient(const MetricField& field, Vec3 q, const Mat3& jacobian, Vec3 between_nodes) {
    const Coordinates system = field.model.coordinates().system;
    if (system != Coordinates::terrain && system != Coordinates::graded) return between_nodes;
    Mat3 at_nodes;
    for_each_corner(field.grid(), q, [&](Index3 n, double weight) {
        if (weight != 0) {
            at_nodes = at_nodes + weight * field.mapping().node_jacobian(field.grid(), n);
        }
    });
    return transposed(inverse(at_nodes) * jacobian) * between_nodes;
}

}  // namespace

namespace {

/// T / T_L is smooth and near 1, so that it is multilinear between nodes.
double layered_time_at(const MetricField& field, Vec3 q) {
    double ratio = 0;
    for_each_corner(field.grid(), q, [&](Index3 n, double weight) {
        if (weight == 0) return;
        const double layered = field.layers->time(field.layers->column(n.x, n.y), n.z);
        const double t0 = field.factor.time(field.mapping().place(field.grid().position(n)));
        ratio += weight * static_cast<double>(field.tau(n)) * (layered > 0 ? t0 / layered : 1);
    });
    return field.start_time + field.layers->time(q) * ratio;
}

}  // namespace

double time_at(const MetricField& field, Vec3 q) {
    if (field.layers) {
        const double time = layered_time_at(field, q);
        if (std::isfinite(time)) return time;
    }
    if (field.model.coordinates().jumps.empty()) return multilinear_time_at(field, q);
    const double near = field.near_source ? field.near_source(q) : INFINITY;
    if (std::isfinite(near)) return field.start_time + near;
    const double tau = kinked_tau(field, q);
    if (!std::isfinite(tau)) return multilinear_time_at(field, q);
    return field.start_time + field.factor.time(field.mapping().place(q)) * tau;
}

double multilinear_time_at(const MetricField& field, Vec3 q) {
    const double t0 = field.factor.time(field.mapping().place(q));
    return t0 == 0 ? field.start_time : field.start_time + t0 * tau_at(field.tau_view(), q);
}

TimePoint time_point(const MetricField& field, Vec3 q) {
    const auto view = field.tau_view();
    const TauPoint tau = field.grid().is_2d() ? tau_point<2>(view, q) : tau_point<3>(view, q);
    const MetricFactor::Value t0 = field.factor.at(field.mapping().place(q));
    if (t0.time == 0) return {field.start_time, {}};
    if (!std::isfinite(tau.tau)) return {};
    const Mat3 jacobian = field.mapping().jacobian(q);
    Vec3 gradient = t0.time * cell_gradient(field, q, jacobian, tau.gradient) +
                    tau.tau * (transposed(jacobian) * t0.gradient);
    if (field.grid().is_2d()) gradient.y = 0;
    return {field.start_time + t0.time * tau.tau, gradient};
}

Vec3 frame_gradient(const MetricField& field, Vec3 q) {
    const Mat3 to_frame = inverse(field.mapping().jacobian(q)) * field.mapping().frame(q);
    return transposed(to_frame) * time_point(field, q).gradient;
}

Vec3 group_velocity(const MetricField& field, Vec3 q, Vec3 gradient) {
    const double s = metric_slowness(field.model, q);
    // Columns: the grid coordinates of steps along the directions of the frame.
    const Mat3 step = inverse(field.mapping().jacobian(q)) * field.mapping().frame(q);
    const Vec3 slowness = transposed(step) * gradient;
    const Mat3 tensor = field.model.metric()->tensor_at(field.grid(), q, slowness);
    Vec3 out = (1 / (s * s)) * (step * (tensor * slowness));
    if (field.grid().is_2d()) out.y = 0;
    return out;
}

void to_straight_factor(MetricField& field, int threads) {
    const Grid& grid = field.grid();
    const Shape shape = grid.shape;
    parallel_for(shape.x, threads, [&](std::int64_t slab) {
        const int i = static_cast<int>(slab);
        std::vector<MappedPoint> line(static_cast<std::size_t>(shape.z));
        MetricFactor::SquareLine t0;
        for (int j = 0; j < shape.y; ++j) {
            field.mapping().line(grid, i, j, line);
            field.factor.squares_at(line, t0);
            const LayeredTimes::Column column = field.layers->column(i, j);
            for (int k = 0; k < shape.z; ++k) {
                const double square = t0.value[static_cast<std::size_t>(k)];
                if (!(square > 0)) continue;
                const double ratio = field.layers->time(column, k) / std::sqrt(square);
                field.tau(i, j, k) *= static_cast<float>(ratio);
            }
        }
    });
}

void write_times(const MetricField& field, FieldView<float> times, int threads) {
    const Grid& grid = field.grid();
    const Shape shape = grid.shape;
    parallel_for(shape.x, threads, [&](std::int64_t slab) {
        const int i = static_cast<int>(slab);
        const auto count = static_cast<std::size_t>(shape.z);
        std::vector<MappedPoint> line(count);
        MetricFactor::SquareLine t0;
        for (int j = 0; j < shape.y; ++j) {
            field.mapping().line(grid, i, j, line);
            field.factor.squares_at(line, t0);
            const float* const tau = &field.tau(i, j, 0);
            float* const to = &times(i, j, 0);
            for (std::size_t k = 0; k < count; ++k) {
                // Unreached nodes have an infinite tau, and T0 is 0 at the source.
                const double since = std::sqrt(t0.value[k]) * static_cast<double>(tau[k]);
                to[k] = static_cast<float>(field.start_time + (t0.value[k] == 0 ? 0 : since));
            }
        }
    });
}

}  // namespace fermat
