#include "tomography/trust/trust.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/deal.hpp"
#include "core/error.hpp"
#include "survey/mapped_points.hpp"
#include "tomography/trust/estimates.hpp"
#include "tomography/trust/linear_problem.hpp"

namespace fermat {
namespace {

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

bool is_exact(const LinearProblem& problem, const TrustOptions& options) {
    if (options.method != TrustMethod::automatic) return options.method == TrustMethod::exact;
    return problem.columns() <= most_exact_unknowns;
}

std::string sentence_of(const LinearProblem& problem, const TrustOptions& options,
                        const Trust& trust) {
    if (trust.exact) return fmt::format("exact, by dense algebra of {} unknowns", problem.size());
    std::string text = fmt::format(
        "sampled by {} solves for {} unknowns: deviations are good to {:.2g} % (1 sigma)",
        trust.solves, problem.size(), 100 / std::sqrt(2.0 * options.solves));
    if (trust.stray > 0) {
        text += fmt::format(", resolution to {:.1g} (RMS, where rays are; at most)", trust.stray);
    }
    if (trust.unfinished > 0) {
        text += fmt::format("; {} solves did not reach their accuracy", trust.unfinished);
    }
    return text;
}

/// Volumes of the unknowns' cells on the samples, where they differ in space; else empty.
std::vector<double> cells_on_samples(const LinearProblem& problem) {
    const Unknowns& unknowns = problem.unknowns();
    if (!unknowns.sizes().vary()) return {};
    std::vector<double> volumes;
    for (const std::int64_t place : unknowns.places()) {
        volumes.push_back(unknowns.sizes().volumes[static_cast<std::size_t>(place)]);
    }
    return problem.on_samples(volumes, problem.threads());
}

void put_resolution(const LinearProblem& problem, std::vector<double> resolution, Trust& trust) {
    // Noise may lead outside; so may, by a little, the diagonal of a matrix that is not symmetric.
    for (double& value : resolution) value = std::clamp(value, 0.0, 1.0);
    const Grid& grid = problem.unknowns().grid();
    const int dimensions = grid.is_2d() ? 2 : 3;
    const double cell = grid.spacing.x * grid.spacing.z * (grid.is_2d() ? 1 : grid.spacing.y);
    const std::vector<double> cells = cells_on_samples(problem);
    const std::vector<double> values = problem.on_samples(resolution, problem.threads());
    const auto velocity = problem.model().given();
    trust.resolution = Field<float>(velocity.shape(), 0.0F);
    trust.resolving_length = Field<float>(velocity.shape(), not_a_number);
    for (std::size_t s = 0; s < values.size(); ++s) {
        if (velocity[s] == 0) continue;
        trust.resolution[s] = static_cast<float>(values[s]);
        if (!(values[s] > 0)) continue;
        trust.resolving_length[s] = static_cast<float>(
            std::pow((cells.empty() ? cell : cells[s]) / values[s], 1.0 / dimensions));
    }
}

void put_deviation(const LinearProblem& problem, const std::vector<double>& variance,
                   Trust& trust) {
    const auto velocity = problem.model().given();
    const std::vector<double> slopes = problem.velocity_slopes();
    trust.deviation = Field<float>(velocity.shape(), not_a_number);
    for (std::size_t s = 0; s < variance.size(); ++s) {
        if (velocity[s] == 0) continue;
        trust.deviation[s] = static_cast<float>(slopes[s] * std::sqrt(variance[s]));
    }
}

/// The unknown nearest to a point.
std::size_t unknown_at(const LinearProblem& problem, Vec3 point, std::size_t number) {
    const Model& model = problem.model();
    const Vec3 inside = model.place().inside(point, fmt::format("point {}", number));
    const Grid& grid = problem.unknowns().grid();
    const Index3 node = grid.nearest_node(grid.clamp(inside));
    const std::int32_t unknown = problem.unknowns().numbers()[grid.shape.offset(node)];
    if (unknown < 0) {
        throw InputError(fmt::format("point {} at ({:g}, {:g}, {:g}) is in air (must be in rock)",
                                     number, point.x, point.y, point.z));
    }
    return static_cast<std::size_t>(unknown);
}

}  // namespace

void validate(const TrustOptions& options) {
    constexpr int most_solves = 1000000;
    if (options.solves < 1 || options.solves > most_solves) {
        throw InputError(
            fmt::format("solves is {} (must be from 1 to {})", options.solves, most_solves));
    }
}

Trust estimate_trust(const Model& start, const Survey& picks, const InversionOptions& options,
                     const FoundModel& found, const TrustOptions& trust,
                     const Execution& execution) {
    validate(trust);
    return estimate_trust(LinearProblem(start, picks, options, found, execution), trust, execution);
}

Trust estimate_trust(const LinearProblem& problem, const TrustOptions& options,
                     const Execution& execution) {
    validate(options);
    Ranks& ranks = execution.ranks;
    if (options.method == TrustMethod::exact && problem.columns() > most_dense_unknowns) {
        throw InputError(fmt::format(
            "resolution and deviation of {} unknowns are to be exact (must be at most {}; sampled "
            "ones have no such limit)",
            problem.size(), most_dense_unknowns));
    }
    Trust trust;
    trust.exact = is_exact(problem, options);
    TrustNumbers numbers;
    if (trust.exact) {
        together(ranks, [&] {
            if (ranks.is_root()) numbers = exact_trust(problem, options, execution.monitor);
        });
    } else {
        numbers = sampled_trust(problem, options, execution);
    }
    if (!ranks.is_root()) return trust;
    trust.stray = numbers.stray;
    trust.solves = numbers.solves;
    trust.unfinished = numbers.unfinished;
    trust.sentence = sentence_of(problem, options, trust);
    if (options.resolution) put_resolution(problem, std::move(numbers.resolution), trust);
    if (options.deviation) put_deviation(problem, numbers.variance, trust);
    return trust;
}

std::vector<Field<float>> point_spread(const LinearProblem& problem, std::span<const Vec3> points,
                                       const Execution& execution) {
    Monitor& monitor = execution.monitor;
    std::vector<std::size_t> unknowns;
    for (std::size_t n = 0; n < points.size(); ++n) {
        unknowns.push_back(unknown_at(problem, points[n], n));
    }
    std::vector<Field<float>> fields;
    monitor.begin("point spread", static_cast<std::int64_t>(points.size()));
    deal_in_order(
        execution.ranks, static_cast<std::int64_t>(points.size()), 1,
        [&](std::int64_t number) {
            std::vector<double> unit(problem.columns(), 0.0);
            unit[unknowns[static_cast<std::size_t>(number)]] = 1;
            StepSolver solver(problem.unknowns(), problem.roughness(), problem.threads(),
                              problem.term_damping());
            ByteWriter out;
            out.add(solver
                        .solve(problem.rows(), seen_by_picks(problem, unit, problem.threads()),
                               problem.lambda(), {1e-8, 4000})
                        .d);
            return out.take();
        },
        [&](std::int64_t, const Bytes& bytes) {
            const std::vector<double> column = ByteReader(bytes).take_vector<double>();
            const std::vector<double> values = problem.on_samples(column, problem.threads());
            Field<float> field(problem.model().given().shape());
            for (std::size_t s = 0; s < values.size(); ++s) {
                field[s] = static_cast<float>(values[s]);
            }
            fields.push_back(std::move(field));
            monitor.advance();
        },
        monitor);
    monitor.end();
    return fields;
}

}  // namespace fermat
