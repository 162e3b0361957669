#include "eikonal/metric/node_medium.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "core/parallel.hpp"
#include "eikonal/metric/node_steps.hpp"
#include "eikonal/metric/source_number.hpp"
#include "eikonal/stencil.hpp"
#include "eikonal/time_field.hpp"

namespace fermat {
namespace {

/// The axis of the sweeps for an axis of the grid: in 2-D the first one has one node.
int sweep_axis(const Grid& grid, int axis) { return grid.is_2d() && axis < 2 ? 1 - axis : axis; }

NodeNumber cross_number(int a, int b) {
    const int sum = a + b;
    return sum == 1 ? NodeNumber::xy : sum == 2 ? NodeNumber::xz : NodeNumber::yz;
}

template <class Visit>
void each_line(const Model& model, int threads, Visit visit) {
    const Grid& grid = model.grid();
    parallel_for(grid.shape.x, threads, [&](std::int64_t slab) {
        const int i = static_cast<int>(slab);
        std::vector<MappedPoint> line(static_cast<std::size_t>(grid.shape.z));
        for (int j = 0; j < grid.shape.y; ++j) {
            model.mapping().line(grid, i, j, line);
            visit(i, j, std::span<const MappedPoint>(line));
        }
    });
}

/// v^2 step A step^T.
Mat3 in_nodes(const Metric& metric, const Mat3& step, const Mat3& tensor, double velocity) {
    const double v2 = velocity * velocity;
    if (!is_aligned(metric)) return v2 * (step * tensor * transposed(step));
    Mat3 m;
    for (int a = 0; a < 3; ++a) {
        for (int b = 0; b <= a; ++b) {
            m(a, b) = m(b, a) = v2 * step(a, a) * step(b, b) * tensor(a, b);
        }
    }
    return m;
}

double mean_of(const Grid& grid, const Mat3& m) {
    return (m(0, 0) + m(2, 2) + (grid.is_2d() ? 0 : m(1, 1))) / grid.dimensions();
}

}  // namespace

Shape NodeMedium::shape() const {
    const Shape shape = model_.grid().shape;
    return model_.grid().is_2d() ? Shape{1, shape.x, shape.z} : shape;
}

void NodeMedium::put_tensor(NodeFields& fields, std::size_t node, Mat3 m) const {
    const Grid& grid = model_.grid();
    const double mean = mean_of(grid, m);
    if (grid.is_2d()) {
        m(0, 1) = m(1, 0) = m(1, 2) = m(2, 1) = 0;
        m(1, 1) = mean;
    }
    const double per = mean > 0 ? 1 / mean : 0;
    for (int a = 0; a < 3; ++a) {
        const int to = sweep_axis(grid, a);
        fields[static_cast<std::size_t>(to)][node] =
            mean > 0 ? static_cast<float>(per * m(a, a)) : 1.0F;
        for (int b = 0; b < a && full_; ++b) {
            fields[at(cross_number(to, sweep_axis(grid, b)))][node] =
                static_cast<float>(per * m(a, b));
        }
    }
}

NodeMedium::NodeMedium(const Model& model, int threads)
    : model_(model),
      full_(couples_axes(*model.metric())),
      mean_(model.grid().shape),
      kinks_(ground_kinks(model)) {
    const Grid& grid = model_.grid();
    const Metric& metric = *model_.metric();
    for (std::size_t n = 0; n <= at(NodeNumber::yz); ++n) {
        if (full_ || n <= at(NodeNumber::zz)) tensors_[n] = Field<float>(shape());
    }
    for (const double ratio : metric.coordinates().jumps) {
        jumps_.push_back(static_cast<float>(ratio * ratio));
    }
    if (!full_ && !grid.is_2d()) {
        make_diagonal(threads);
        find_long_cells(threads);
        return;
    }
    each_line(model_, threads, [&](int i, int j, std::span<const MappedPoint> line) {
        for (int k = 0; k < grid.shape.z; ++k) {
            const Index3 index{i, j, k};
            const std::size_t node = grid.shape.offset(index);
            const Mat3 step = steps_of(grid, metric, line[static_cast<std::size_t>(k)]);
            const Mat3 m = in_nodes(metric, step, metric.tensor(node), model_.velocity()(index));
            put_tensor(tensors_, node, m);
            mean_[node] = static_cast<float>(mean_of(grid, m));
        }
    });
    find_long_cells(threads);
}

/// By tr(M) tr(M^-1), which does not depend on axes: cells four times as long as wide, one way or
/// two, have (16 + 2) (1/16 + 2).
void NodeMedium::find_long_cells(int threads) {
    constexpr float most = 18 * 2.0625F;
    const auto slabs = static_cast<std::size_t>(model_.grid().shape.x);
    const std::size_t slab_size = mean_.size() / slabs;
    std::vector<char> found(slabs);
    parallel_for(static_cast<std::int64_t>(slabs), threads, [&](std::int64_t slab) {
        const std::size_t begin = static_cast<std::size_t>(slab) * slab_size;
        float longest = 0;
        for (std::size_t n = begin; n < begin + slab_size; ++n) {
            const auto value = [&](NodeNumber which) { return tensors_[at(which)][n]; };
            const float xx = value(NodeNumber::xx);
            const float yy = value(NodeNumber::yy);
            const float zz = value(NodeNumber::zz);
            float ix = 1 / xx;
            float iy = 1 / yy;
            float iz = 1 / zz;
            if (full_) {
                const float xy = value(NodeNumber::xy);
                const float xz = value(NodeNumber::xz);
                const float yz = value(NodeNumber::yz);
                const float cx = yy * zz - yz * yz;
                const float cy = xx * zz - xz * xz;
                const float cz = xx * yy - xy * xy;
                const float per =
                    1 / (xx * cx - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz));
                ix = cx * per;
                iy = cy * per;
                iz = cz * per;
            }
            longest = std::max(longest, (xx + yy + zz) * (ix + iy + iz));
        }
        found[static_cast<std::size_t>(slab)] = longest > most;
    });
    long_cells_ = std::any_of(found.begin(), found.end(), [](char one) { return one != 0; });
}

