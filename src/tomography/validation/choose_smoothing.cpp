#include "tomography/validation/choose_smoothing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <utility>

#include "core/bytes.hpp"
#include "core/error.hpp"
#include "tomography/gauss_newton/gauss_newton.hpp"

namespace fermat {
namespace {

/// Gives the fitted picks the errors that a run of all would divide their residuals by, so that
/// weights of roughness mean the same.
Survey with_errors(Survey picks, const std::vector<double>& errors) {
    for (std::size_t n = 0; n < errors.size(); ++n) picks.arrivals[n].error = errors[n];
    picks.has_errors = true;
    return picks;
}

/// One model per weight, as smoothing falls; ends once picks left out are met ever worse.
std::vector<SmoothingScore> path_of_fold(const Model& start, const Fold& fold,
                                         const InversionOptions& options, double scale,
                                         const Execution& execution) {
    InversionOptions own = options;
    own.weights = PickWeights::errors;
    own.target_rms = 0;
    own.target_chi2 = 1e-9;  // never reached
    own.gauss_newton.lambda = 0;
    std::vector<SmoothingScore> path;
    double best = std::numeric_limits<double>::infinity();
    int worse = 0;
    std::atomic<bool> enough = false;  // asked for on other threads too
    Monitor until([](const ProgressEvent&) {},
                  [&] { return enough || execution.monitor.stop_requested(); });
    InversionListener listener;
    listener.update = [&](const InversionState& state) {
        const double lambda = state.history.back().lambda * scale;
        if (!(lambda > 0)) return;  // the start model
        Field<float> velocity(state.velocity.shape());
        std::copy(state.velocity.begin(), state.velocity.end(), velocity.begin());
        const FoldScore score{
            std::sqrt(state.history.back().misfit.chi2),
            held_out_score(start.with_given(std::move(velocity)), fold, own, execution)};
        if (!path.empty() && path.back().lambda == lambda) path.pop_back();
        path.push_back({lambda, score});
        constexpr double much = 1.02;
        constexpr int patience = 3;
        best = std::min(best, score.held_out);
        worse = score.held_out > much * best ? worse + 1 : 0;
        enough = worse >= patience;
    };
    try {
        invert(start, fold.fitted, own, execution.heard_by(until), listener);
    } catch (const Cancelled&) {
        if (!enough) throw;
    }
    return path;
}

/// Score at a weight, between those of a path, in the logarithms.
FoldScore score_at(const std::vector<SmoothingScore>& path, double lambda) {
    std::size_t n = 1;
    while (n + 1 < path.size() && path[n].lambda > lambda) ++n;
    const SmoothingScore& above = path[n - 1];
    const SmoothingScore& below = path[n];
    const double part = std::clamp(
        std::log(above.lambda / lambda) / std::log(above.lambda / below.lambda), 0.0, 1.0);
    const auto between = [&](double a, double b) { return a * std::pow(b / a, part); };
    return {between(above.score.fitted, below.score.fitted),
            between(above.score.held_out, below.score.held_out)};
}

std::vector<SmoothingScore> mean_path(const std::vector<std::vector<SmoothingScore>>& paths) {
    double high = std::numeric_limits<double>::infinity();
    double low = 0;
    for (const auto& path : paths) {
        if (path.size() < 2) {
            throw ComputeError(
                "a fold of cross-validation made too few models to compare (its start model "
                "explains the picks already, or no step helps)");
        }
        high = std::min(high, path.front().lambda);
        low = std::max(low, path.back().lambda);
    }
    constexpr int per_factor_of_two = 2;
    const int steps =
        std::max(1, static_cast<int>(std::floor(per_factor_of_two * std::log2(high / low))));
    std::vector<SmoothingScore> table;
    for (int n = 0; n <= steps; ++n) {
        const double lambda = high * std::pow(low / high, static_cast<double>(n) / steps);
        std::vector<FoldScore> scores;
        for (const auto& path : paths) scores.push_back(score_at(path, lambda));
        table.push_back({lambda, mean_score(scores)});
    }
    return table;
}

}  // namespace

SmoothingChoice choose_smoothing(const Model& start, const Survey& picks,
                                 const InversionOptions& options,
                                 const ValidationOptions& validation, const Execution& execution) {
    Ranks& ranks = execution.ranks;
    if (options.method == InversionMethod::hole) {
        throw InputError(
            "smoothing is to be chosen for method 'hole' (which has a schedule instead)");
    }
    const std::vector<double> errors = problem_plan(start, picks, options).errors;
    const Survey weighted = with_errors(picks, errors);
    const std::vector<Fold> folds = folds_of(weighted, validation);
    std::vector<std::vector<SmoothingScore>> paths(folds.size());
    deal_runs(
        static_cast<std::int64_t>(folds.size()), options, start, "cross-validation",
        [&](std::int64_t job, const Execution& own) {
            const Fold& fold = folds[static_cast<std::size_t>(job)];
            const double scale = static_cast<double>(picks.arrivals.size()) /
                                 static_cast<double>(fold.fitted.arrivals.size());
            ByteWriter out;
            out.add(path_of_fold(start, fold, options, scale, own));
            return out.take();
        },
        [&](std::int64_t job, const Bytes& bytes) {
            paths[static_cast<std::size_t>(job)] = ByteReader(bytes).take_vector<SmoothingScore>();
        },
        execution);
    SmoothingChoice choice;
    together(ranks, [&] {
        if (ranks.is_root()) choice.table = mean_path(paths);
    });
    choice.table.resize(broadcast_value(ranks, choice.table.size()));
    ranks.broadcast(std::as_writable_bytes(std::span(choice.table)));
    // Errors that are all alike were only lent to the picks.
    const bool in_errors = picks.has_errors && options.weights == PickWeights::errors;
    for (SmoothingScore& row : choice.table) {
        row.score.fitted *= in_errors ? 1 : errors.front();
        row.score.held_out *= in_errors ? 1 : errors.front();
    }
    double least = std::numeric_limits<double>::infinity();
    for (const SmoothingScore& row : choice.table) least = std::min(least, row.score.held_out);
    constexpr double as_good = 1.01;
    const auto chosen = std::find_if(
        choice.table.begin(), choice.table.end(),
        [&](const SmoothingScore& row) { return row.score.held_out <= as_good * least; });
    choice.lambda = chosen->lambda;
    choice.sentence = fmt::format(
        "`smoothing={:.4g}`: {}-fold cross-validation over {} meets picks left out to {:.3g}{} "
        "(those fitted: {:.3g}{})",
        choice.lambda, folds.size(), name_of(validation.unit), chosen->score.held_out,
        in_errors ? " errors" : "", chosen->score.fitted,
        chosen + 1 == choice.table.end() ? "; no fold was cooled further" : "");
    return choice;
}

}  // namespace fermat
