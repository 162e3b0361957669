#include "tomography/trust/trust.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/deal.hpp"
#include "core/error.hpp"
#include "survey/mapped_points.hpp"
#include "tomography/gauss_newton/true_sizes.hpp"
#include "tomography/trust/estimates.hpp"
#include "tomography/trust/linear_problem.hpp"
#include "tomography/trust/start_edges.hpp"

namespace fermat {
namespace {

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

bool is_exact(const LinearProblem& problem, const TrustOptions& options) {
    if (options.method != TrustMethod::automatic) return options.method == TrustMethod::exact;
    // Rows of mixed roughness are full.
    const bool full = problem.roughness().kind() == Regularisation::mixed;
    return problem.columns() <= (full ? most_exact_unknowns / 2 : most_exact_unknowns);
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

/// The logarithm of velocity over that of the start model, per sample; not a number in air.
std::vector<double> log_change(const LinearProblem& problem) {
    const auto velocity = problem.model().given();
    const Parameters& parameters = problem.parameters();
    std::vector<double> change(velocity.size(), std::nan(""));
    for (std::size_t s = 0; s < change.size(); ++s) {
        if (velocity[s] == 0) continue;
        change[s] =
            std::log(velocity[s]) + parameters.bounds().log_slowness_of(parameters.start_at(s));
    }
    return change;
}

/// The logarithm of the start model's velocity, per sample; not a number in air.
std::vector<double> log_start(const LinearProblem& problem) {
    const auto velocity = problem.model().given();
    const Parameters& parameters = problem.parameters();
    std::vector<double> out(velocity.size(), std::nan(""));
    for (std::size_t s = 0; s < out.size(); ++s) {
        if (velocity[s] == 0) continue;
        out[s] = -parameters.bounds().log_slowness_of(parameters.start_at(s));
    }
    return out;
}

/// Size of the gradient at a sample, of rock alone.
double gradient_at(const std::vector<double>& values, Shape shape, Vec3 spacing, Index3 at) {
    double squares = 0;
    for (int axis = 0; axis < 3; ++axis) {
        Index3 before = at;
        Index3 behind = at;
        const auto is_rock = [&](Index3 n) { return !std::isnan(values[shape.offset(n)]); };
        if (--before[axis] < 0 || !is_rock(before)) before = at;
        if (++behind[axis] >= shape[axis] || !is_rock(behind)) behind = at;
        const int steps = behind[axis] - before[axis];
        if (steps == 0) continue;
        const double step = values[shape.offset(behind)] - values[shape.offset(before)];
        const double slope = step / (steps * spacing[axis]);
        squares += slope * slope;
    }
    return std::sqrt(squares);
}

/// What an edge does that lies elsewhere than the model has it, relative to velocity. Where the
/// model changes by less than some tenths within the resolving length it has a gradient there and
/// no edge.
double of_misplaced_edges(double change) {
    constexpr double misplaced = 1;  // of the resolving length
    constexpr double edge = 0.3;     // change within that length
    const double sharp = std::pow(change / edge, 4);
    return misplaced * change * sharp / (1 + sharp);
}

/// Two things make velocity wrong: what a field of the prior's deviation may do where picks do not
/// see it, and edges of the change that lie elsewhere than the model has them. The numbers make
/// deviations hold two thirds of the errors on truths with edges and on gradual ones
/// (bench/inversion/coverage.py).
void put_deviation(const LinearProblem& problem, const std::vector<double>& variance,
                   Trust& trust) {
    // Below lines the edges that a model has found are no longer the field's to explain.
    const bool has_edges = is_of_whole_model(problem.roughness().kind());
    const Model& model = problem.model();
    const auto velocity = model.given();
    const Shape shape = velocity.shape();
    const Vec3 spacing = true_spacing(model);
    const double longest = problem.unknowns().sizes().least_side;
    const std::vector<double> slopes = problem.velocity_slopes();
    const std::vector<double> change = log_change(problem);
    const StartEdges start(log_start(problem), shape, spacing);
    const bool layered = problem.along_surface() && !has_edges && start.any();
    // A start with edges explains what would else tell how much the field may do.
    constexpr double explained = 1.3;
    constexpr double of_edges = 0.6;
    constexpr double misplaced = 0.33;  // of the resolving length
    const double part = layered ? explained : problem.along_surface() && has_edges ? of_edges : 1;
    trust.deviation = Field<float>(velocity.shape(), not_a_number);
    for (std::size_t s = 0; s < variance.size(); ++s) {
        if (velocity[s] == 0) continue;
        const auto z = static_cast<int>(s % static_cast<std::size_t>(shape.z));
        const std::size_t line = s / static_cast<std::size_t>(shape.z);
        const auto y = static_cast<int>(line % static_cast<std::size_t>(shape.y));
        const auto x = static_cast<int>(line / static_cast<std::size_t>(shape.y));
        const double resolved = trust.resolving_length[s];
        const double length = std::isnan(resolved) ? longest : std::min(resolved, longest);
        const double edges =
            std::hypot(of_misplaced_edges(length * gradient_at(change, shape, spacing, {x, y, z})),
                       layered ? start.deviation_at({x, y, z}, misplaced * length) : 0);
        const double field = part * slopes[s] * std::sqrt(variance[s]);
        trust.deviation[s] = static_cast<float>(std::hypot(field, velocity[s] * edges));
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
    TrustOptions needed = options;
    needed.resolution = true;  // for deviations, too
    if (trust.exact) {
        together(ranks, [&] {
            if (ranks.is_root()) numbers = exact_trust(problem, needed, execution.monitor);
        });
    } else {
        numbers = sampled_trust(problem, needed, execution);
    }
    if (!ranks.is_root()) return trust;
    trust.stray = numbers.stray;
    trust.solves = numbers.solves;
    trust.unfinished = numbers.unfinished;
    trust.sentence = sentence_of(problem, options, trust);
    put_resolution(problem, std::move(numbers.resolution), trust);
    if (options.deviation) put_deviation(problem, numbers.variance, trust);
    if (!options.resolution) {
        trust.resolution = {};
        trust.resolving_length = {};
    }
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