/// The numbers of tensors without cross terms: M_dd = v^2 A_dd / |dx/dq_d|^2.
void NodeMedium::make_diagonal(int threads) {
    const Grid& grid = model_.grid();
    const Metric& metric = *model_.metric();
    const auto& a = metric.anisotropy().values;
    each_line(model_, threads, [&](int i, int j, std::span<const MappedPoint> line) {
        for (int k = 0; k < grid.shape.z; ++k) {
            const std::size_t node = grid.shape.offset(i, j, k);
            const Mat3& jacobian = line[static_cast<std::size_t>(k)].jacobian;
            const double v = model_.velocity()[node];
            double m[3];
            for (int axis = 0; axis < 3; ++axis) {
                const double x = jacobian(0, axis);
                const double y = jacobian(1, axis);
                const double z = jacobian(2, axis);
                const double h = grid.spacing[axis];
                m[axis] = v * v / ((x * x + y * y + z * z) * h * h);
                if (!metric.isotropic()) m[axis] *= a[static_cast<std::size_t>(axis)][node];
            }
            const double mean = (m[0] + m[1] + m[2]) / 3;
            const double per = mean > 0 ? 1 / mean : 0;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                tensors_[axis][node] = mean > 0 ? static_cast<float>(per * m[axis]) : 1.0F;
            }
            mean_[node] = static_cast<float>(mean);
        }
    });
}

