#include "tomography/trust/prior.hpp"

#include <algorithm>
#include <cmath>

#include "core/random_stream.hpp"
#include "tomography/gauss_newton/linear_step.hpp"
#include "tomography/gauss_newton/vectors.hpp"

namespace fermat {
namespace {

/// ln(g / (w x^T R x)): 0 at the weight that is looked for, above it where the weight is too small.
class Imbalance {
  public:
    Imbalance(const PriorProblem& problem, const Roughness& prior, Monitor& monitor)
        : problem_(problem),
          solver_(problem.unknowns, prior, problem.threads, problem.term_damping),
          monitor_(monitor),
          of_found_(solver_.roughness_of(problem.found)) {
        constexpr std::uint64_t seed = 36;
        for (std::uint64_t n = 0; n < probes; ++n) {
            RandomStream random(seed, n);
            std::vector<double> signs(problem.rows.rows());
            for (double& sign : signs) sign = random.sign();
            probes_.push_back(std::move(signs));
        }
    }

    double at(double weight) {
        const std::vector<double> x = solved(problem_.data, weight);
        double fixed = 0;
        std::vector<double> along(problem_.rows.rows());
        for (const std::vector<double>& signs : probes_) {
            const std::vector<double> seen = solved(signs, weight);
            problem_.rows.times(seen, along, problem_.threads);
            fixed += dot(signs, along, problem_.threads) / probes;
        }
        const double rough = std::max(solver_.roughness_of(x), of_found_);
        return std::log(std::max(fixed, 1e-3) / (weight * rough));
    }

  private:
    static constexpr std::uint64_t probes = 4;

    std::vector<double> solved(const std::vector<double>& of_picks, double weight) {
        monitor_.check();
        std::vector<double> right(problem_.rows.columns());
        problem_.rows.transposed_times(of_picks, right, problem_.threads);
        return solver_.solve(problem_.rows, std::move(right), weight, {1e-3, 1000}).d;
    }

    const PriorProblem& problem_;
    StepSolver solver_;
    Monitor& monitor_;
    double of_found_;
    std::vector<std::vector<double>> probes_;
};

}  // namespace

double likely_weight(const PriorProblem& problem, const Roughness& prior, Monitor& monitor) {
    Imbalance imbalance(problem, prior, monitor);
    // ln w: the fixed point w = g / x^T R x first, then along the line through two imbalances.
    constexpr int most = 10;
    constexpr double enough = 0.05;
    constexpr double farthest = 4;
    double at = std::log(problem.rows.trace() / prior.trace());
    double value = imbalance.at(std::exp(at));
    double step = std::clamp(value, -farthest, farthest);
    for (int n = 0; n < most && std::abs(value) > enough; ++n) {
        const double next = imbalance.at(std::exp(at + step));
        const double slope = (next - value) / step;
        at += step;
        value = next;
        step = std::clamp(slope < -0.05 ? -value / slope : value, -farthest, farthest);
    }
    return std::exp(at);
}

}  // namespace fermat
