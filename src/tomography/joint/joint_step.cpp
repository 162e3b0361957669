#include "tomography/joint/joint_step.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "tomography/gauss_newton/vectors.hpp"

namespace fermat {
namespace {

using Vector = std::vector<double>;

/// The normal equations, without the unknowns of events.
class JointSystem {
  public:
    using Vector = std::vector<double>;

    JointSystem(const JointParts& parts, SpectralSolver& velocity, SpectralSolver& ratio,
                const PickMatrix& rows, std::span<const double> row_weights, double lambda)
        : parts_(parts),
          velocity_(velocity),
          ratio_(ratio),
          rows_(rows),
          row_weights_(row_weights),
          lambda_(lambda),
          by_slowness_(rows.columns()),
          along_(rows.rows()),
          smooth_(parts.layout.grid),
          term_diagonal_(parts.layout.terms, 1.0) {
        Vector squares(rows.columns());
        rows.column_squares(squares, parts.threads);
        const auto grid = static_cast<std::ptrdiff_t>(parts.layout.grid);
        const double all = std::accumulate(squares.begin(), squares.end(), 0.0);
        const double of_s = std::accumulate(squares.begin() + grid, squares.end(), 0.0);
        velocity_mean_ = all / static_cast<double>(grid);
        ratio_mean_ = of_s / static_cast<double>(grid);
        const double unit = parts.terms.unit();
        for (std::size_t n = 0; parts.layout.terms > 0 && n < along_.size(); ++n) {
            const double a = unit * row_weights[n];
            term_diagonal_[parts.terms.of(n)] += a * a;
        }
    }

    Vector zeros() const { return Vector(parts_.layout.solved(), 0.0); }

    /// A v.
    void times(std::span<const double> v, std::span<double> out) {
        const JointLayout& at = parts_.layout;
        std::copy_n(v.begin(), at.velocities(), by_slowness_.begin());
        for (std::size_t u = 0; at.two_phases && u < at.grid; ++u)
            by_slowness_[at.grid + u] += v[u];
        rows_.times(by_slowness_, out, parts_.threads);
        if (at.terms == 0) return;
        const auto terms = at.terms_of(v);
        for (std::size_t n = 0; n < out.size(); ++n) {
            out[n] += row_weights_[n] * parts_.terms.time_of(terms, n);
        }
    }
    /// A^T y.
    void transposed_times(std::span<const double> y, std::span<double> out) {
        const JointLayout& at = parts_.layout;
        rows_.transposed_times(y, by_slowness_, parts_.threads);
        std::copy(by_slowness_.begin(), by_slowness_.end(), out.begin());
        for (std::size_t u = 0; at.two_phases && u < at.grid; ++u) out[u] += out[at.grid + u];
        std::fill(out.begin() + static_cast<std::ptrdiff_t>(at.velocities()), out.end(), 0.0);
        const double unit = parts_.terms.unit();
        for (std::size_t n = 0; at.terms > 0 && n < y.size(); ++n) {
            out[at.velocities() + parts_.terms.of(n)] += unit * row_weights_[n] * y[n];
        }
    }
    /// out += factor R v, with the damping of terms.
    void add_roughness(double factor, std::span<const double> v, std::span<double> out) {
        const JointLayout& at = parts_.layout;
        const auto add = [&](const Roughness& roughness, std::size_t first, double weight) {
            roughness.apply(v.subspan(first, at.grid), smooth_, parts_.threads);
            add_scaled(out.subspan(first, at.grid), weight, smooth_, parts_.threads);
        };
        add(parts_.velocity_roughness, 0, factor);
        if (at.two_phases) {
            add(parts_.ratio_roughness, at.grid, factor * parts_.ratio_weight);
        }
    }
    void add_term_damping(double factor, std::span<const double> v, std::span<double> out) const {
        for (std::size_t t = parts_.layout.velocities(); t < out.size(); ++t) {
            out[t] += factor * v[t];
        }
    }

