#include "tomography/gauss_newton/linear_step.hpp"

#include <cmath>
#include <utility>

namespace fermat {
namespace {

using Vector = std::vector<double>;

double dot(std::span<const double> a, std::span<const double> b) {
    // Four sums side by side, always the same ones.
    double sums[4] = {0, 0, 0, 0};
    std::size_t n = 0;
    for (; n + 4 <= a.size(); n += 4) {
        for (std::size_t lane = 0; lane < 4; ++lane) sums[lane] += a[n + lane] * b[n + lane];
    }
    double sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    for (; n < a.size(); ++n) sum += a[n] * b[n];
    return sum;
}

void add_scaled(Vector& to, double factor, const Vector& from) {
    for (std::size_t n = 0; n < to.size(); ++n) to[n] += factor * from[n];
}

}  // namespace

StepSolver::StepSolver(const Unknowns& unknowns, const Roughness& roughness, int threads)
    : roughness_(roughness), spectral_(unknowns, roughness), threads_(threads) {}

double StepSolver::roughness_of(std::span<const double> x) const {
    Vector rx(x.size());
    roughness_.apply(x, rx, threads_);
    return dot(x, rx);
}

std::vector<double> StepSolver::solve(const WeightedRows& rows, std::span<const double> residual,
                                      std::span<const double> x, const StepWeights& weights) {
    Vector right(x.size());
    Vector smooth(x.size());
    rows.transposed_times(residual, right, threads_);
    roughness_.apply(x, smooth, threads_);
    add_scaled(right, -weights.lambda, smooth);
    return solve(rows, std::move(right), weights.lambda + weights.damping, {}).d;
}

LinearSolution StepSolver::solve(const WeightedRows& rows, std::vector<double> right, double weight,
                                 const SolveLimits& limits) {
    const std::size_t n = right.size();
    const double mean = rows.trace() / static_cast<double>(n);
    Vector along(rows.rows());
    Vector smooth(n);
    const auto multiply = [&](const Vector& in, Vector& out) {
        rows.times(in, along, threads_);
        rows.transposed_times(along, out, threads_);
        roughness_.apply(in, smooth, threads_);
        add_scaled(out, weight, smooth);
    };

    Vector d(n, 0.0);
    Vector& r = right;
    Vector z(n);
    spectral_.solve(r, z, weight, mean, threads_);
    Vector p = z;
    Vector ap(n);
    double rz = dot(r, z);
    const double enough = limits.accuracy * limits.accuracy * rz;
    for (int n_steps = 0; n_steps < limits.most_iterations && rz > enough; ++n_steps) {
        multiply(p, ap);
        const double curvature = dot(p, ap);
        if (!(curvature > 0)) break;
        const double step = rz / curvature;
        add_scaled(d, step, p);
        add_scaled(r, -step, ap);
        spectral_.solve(r, z, weight, mean, threads_);
        const double next = dot(r, z);
        const double share = next / rz;
        rz = next;
        for (std::size_t u = 0; u < n; ++u) p[u] = z[u] + share * p[u];
    }
    return {std::move(d), rz <= enough};
}

}  // namespace fermat
