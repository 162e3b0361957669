#include "tomography/trust/linear_problem.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "tomography/gauss_newton/gathered_rows.hpp"
#include "tomography/gauss_newton/gauss_newton.hpp"
#include "tomography/gauss_newton/known_ground.hpp"
#include "tomography/gauss_newton/pick_weights.hpp"
#include "tomography/gauss_newton/predict.hpp"
#include "tomography/gauss_newton/term_unknowns.hpp"
#include "tomography/trust/prior.hpp"

namespace fermat {
namespace {

/// Below a surface the axes have weights or lengths of their own.
bool is_line_along_surface(const RoughnessOptions& roughness, const Grid& grid) {
    const bool differ =
        roughness.weights.x != roughness.weights.z || roughness.lengths.x != roughness.lengths.z;
    return grid.is_2d() && differ;
}

/// As the run's, without edges that its model has found; of the second order below the surface of a
/// line, else of the first.
Roughness field_prior(const Unknowns& unknowns, const InversionOptions& options,
                      const Model& start) {
    GaussNewtonOptions prior = options.gauss_newton;
    if (is_line_along_surface(prior.roughness, unknowns.grid())) {
        prior.roughness.kind = Regularisation::second;
        return known_roughness(unknowns, prior, start);
    }
    const Vec3 lengths = prior.roughness.lengths;
    const double longest = std::max({lengths.x, lengths.y, lengths.z});
    prior.roughness.kind = Regularisation::first;
    Roughness roughness = known_roughness(unknowns, prior, start);
    roughness.take_length(longest > 0 ? longest : unknowns.sizes().least_side / 4);
    return roughness;
}

void append_rows(UnknownRows& rows, const UnknownRows& more) {
    for (std::size_t r = 0; r < more.rows(); ++r) {
        for (auto e = more.start[r]; e < more.start[r + 1]; ++e) {
            rows.column.push_back(more.column[static_cast<std::size_t>(e)]);
            rows.value.push_back(more.value[static_cast<std::size_t>(e)]);
        }
        rows.start.push_back(static_cast<std::int64_t>(rows.column.size()));
    }
}

/// The derivatives of all picks' times, on every rank.
UnknownRows rows_at(const Model& model, const Survey& picks, const Parameters& parameters,
                    const std::vector<double>& x, const ProblemPlan& plan,
                    const TermUnknowns& terms, const Execution& execution) {
    const std::vector<float> slopes = parameters.slopes_at(x, resolve_threads(execution.threads));
    Prediction prediction = predict(model, plan.turned ? exchanged(picks) : picks,
                                    parameters.unknowns(), slopes, plan.rays, execution);
    for (RowLot& lot : prediction.rows) terms.extend(lot);
    return gathered_rows(std::move(prediction.rows), picks.arrivals.size(), execution.ranks);
}

}  // namespace

FoundModel found_model(const InversionResult& result, Ranks& ranks) {
    FoundModel found{result.unknowns, result.history.empty() ? 0 : result.history.back().lambda,
                     result.final_use, result.final_residual};
    found.lambda = broadcast_value(ranks, found.lambda);
    share(ranks, found.use);
    share(ranks, found.residual);
    if (found.unknowns.empty()) {
        throw InputError(
            "resolution and deviation are asked of a run of method 'hole' (only 'gauss-newton' has "
            "them; an ensemble works with both)");
    }
    if (!(found.lambda > 0)) {
        throw InputError(
            "the run made no step, so its resolution and deviation are not known (its start model "
            "explains the picks already; see the run's chi2)");
    }
    return found;
}

LinearProblem::LinearProblem(const Model& start, const Survey& picks,
                             const InversionOptions& options, const FoundModel& found,
                             const Execution& execution)
    : x_(found.unknowns),
      lambda_(found.lambda),
      threads_(resolve_threads(execution.threads)),
      parameters_(start, problem_plan(start, picks, options).ratio,
                  problem_plan(start, picks, options).bounds),
      model_(parameters_.model_of(x_, threads_)),
      roughness_(known_roughness(parameters_.unknowns(), options.gauss_newton, start)),
      prior_(field_prior(parameters_.unknowns(), options, start)),
      along_surface_(
          is_line_along_surface(options.gauss_newton.roughness, parameters_.unknowns().grid())) {
    const ProblemPlan plan = problem_plan(start, picks, options);
    const DataNorm norm = options.gauss_newton.norm;
    std::vector<double> scaled = found.residual;
    scaled.resize(plan.errors.size(), 0.0);
    for (std::size_t n = 0; n < scaled.size(); ++n) scaled[n] /= plan.errors[n];
    std::vector<double> weights = norm_weights(norm, scaled, found.use);
    for (std::size_t n = 0; n < weights.size(); ++n) weights[n] /= plan.errors[n];
    const TermUnknowns terms(picks, options.gauss_newton.terms, plan.errors, size());
    term_damping_ = terms.damping();
    UnknownRows rows = rows_at(model_, picks, parameters_, x_, plan, terms,
                               execution.on(forward_device(start, options, execution)));
    const KnownRows known = known_rows(options.gauss_newton, parameters_, start);
    append_rows(rows, known.rows);
    weights.resize(rows.rows(), 1.0);
    if (columns() <= most_dense_unknowns) matrix_ = weighted(rows, weights);
    rows_.emplace(std::move(rows), weights, columns());
    roughness_.reweight(parameters_.regularised(x_, roughness_.kind()));
    std::vector<double> x = x_;
    x.resize(columns(), 0.0);
    data_.resize(rows_->rows());
    rows_->times(x, data_, threads_);
    for (std::size_t n = 0; n < found.residual.size(); ++n) {
        if (weights[n] > 0) data_[n] += weights[n] * found.residual[n];
    }
    const std::vector<double> left = known.left(x_);
    for (std::size_t n = 0; n < left.size(); ++n) data_[found.residual.size() + n] += left[n];
}

double LinearProblem::prior_weight(Monitor& monitor) const {
    std::vector<double> found = x_;
    found.resize(columns(), 0.0);
    return likely_weight({unknowns(), rows(), data_, found, term_damping_, threads_}, prior_,
                         monitor);
}

std::vector<double> LinearProblem::on_samples(std::span<const double> change, int threads) const {
    const auto velocity = model_.given();
    std::vector<double> values(velocity.size(), 0.0);
    parallel_ranges(
        static_cast<std::int64_t>(values.size()), threads,
        [&](std::int64_t begin, std::int64_t end) {
            for (auto n = static_cast<std::size_t>(begin); n < static_cast<std::size_t>(end); ++n) {
                if (velocity[n] == 0) continue;
                double sum = 0;
                unknowns().for_each_of_sample(
                    n, [&](std::size_t u, double weight) { sum += weight * change[u]; });
                values[n] = sum;
            }
        });
    return values;
}

std::vector<double> LinearProblem::velocity_slopes() const {
    const auto velocity = model_.given();
    std::vector<double> slopes(velocity.size(), 0.0);
    for (std::size_t n = 0; n < slopes.size(); ++n) {
        slopes[n] = static_cast<double>(velocity[n]) * parameters_.log_slope_at(x_, n);
    }
    return slopes;
}

}  // namespace fermat