SourceNumbers NodeMedium::fields_of(const MetricFactor& factor, int threads) const {
    const Grid& grid = model_.grid();
    SourceNumbers out;
    NodeFields& fields = out.fields;
    for (std::size_t n = at(NodeNumber::gamma_x); n < node_numbers; ++n) {
        fields[n] = Field<float>(shape());
    }
    float* gamma[3];
    for (int axis = 0; axis < 3; ++axis) {
        const auto to = static_cast<std::size_t>(sweep_axis(grid, axis));
        gamma[axis] = fields[at(NodeNumber::gamma_x) + to].data();
    }
    const Vec3 h = steps_along(grid);
    float* const f2 = fields[at(NodeNumber::f2)].data();
    float* const tau = fields[at(NodeNumber::tau)].data();
    each_line(model_, threads, [&](int i, int j, std::span<const MappedPoint> line) {
        thread_local MetricFactor::SquareLine t0;
        factor.squares_at(line, t0);
        const std::size_t first = grid.shape.offset(i, j, 0);
        for (std::size_t k = 0; k < line.size(); ++k) {
            const std::size_t node = first + k;
            const Mat3& m = line[k].jacobian;
            const Vec3 along[3] = {{m(0, 0), m(1, 0), m(2, 0)},
                                   {m(0, 1), m(1, 1), m(2, 1)},
                                   {m(0, 2), m(1, 2), m(2, 2)}};
            const SourceNumber here =
                source_number(along, {t0.value[k], t0.x[k], t0.y[k], t0.z[k]}, mean_[node], h);
            for (int axis = 0; axis < 3; ++axis) gamma[axis][node] = here.gamma[axis];
            f2[node] = here.f2;
            tau[node] = unreached<float>;
        }
    });
    if (model_.metric()->has_thomsen()) {
        for (std::size_t n = 0; n <= at(NodeNumber::yz); ++n) fields[n] = tensors_[n].copy();
        out.first_f2 = fields[at(NodeNumber::f2)].copy();
        touch({}, out, threads);
    }
    out.starts = start_nodes(factor);
    for (const StartNode& start : out.starts) {
        const std::size_t node = shape().offset(start.node);
        fields[at(NodeNumber::tau)][node] = static_cast<float>(start.tau);
        fields[at(NodeNumber::f2)][node] = -1;
    }
    return out;
}

SourceNumbers NodeMedium::fields_of(const LayeredTimes& layers, const MetricFactor& factor,
                                    int threads) const {
    const Grid& grid = model_.grid();
    SourceNumbers out;
    NodeFields& fields = out.fields;
    for (std::size_t n = at(NodeNumber::gamma_x); n < node_numbers; ++n) {
        fields[n] = Field<float>(shape());
    }
    const auto field = [&](NodeNumber which) -> Field<float>& { return fields[at(which)]; };
    const auto by_axis = [&](int axis) -> Field<float>& {
        return fields[at(NodeNumber::gamma_x) + static_cast<std::size_t>(sweep_axis(grid, axis))];
    };
    std::vector<int> rows;
    for (int k = 0; k < grid.shape.z; ++k) {
        if (jumps_[static_cast<std::size_t>(k)] != 1) rows.push_back(k);
    }
    const auto columns =
        static_cast<std::size_t>(grid.shape.x) * static_cast<std::size_t>(grid.shape.y);
    out.gamma_below.resize(rows.size() * columns);
    const Vec3 h = steps_along(grid);
    parallel_for(grid.shape.x, threads, [&](std::int64_t slab) {
        const int i = static_cast<int>(slab);
        for (int j = 0; j < grid.shape.y; ++j) {
            const LayeredTimes::Column column = layers.column(i, j);
            std::size_t to_below =
                grid.shape.offset(i, j, 0) / static_cast<std::size_t>(grid.shape.z);
            for (int k = 0; k < grid.shape.z; ++k) {
                const std::size_t node = grid.shape.offset(i, j, k);
                const LayeredTimes::Node here = layers.node(column, k);
                const bool dead = !(here.time > 0) || !std::isfinite(here.time);
                const double per = dead ? 0 : 1 / here.time;
                for (int axis = 0; axis < 2; ++axis) {
                    by_axis(axis)[node] =
                        static_cast<float>(h[axis] * per * here.by_angle * column.by_axis[axis]);
                }
                field(NodeNumber::gamma_z)[node] = static_cast<float>(h.z * per * here.above);
                field(NodeNumber::f2)[node] =
                    dead ? -1.0F : static_cast<float>(per * per / static_cast<double>(mean_[node]));
                field(NodeNumber::tau)[node] = unreached<float>;
                if (jumps_[static_cast<std::size_t>(k)] == 1) continue;
                out.gamma_below[to_below] = static_cast<float>(h.z * per * here.below);
                to_below += columns;
            }
        }
    });
    out.starts = start_nodes(factor);
    for (StartNode& start : out.starts) {
        const std::size_t node = shape().offset(start.node);
        const Index3 index = grid.is_2d() ? Index3{start.node.y, 0, start.node.z} : start.node;
        start.tau = layers.ratio_to(grid.position(index));
        field(NodeNumber::tau)[node] = static_cast<float>(start.tau);
        field(NodeNumber::f2)[node] = -1;
    }
    return out;
}