    void apply(const Vector& in, Vector& out) {
        times(in, along_);
        parts_.events.project(along_, parts_.threads);
        transposed_times(along_, out);
        add_roughness(lambda_, in, out);
        add_term_damping(1, in, out);
    }
    /// Gives 0 for what is kept and terms of mean 0, so that no step leaves these.
    void precondition(const Vector& in, Vector& out) {
        const JointLayout& at = parts_.layout;
        std::fill(out.begin(), out.end(), 0.0);
        if (at.finds_velocity) {
            velocity_.solve(std::span(in).first(at.grid), std::span(out).first(at.grid), lambda_,
                            velocity_mean_, parts_.threads);
        }
        if (at.finds_ratio) {
            ratio_.solve(std::span(in).subspan(at.grid, at.grid),
                         std::span(out).subspan(at.grid, at.grid), lambda_ * parts_.ratio_weight,
                         ratio_mean_, parts_.threads);
        }
        if (at.terms == 0) return;
        const auto terms = std::span(out).subspan(at.velocities(), at.terms);
        std::copy_n(in.begin() + static_cast<std::ptrdiff_t>(at.velocities()), at.terms,
                    terms.begin());
        parts_.terms.centre(terms);
        for (std::size_t t = 0; t < terms.size(); ++t) terms[t] /= term_diagonal_[t];
        parts_.terms.centre(terms);
    }
    double dot(const Vector& a, const Vector& b) const { return fermat::dot(a, b, parts_.threads); }
    void add(Vector& to, double factor, const Vector& from) const {
        add_scaled(to, factor, from, parts_.threads);
    }
    void scale_add(Vector& to, double factor, const Vector& from) const {
        scale_and_add(to, factor, from, parts_.threads);
    }

  private:
    const JointParts& parts_;
    SpectralSolver& velocity_;
    SpectralSolver& ratio_;
    const PickMatrix& rows_;
    std::span<const double> row_weights_;
    double lambda_;
    double velocity_mean_ = 0;
    double ratio_mean_ = 0;
    Vector by_slowness_;
    Vector along_;
    Vector smooth_;
    Vector term_diagonal_;
};

}  // namespace

JointStep::JointStep(const JointParts& parts)
    : parts_(parts),
      velocity_spectral_(parts.unknowns, parts.velocity_roughness),
      ratio_spectral_(parts.unknowns, parts.ratio_roughness) {}

LinearSolution JointStep::solve(const PickMatrix& rows, std::span<const double> row_weights,
                                std::span<const double> residual, std::span<const double> m,
                                const StepWeights& weights, const SolveLimits& limits,
                                std::vector<double>& left) {
    JointSystem system(parts_, velocity_spectral_, ratio_spectral_, rows, row_weights,
                       weights.lambda + weights.damping);
    left.assign(residual.begin(), residual.end());
    parts_.events.project_residual(left, parts_.threads);
    Vector b = system.zeros();
    system.transposed_times(left, b);
    system.add_roughness(-weights.lambda, m, b);
    system.add_term_damping(-1, m, b);
    Vector d = system.zeros();
    const CgReport report = conjugate_gradients(system, b, d, limits);
    system.times(d, left);
    for (std::size_t n = 0; n < left.size(); ++n) left[n] = residual[n] - left[n];
    return {std::move(d), report.accuracy <= limits.accuracy, report.iterations};
}

double JointStep::roughness_of(std::span<const double> m) const {
    Vector smooth(parts_.layout.grid);
    const auto part = [&](const Roughness& roughness, std::span<const double> values) {
        roughness.apply(values, smooth, parts_.threads);
        return dot(values, smooth, parts_.threads);
    };
    double sum = part(parts_.velocity_roughness, parts_.layout.velocity_of(m));
    if (parts_.layout.two_phases) {
        sum += parts_.ratio_weight * part(parts_.ratio_roughness, parts_.layout.ratio_of(m));
    }
    return sum;
}

}  // namespace fermat
