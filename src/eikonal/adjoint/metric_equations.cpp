#include "eikonal/adjoint/metric_equations.hpp"

#include <cmath>

#include "core/parallel.hpp"
#include "eikonal/metric/node_steps.hpp"

namespace fermat {
namespace {

template <class Visit>
void for_each_node_line(const Model& model, int threads, Visit visit) {
    const Grid& grid = model.grid();
    parallel_for(grid.shape.x, threads, [&](std::int64_t slab) {
        const int i = static_cast<int>(slab);
        std::vector<MappedPoint> line(static_cast<std::size_t>(grid.shape.z));
        for (int j = 0; j < grid.shape.y; ++j) {
            model.mapping().line(grid, i, j, line);
            const std::size_t first = grid.shape.offset(i, j, 0);
            for (std::size_t k = 0; k < line.size(); ++k) visit(first + k, line[k]);
        }
    });
}

AxisValues<double> values_along(const double* tau, Shape shape, Index3 n, int axis) {
    const std::ptrdiff_t strides[3] = {static_cast<std::ptrdiff_t>(shape.y) * shape.z, shape.z, 1};
    const double* const here = tau + shape.offset(n);
    const auto at = [&](int steps) {
        const int place = n[axis] + steps;
        if (place < 0 || place >= shape[axis]) return unreached<double>;
        const double value = here[steps * strides[axis]];
        return value < reached_limit<double> ? value : unreached<double>;
    };
    return {at(-1), at(1), at(-2), at(2)};
}

}  // namespace

MetricEquations::MetricEquations(const Model& model, NodeSlowness slowness, int order, int threads)
    : model_(model),
      slowness_(slowness),
      order_(order),
      full_(couples_axes(*model.metric())),
      steps_(model.grid().node_count()),
      kinks_(ground_kinks(model)) {
    for_each_node_line(model, threads, [&](std::size_t node, const MappedPoint& here) {
        steps_[node] = steps_of(model_.grid(), *model_.metric(), here);
    });
}

MetricFactorNodes MetricEquations::factor_nodes(const MetricFactor& factor, int threads) const {
    const Grid& grid = model_.grid();
    MetricFactorNodes out;
    out.t0.resize(grid.node_count());
    out.gamma.resize(grid.node_count());
    const Vec3 h{grid.spacing.x, grid.is_2d() ? 0.0 : grid.spacing.y, grid.spacing.z};
    for_each_node_line(model_, threads, [&](std::size_t node, const MappedPoint& here) {
        const MetricFactor::Square square = factor.square_at(here.place);
        if (!(square.value > 0)) return;
        out.t0[node] = std::sqrt(square.value);
        const Vec3 slope = transposed(here.jacobian) * square.half_slope;
        for (int axis = 0; axis < 3; ++axis) {
            out.gamma[node][axis] = h[axis] * slope[axis] / square.value;
        }
    });
    return out;
}

Mat3 MetricEquations::tensor_in_nodes(std::size_t node, const Mat3& step, Vec3 p) const {
    const double v = 1 / slowness_[node];
    const Mat3 tensor = model_.metric()->tensor(node, transposed(step) * p);
    return (v * v) * (step * tensor * transposed(step));
}

void MetricEquations::set_tensor(OctantNode<double>& node, const Mat3& m, double t0) const {
    const bool flat = model_.grid().is_2d();
    const double mean = flat ? (m(0, 0) + m(2, 2)) / 2 : (m(0, 0) + m(1, 1) + m(2, 2)) / 3;
    const double per = 1 / mean;
    node.tensor = {per * m(0, 0), flat ? 1 : per * m(1, 1), per * m(2, 2), flat ? 0 : per * m(0, 1),
                   per * m(0, 2), flat ? 0 : per * m(1, 2)};
    node.coupling = full_ ? coupling_reach(node.tensor) : 0;
    node.f2 = per / (t0 * t0);
}

/// As TileKinks::bend.
void MetricEquations::bend(Index3 n, OctantBranch& branch, OctantNode<double>& node, Solution& out,
                           bool choose) const {
    if (!kinks_.any()) return;
    const Shape shape = model_.grid().shape;
    const bool flat = model_.grid().is_2d();
    const auto column = static_cast<std::size_t>(n.x) * static_cast<std::size_t>(shape.y) +
                        static_cast<std::size_t>(n.y);
    const double share = kinks_.share[static_cast<std::size_t>(n.z)];
    const auto side = [&](std::size_t low, bool from_low) {
        return share * static_cast<double>(kinks_.at_ground[from_low ? low : low + 1][column]);
    };
    out.bend_x = side(flat ? 2 : 0, branch.from_low[0]);
    out.bend_y = flat ? 0 : side(2, branch.from_low[1]);
    if (out.bend_x == 0 && out.bend_y == 0) return;
    for (int c = 0; c < 3; ++c) {
        out.step(2, c) -= out.bend_x * out.step(0, c) + out.bend_y * out.step(1, c);
    }
    node.gamma_x += out.bend_x * node.gamma_z;
    node.gamma_y += out.bend_y * node.gamma_z;
    if (!choose) return;
    const auto slope = [&](const AxisValues<double>& axis, double gamma, bool from_low) {
        const double p = -term_of<2>(chosen(axis, gamma, from_low), node.tau, 0.0).r;
        return from_low ? p : -p;
    };
    constexpr double limit = reached_limit<double>;
    const bool known = node.tau < limit && node.z.low < limit && node.z.high < limit &&
                       chosen(node.x, node.gamma_x, branch.from_low[0]).near < limit &&
                       (flat || chosen(node.y, node.gamma_y, branch.from_low[1]).near < limit);
    if (!known) return;
    const Vec3 p{slope(node.x, node.gamma_x, branch.from_low[0]),
                 flat ? 0 : slope(node.y, node.gamma_y, branch.from_low[1]),
                 centred_slope(node.z, node.tau, node.gamma_z)};
    const Mat3 m = tensor_in_nodes(shape.offset(n), out.step, p);
    branch.from_low[2] = (m * p).z >= 0;
}

template <bool Full>
MetricEquations::Solution MetricEquations::solve(const MetricFactorNodes& source, const double* tau,
                                                 Index3 n, const OctantBranch* held) const {
    const Shape shape = model_.grid().shape;
    const std::size_t at = shape.offset(n);
    OctantNode<double> node{};
    node.tau = tau[at] < reached_limit<double> ? tau[at] : unreached<double>;
    node.x = values_along(tau, shape, n, 0);
    node.y = values_along(tau, shape, n, 1);
    node.z = values_along(tau, shape, n, 2);
    node.gamma_x = source.gamma[at].x;
    node.gamma_y = source.gamma[at].y;
    node.gamma_z = source.gamma[at].z;
    Solution out;
    out.step = steps_[at];
    const double t0 = source.t0[at];
    Vec3 p{centred_slope(node.x, node.tau, node.gamma_x),
           model_.grid().is_2d() ? 0 : centred_slope(node.y, node.tau, node.gamma_y),
           centred_slope(node.z, node.tau, node.gamma_z)};
    if (!(node.tau < reached_limit<double>)) p = source.gamma[at];
    set_tensor(node, tensor_in_nodes(at, out.step, p), t0);
    OctantBranch branch;
    if (held != nullptr) {
        branch = *held;
    } else {
        const OctantSides<bool> from = octant_sides<Full, false>(node);
        branch.from_low = {from.x, from.y, from.z};
    }
    bend(n, branch, node, out, held == nullptr);
    const bool thomsen = model_.has_thomsen();
    if (out.bend_x != 0 || out.bend_y != 0) {
        set_tensor(node, tensor_in_nodes(at, out.step, p), t0);
    }
    out.octant = solve_octant<Full>(node, branch, order_, held == nullptr);
    constexpr int most_ellipses = 60;
    for (int k = 0; thomsen && k < most_ellipses && out.octant.per > 0; ++k) {
        const Vec3 before = out.octant.p;
        set_tensor(node, tensor_in_nodes(at, out.step, before), t0);
        out.octant = solve_octant<Full>(node, branch, order_, held == nullptr);
        if (norm(out.octant.p - before) <= 1e-15 * norm(before)) break;
    }
    out.f2 = node.f2;
    return out;
}

MetricEquations::Solution MetricEquations::solve(const MetricFactorNodes& source, const double* tau,
                                                 Index3 n, const OctantBranch* held) const {
    return full_ ? solve<true>(source, tau, n, held) : solve<false>(source, tau, n, held);
}

}  // namespace fermat
