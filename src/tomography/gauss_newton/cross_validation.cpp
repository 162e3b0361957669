#include "tomography/gauss_newton/cross_validation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/parallel.hpp"
#include "core/teams.hpp"
#include "tomography/gauss_newton/gauss_newton.hpp"
#include "tomography/gauss_newton/unknowns.hpp"

namespace fermat {
namespace {

constexpr int folds = 3;

std::vector<std::int32_t> fold_of_pick(const Survey& picks) {
    constexpr int stretch = 4;
    // A survey and the same turned round have the same folds.
    const bool turned = picks.stations.size() < picks.events.size();
    std::vector<int> seen(std::max(picks.events.size(), picks.stations.size()), 0);
    std::vector<std::int32_t> fold(picks.arrivals.size());
    for (std::size_t n = 0; n < fold.size(); ++n) {
        const Arrival& pick = picks.arrivals[n];
        const auto source = static_cast<std::size_t>(turned ? pick.station : pick.event);
        fold[n] = (seen[source]++ / stretch + static_cast<int>(source)) % folds;
    }
    return fold;
}

double median_time(const Survey& picks) {
    std::vector<double> times;
    for (const Arrival& pick : picks.arrivals) times.push_back(pick.time);
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    return *middle;
}

/// A median of the picks' errors, to tell deviations as times.
double typical_error(const Survey& picks, const InversionOptions& options) {
    if (!picks.has_errors || options.weights == PickWeights::equal) return options.target_rms;
    std::vector<double> errors;
    for (const Arrival& pick : picks.arrivals) errors.push_back(pick.error);
    const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
    std::nth_element(errors.begin(), middle, errors.end());
    return *middle;
}

CrossValidation validate_one(const Model& start, const Survey& picks, InversionOptions options,
                             Regularisation kind, const Execution& execution) {
    // How well picks can be met hardly depends on the unknowns' spacing.
    constexpr std::size_t most_unknowns = 2000;
    if (options.gauss_newton.ratio == Index3{}) {
        options.gauss_newton.ratio = unknowns_ratio(start, most_unknowns);
    }
    options.gauss_newton.roughness.kind = kind;
    FoldTest test(fold_of_pick(picks), folds);
    const bool known = picks.has_errors || options.target_rms > 0;
    if (known) {
        const HeldOutScore last = cool_down(start, picks, options, test, {}, execution);
        const double error = typical_error(picks, options);
        return {kind, error * last.rms, error * last.held_out, folds};
    }
    // A unit, and the least deviation by which outliers are told.
    options.target_rms = 0.002 * median_time(picks);
    HeldOutScore best{0, std::numeric_limits<double>::infinity()};
    int no_better = 0;
    const auto go_on = [&](const ScoreAt& score_at) {
        constexpr double gain = 0.02;  // less is not worth a third of the smoothing
        constexpr int patience = 2;
        const HeldOutScore now = score_at(1);
        const auto better = [&](const HeldOutScore& score) {
            return score.held_out < (1 - gain) * best.held_out;
        };
        no_better = better(now) ? 0 : no_better + 1;
        if (better(now)) best = now;
        if (no_better >= patience) return false;
        // Before it costs passes: would less smoothing help, as far as this model tells?
        return better(score_at(1.0 / 3)) || better(score_at(1.0 / 9));
    };
    cool_down(start, picks, options, test, go_on, execution);
    return {kind, options.target_rms * best.rms, options.target_rms * best.held_out, folds};
}

}  // namespace

bool is_cheap_to_validate(const Model& start, const Survey& picks) {
    constexpr double ray_in_nodes = 500;  // a ray takes about as long as so many nodes of a field
    constexpr double most = 3e6;
    const auto fields = static_cast<double>(std::min(picks.events.size(), picks.stations.size()));
    const double pass = fields * static_cast<double>(start.given().size()) +
                        ray_in_nodes * static_cast<double>(picks.arrivals.size());
    return pass <= most;
}

std::vector<CrossValidation> cross_validate(const Model& start, const Survey& picks,
                                            const InversionOptions& options,
                                            std::span<const Regularisation> kinds,
                                            const Execution& execution) {
    Monitor& monitor = execution.monitor;
    std::vector<CrossValidation> found(kinds.size());
    Monitor stop_only({}, [&] { return monitor.stop_requested(); });
    const auto jobs = static_cast<std::int64_t>(kinds.size());
    monitor.begin("cross-validation", jobs);
    for_each_by_teams(jobs, resolve_threads(execution.threads), [&](std::int64_t job, int team) {
        const auto n = static_cast<std::size_t>(job);
        found[n] = validate_one(start, picks, options, kinds[n],
                                execution.with_threads(team).heard_by(stop_only));
        monitor.advance();
    });
    monitor.end();
    return found;
}

}  // namespace fermat