SourceNumbers NodeMedium::starts_of(const MetricFactor& factor) const {
    SourceNumbers out;
    out.starts = start_nodes(factor);
    return out;
}

std::vector<StartNode> NodeMedium::start_nodes(const MetricFactor& factor) const {
    std::vector<StartNode> starts;
    const Grid& grid = model_.grid();
    const Vec3 where = grid.to_index(factor.position());
    Index3 first;
    Index3 last;
    for (int axis = 0; axis < 3; ++axis) {
        constexpr double reach = 1 + 1e-6;
        first[axis] = std::max(0, static_cast<int>(std::ceil(where[axis] - reach)));
        last[axis] =
            std::min(grid.shape[axis] - 1, static_cast<int>(std::floor(where[axis] + reach)));
    }
    for (int i = first.x; i <= last.x; ++i) {
        for (int j = first.y; j <= last.y; ++j) {
            for (int k = first.z; k <= last.z; ++k) {
                const Index3 index{i, j, k};
                if (model_.is_air(index)) continue;
                const Vec3 q = grid.position(index);
                const double t0 = factor.time(model_.mapping().place(q));
                const double time = straight_time(model_, factor.position(), q);
                if (!std::isfinite(time)) continue;
                starts.push_back(
                    {grid.is_2d() ? Index3{0, i, k} : index, t0 > 0 ? time / t0 : 1.0});
            }
        }
    }
    return starts;
}

void NodeMedium::touch(FieldView<const float> tau, SourceNumbers& of, int threads) const {
    NodeFields& fields = of.fields;
    const bool first = tau.data() == nullptr;
    const Grid& grid = model_.grid();
    const Metric& metric = *model_.metric();
    const TimeFieldView<float> view{grid, {}, 0, tau};
    each_line(model_, threads, [&](int i, int j, std::span<const MappedPoint> line) {
        for (int k = 0; k < grid.shape.z; ++k) {
            const Index3 index{i, j, k};
            const std::size_t node = grid.shape.offset(index);
            const double here = first ? 1.0 : static_cast<double>(tau[node]);
            if (!std::isfinite(here)) continue;
            // grad T / T0 per node. Only its direction matters.
            Vec3 slope;
            for (int axis = 0; axis < 3; ++axis) {
                if (axis == 1 && grid.is_2d()) continue;
                const auto to = static_cast<std::size_t>(sweep_axis(grid, axis));
                slope[axis] = here * fields[at(NodeNumber::gamma_x) + to][node] +
                              (first ? 0 : tau_slope(view, index, axis));
            }
            const Mat3 step = steps_of(grid, metric, line[static_cast<std::size_t>(k)]);
            const Vec3 slowness = transposed(step) * slope;
            const Mat3 m =
                in_nodes(metric, step, metric.tensor(node, slowness), model_.velocity()(index));
            put_tensor(fields, node, m);
            float& f2 = fields[at(NodeNumber::f2)][node];
            if (f2 > 0) {
                f2 = static_cast<float>(of.first_f2[node] * (mean_[node] / mean_of(grid, m)));
            }
        }
    });
}

NodeNumbers NodeMedium::numbers(const SourceNumbers& of, Vec3 source) const {
    const Grid& grid = model_.grid();
    NodeNumbers numbers;
    numbers.shape = shape();
    numbers.mean = mean_.data();
    numbers.long_cells = long_cells_;
    numbers.kinks = &kinks_;
    numbers.jumps = jumps_.empty() ? nullptr : jumps_.data();
    const Vec3 where = grid.to_index(source);
    numbers.source = grid.is_2d() ? Vec3{0, where.x, where.z} : where;
    for (std::size_t n = 0; n < node_numbers; ++n) {
        const Field<float>& field = of.fields[n].empty() ? tensors_[n] : of.fields[n];
        numbers.values[n] = field.empty() ? nullptr : field.data();
    }
    numbers.starts = of.starts;
    numbers.gamma_below = of.gamma_below.empty() ? nullptr : of.gamma_below.data();
    return numbers;
}

}  // namespace fermat
