#include <algorithm>
#include <cmath>
#include <utility>

#include "core/deal.hpp"
#include "core/parallel.hpp"
#include "core/random_stream.hpp"
#include "tomography/trust/estimates.hpp"
#include "tomography/trust/lattices.hpp"

namespace fermat {
namespace {

constexpr SolveLimits limits{1e-4, 1000};

/// A solve's result as it travels to rank 0.
Bytes packed(LinearSolution solution) {
    ByteWriter out;
    out.add(solution.converged);
    out.add(solution.d);
    return out.take();
}
LinearSolution unpacked(const Bytes& bytes) {
    ByteReader in(bytes);
    LinearSolution solution;
    solution.converged = in.take<bool>();
    solution.d = in.take_vector<double>();
    return solution;
}

/// Solves for as many right sides as wanted and hands the solutions on in their order.
template <class MakeRight, class Consume>
int deal_solves(const LinearProblem& problem, const Roughness& roughness, double weight,
                const char* task, std::int64_t count, MakeRight make_right, Consume consume,
                const Execution& execution) {
    Ranks& ranks = execution.ranks;
    Monitor& monitor = execution.monitor;
    const int threads = problem.threads();
    const std::int64_t share = (count + ranks.size() - 1) / ranks.size();
    const int jobs = static_cast<int>(std::clamp<std::int64_t>(share, 1, threads));
    int unfinished = 0;
    monitor.begin(task, count);
    deal_in_order(
        ranks, count, jobs,
        [&](std::int64_t number) {
            monitor.check();
            StepSolver solver(problem.unknowns(), roughness, threads / jobs,
                              problem.term_damping());
            return packed(
                solver.solve(problem.rows(), make_right(number, threads / jobs), weight, limits));
        },
        [&](std::int64_t number, const Bytes& bytes) {
            const LinearSolution solution = unpacked(bytes);
            unfinished += solution.converged ? 0 : 1;
            consume(number, solution.d);
            monitor.advance();
        },
        monitor);
    monitor.end();
    return unfinished;
}

void probe_resolution(const LinearProblem& problem, const TrustOptions& options,
                      TrustNumbers& numbers, const Execution& execution) {
    const Lattices lattices(problem.unknowns(), options.solves);
    const auto& places = problem.unknowns().places();
    // What no ray crosses is not resolved, and strays nowhere.
    std::vector<double> sensed(problem.columns());
    problem.rows().column_squares(sensed, problem.threads());
    const auto probe = [&](std::int64_t number) {
        RandomStream random(options.seed, static_cast<std::uint64_t>(number));
        std::vector<double> values(problem.columns(), 0.0);
        for (std::size_t u = 0; u < places.size(); ++u) {
            const double sign = lattices.set_of(places[u]) == number ? random.sign() : 0;
            if (sensed[u] > 0) values[u] = sign;
        }
        return values;
    };
    numbers.resolution.assign(execution.ranks.is_root() ? places.size() : 0, 0.0);
    numbers.solves += lattices.count();
    double squares = 0;
    double count = 0;
    numbers.unfinished += deal_solves(
        problem, problem.roughness(), problem.lambda(), "resolution", lattices.count(),
        [&](std::int64_t number, int threads) {
            return seen_by_picks(problem, probe(number), threads);
        },
        [&](std::int64_t number, const std::vector<double>& seen) {
            const std::vector<double> signs = probe(number);
            for (std::size_t u = 0; u < places.size(); ++u) {
                if (signs[u] != 0) numbers.resolution[u] = signs[u] * seen[u];
                if (!(sensed[u] > 0) || !lattices.is_between(places[u], static_cast<int>(number))) {
                    continue;
                }
                squares += seen[u] * seen[u];
                count += 1;
            }
        },
        execution);
    if (count > 0) numbers.stray = std::sqrt(squares / count);
}

std::vector<double> posterior_right(const LinearProblem& problem, double weight,
                                    const TrustOptions& options, std::int64_t number, int threads) {
    // Streams of their own, away from those of the probes.
    constexpr std::uint64_t streams = 1ULL << 40;
    RandomStream random(options.seed, streams + static_cast<std::uint64_t>(number));
    const std::vector<double> of_picks = random.normals(problem.rows().rows());
    const std::vector<double> of_model = random.normals(4 * problem.size());
    const std::vector<double> of_terms = random.normals(problem.term_damping().size());
    std::vector<double> right(problem.columns());
    problem.rows().transposed_times(of_picks, right, threads);
    std::vector<double> rough(problem.size());
    problem.prior().apply_root(of_model, rough);
    const double factor = std::sqrt(weight);
    for (std::size_t u = 0; u < rough.size(); ++u) right[u] += factor * rough[u];
    for (std::size_t t = 0; t < of_terms.size(); ++t) {
        right[problem.size() + t] += std::sqrt(problem.term_damping()[t]) * of_terms[t];
    }
    return right;
}

void sample_variance(const LinearProblem& problem, const TrustOptions& options,
                     TrustNumbers& numbers, const Execution& execution) {
    numbers.variance.assign(execution.ranks.is_root() ? problem.model().given().size() : 0, 0.0);
    numbers.solves += options.solves;
    const double weight = problem.prior_weight(execution.monitor);
    numbers.unfinished += deal_solves(
        problem, problem.prior(), weight, "deviation", options.solves,
        [&](std::int64_t number, int threads) {
            return posterior_right(problem, weight, options, number, threads);
        },
        [&](std::int64_t, const std::vector<double>& sample) {
            const std::vector<double> change = problem.on_samples(sample, problem.threads());
            for (std::size_t s = 0; s < change.size(); ++s) {
                numbers.variance[s] += change[s] * change[s] / options.solves;
            }
        },
        execution);
}

}  // namespace

std::vector<double> seen_by_picks(const LinearProblem& problem, std::span<const double> change,
                                  int threads) {
    std::vector<double> along(problem.rows().rows());
    problem.rows().times(change, along, threads);
    std::vector<double> seen(change.size());
    problem.rows().transposed_times(along, seen, threads);
    return seen;
}

TrustNumbers sampled_trust(const LinearProblem& problem, const TrustOptions& options,
                           const Execution& execution) {
    TrustNumbers numbers;
    if (options.resolution) probe_resolution(problem, options, numbers, execution);
    if (options.deviation) sample_variance(problem, options, numbers, execution);
    return numbers;
}

}  // namespace fermat
