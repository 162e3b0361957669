#include "tomography/gauss_newton/linear_step.hpp"

#include <utility>

#include "tomography/gauss_newton/vectors.hpp"

namespace fermat {
namespace {

/// The normal equations on the host.
class HostSystem {
  public:
    using Vector = std::vector<double>;

    HostSystem(const PickMatrix& rows, const Roughness& roughness, SpectralSolver& spectral,
               std::span<const double> extra, double lambda, int threads)
        : rows_(rows),
          roughness_(roughness),
          spectral_(spectral),
          extra_(extra),
          lambda_(lambda),
          mean_(rows.trace() / static_cast<double>(rows.columns())),
          threads_(threads),
          grid_(rows.columns() - extra.size()),
          along_(rows.rows()),
          smooth_(grid_) {
        if (extra.empty()) return;
        Vector squares(rows.columns());
        rows.column_squares(squares, threads);
        for (std::size_t e = 0; e < extra.size(); ++e) {
            extra_diagonal_.push_back(extra[e] + squares[grid_ + e]);
        }
    }

    Vector zeros() const { return Vector(rows_.columns(), 0.0); }
    void apply(const Vector& in, Vector& out) {
        rows_.times(in, along_, threads_);
        rows_.transposed_times(along_, out, threads_);
        roughness_.apply(std::span(in).first(grid_), smooth_, threads_);
        add_scaled(std::span(out).first(grid_), lambda_, smooth_, threads_);
        for (std::size_t e = 0; e < extra_.size(); ++e) out[grid_ + e] += extra_[e] * in[grid_ + e];
    }
    void precondition(const Vector& in, Vector& out) {
        spectral_.solve(std::span(in).first(grid_), std::span(out).first(grid_), lambda_, mean_,
                        threads_);
        for (std::size_t e = 0; e < extra_.size(); ++e) {
            out[grid_ + e] = in[grid_ + e] / extra_diagonal_[e];
        }
    }
    double dot(const Vector& a, const Vector& b) const { return fermat::dot(a, b, threads_); }
    void add(Vector& to, double factor, const Vector& from) const {
        add_scaled(to, factor, from, threads_);
    }
    void scale_add(Vector& to, double factor, const Vector& from) const {
        scale_and_add(to, factor, from, threads_);
    }

  private:
    const PickMatrix& rows_;
    const Roughness& roughness_;
    SpectralSolver& spectral_;
    std::span<const double> extra_;
    double lambda_;
    double mean_;
    int threads_;
    std::size_t grid_;  ///< unknowns of the grid
    Vector along_;
    Vector smooth_;
    Vector extra_diagonal_;
};

}  // namespace

StepSolver::StepSolver(const Unknowns& unknowns, const Roughness& roughness, int threads,
                       std::vector<double> extra)
    : unknowns_(unknowns),
      roughness_(roughness),
      spectral_(unknowns, roughness),
      threads_(threads),
      extra_(std::move(extra)) {}

double StepSolver::roughness_of(std::span<const double> x) const {
    const auto grid = x.first(x.size() - extra_.size());
    std::vector<double> rx(grid.size());
    roughness_.apply(grid, rx, threads_);
    return dot(grid, rx, threads_);
}

std::vector<double> StepSolver::solve(const PickMatrix& rows, std::span<const double> residual,
                                      std::span<const double> x, const StepWeights& weights,
                                      const SolveLimits& limits, std::vector<double> guess) {
    const std::size_t grid = x.size() - extra_.size();
    std::vector<double> b(x.size());
    rows.transposed_times(residual, b, threads_);
    std::vector<double> smooth(grid);
    roughness_.apply(x.first(grid), smooth, threads_);
    add_scaled(std::span(b).first(grid), -weights.lambda, smooth, threads_);
    for (std::size_t e = 0; e < extra_.size(); ++e) b[grid + e] -= extra_[e] * x[grid + e];
    return solve(rows, std::move(b), weights.lambda + weights.damping, limits, std::move(guess)).d;
}

LinearSolution StepSolver::solve(const PickMatrix& rows, std::vector<double> right, double weight,
                                 const SolveLimits& limits, std::vector<double> guess) {
    if (const DealtRows* const there = rows.on_device()) {
        if (!device_) device_ = make_cuda_step(unknowns_, roughness_, spectral_, extra_);
        return device_->solve(*there, std::move(right), weight, limits);
    }
    HostSystem system(rows, roughness_, spectral_, extra_, weight, threads_);
    const bool from_zero = guess.empty();
    std::vector<double> d = from_zero ? system.zeros() : std::move(guess);
    const CgReport report = conjugate_gradients(system, right, d, limits, from_zero);
    return {std::move(d), report.accuracy <= limits.accuracy, report.iterations};
}

}  // namespace fermat
