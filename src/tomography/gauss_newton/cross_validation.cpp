#include "tomography/gauss_newton/cross_validation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "core/parallel.hpp"
#include "core/teams.hpp"
#include "tomography/gauss_newton/gauss_newton.hpp"
#include "tomography/gauss_newton/unknowns.hpp"

namespace fermat {
namespace {

constexpr int folds = 3;

template <class T>
T median(std::vector<T> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

std::vector<std::int32_t> fold_of_pick(const Survey& picks) {
    // A survey and the same turned round have the same folds.
    const bool turned = picks.stations.size() < picks.events.size();
    const auto source_of = [&](const Arrival& pick) {
        return turned ? static_cast<std::size_t>(pick.station)
                      : static_cast<std::size_t>(pick.event);
    };
    std::vector<int> counts(turned ? picks.stations.size() : picks.events.size(), 0);
    for (const Arrival& pick : picks.arrivals) ++counts[source_of(pick)];
    // Of few receivers each is needed to see the ground below it: a stretch of them left out would
    // test how well gaps are filled, and tell more noise than there is.
    constexpr int picks_per_step = 24;
    const int stretch = std::clamp(median(counts) / picks_per_step, 1, 4);
    std::vector<int> seen(counts.size(), 0);
    std::vector<std::int32_t> fold(picks.arrivals.size());
    for (std::size_t n = 0; n < fold.size(); ++n) {
        const std::size_t source = source_of(picks.arrivals[n]);
        fold[n] = (seen[source]++ / stretch + static_cast<int>(source)) % folds;
    }
    return fold;
}

double median_time(const Survey& picks) {
    std::vector<double> times;
    for (const Arrival& pick : picks.arrivals) {
        times.push_back(pick.time - picks.event_of(pick).origin_time);
    }
    return median(std::move(times));
}

/// A median of the picks' errors, to tell deviations as times.
double typical_error(const Survey& picks, const InversionOptions& options) {
    if (!picks.has_errors || options.weights == PickWeights::equal) return options.target_rms;
    std::vector<double> errors;
    for (const Arrival& pick : picks.arrivals) errors.push_back(pick.error);
    return median(std::move(errors));
}

/// Follows models of ever less smoothing to the one that predicts picks left out best.
class SmoothnessSearch {
  public:
    /// A deviation that n picks tell is known to 1 / sqrt(2 n) of itself.
    explicit SmoothnessSearch(std::size_t picks)
        : as_good_(std::clamp(1.6 / std::sqrt(2.0 * static_cast<double>(picks)), 0.008, 0.04)),
          gain_(std::max(0.005, 0.5 * as_good_)) {}

    /// By what the weight of the roughness is to be multiplied for the next model; 0: this is the
    /// end.
    double next(const ScoreAt& score_at) {
        constexpr int patience = 2;
        const HeldOutScore now = score_at(1);
        seen_.push_back(now);
        no_better_ = is_better(now) ? 0 : no_better_ + 1;
        if (is_better(now)) best_ = now;
        if (no_better_ >= patience) return 0;
        // A far step is taken where it helps much, as far as this model tells, and saves passes
        // over the sources. Where the linear problem tells of no gain, the next model may yet have
        // one.
        constexpr double much = 0.1;
        constexpr double far = 1.0 / 9;
        constexpr double near = 1.0 / 3;
        return score_at(far).held_out < (1 - much) * now.held_out ? far : near;
    }
    /// Of the models on the way, from smooth to rough, the first that meets picks left out as well
    /// as the best ones within 1.6 standard errors (after Breiman et al. 1984, who take one), as a
    /// point between two of them: which weights the way happened to try hardly moves it.
    HeldOutScore best() const {
        const double enough = level() * (1 + as_good_);
        for (std::size_t n = 0; n < seen_.size(); ++n) {
            if (seen_[n].held_out > enough) continue;
            if (n == 0) return seen_[n];
            const double way =
                (seen_[n - 1].held_out - enough) / (seen_[n - 1].held_out - seen_[n].held_out);
            return {seen_[n - 1].rms + way * (seen_[n].rms - seen_[n - 1].rms), enough};
        }
        return best_;
    }

  private:
    bool is_better(const HeldOutScore& score) const {
        return score.held_out < (1 - gain_) * best_.held_out;
    }
    /// How well picks left out can be met: the mean of the three best, as far as they are as good
    /// as each other. The least of them alone is the luck of a model, which the last bit of a time
    /// decides.
    double level() const {
        constexpr std::size_t most = 3;
        std::vector<double> scores;
        for (const HeldOutScore& one : seen_) {
            if (std::isfinite(one.held_out)) scores.push_back(one.held_out);
        }
        std::sort(scores.begin(), scores.end());
        double sum = 0;
        std::size_t n = 0;
        while (n < std::min(most, scores.size()) && scores[n] <= scores[0] * (1 + as_good_)) {
            sum += scores[n++];
        }
        return sum / static_cast<double>(n);
    }

    HeldOutScore best_{0, std::numeric_limits<double>::infinity()};
    std::vector<HeldOutScore> seen_;
    int no_better_ = 0;
    double as_good_;  ///< parts of the least misfit
    double gain_;     ///< less is not worth a third of the smoothing, and is chance of few picks
};

/// How well smooth ground can be met hardly depends on the unknowns' spacing.
Index3 coarse_ratio(const Model& start, const InversionOptions& options) {
    constexpr std::size_t most_unknowns = 1000;
    const Index3 asked = options.gauss_newton.ratio;
    return asked == Index3{} ? unknowns_ratio(start, most_unknowns) : asked;
}

/// In 3-D a thousand unknowns rarely explain picks to their errors, and many models are made on the
/// way: there the best is looked for with the unknowns of the run alone, if at all.
bool is_followed(const Model& start) { return start.grid().is_2d(); }

/// Whether the model that predicts picks left out best is looked for where none explains all picks
/// to their errors: it takes as long again, or several times as long.
enum class Unexplained { is_told, is_followed };

CrossValidation validate_one(const Model& start, const Survey& picks, InversionOptions options,
                             Regularisation kind, Unexplained unexplained,
                             const Execution& execution) {
    options.gauss_newton.ratio = coarse_ratio(start, options);
    options.gauss_newton.roughness.kind = kind;
    // A run that is to be short says nothing about its picks.
    constexpr int enough_to_compare = 20;
    options.gauss_newton.iterations =
        unexplained == Unexplained::is_told
            ? enough_to_compare
            : std::max(options.gauss_newton.iterations, GaussNewtonOptions{}.iterations);
    const bool known = picks.has_errors || options.target_rms > 0;
    bool stalled = false;
    if (known) {
        FoldTest test(fold_of_pick(picks), folds);
        const CooledDown last = cool_down(start, picks, options, test, {}, execution);
        stalled = last.stalled;
        const double error = typical_error(picks, options);
        if (last.explained) {
            return {kind, error * last.score.rms, error * last.score.held_out, folds,
                    1,    error * last.rougher};
        }
        if (unexplained == Unexplained::is_told || (!stalled && !is_followed(start))) {
            const double chi2 = last.score.rms * last.score.rms;
            return {kind,   error * last.score.rms, error * last.score.held_out, folds, chi2, 0,
                    stalled};
        }
    } else {
        // A unit, and the least deviation by which outliers are told.
        options.target_rms = 0.002 * median_time(picks);
    }
    const double unit = known ? typical_error(picks, options) : options.target_rms;
    FoldTest test(fold_of_pick(picks), folds);
    SmoothnessSearch search(picks.arrivals.size());
    cool_down(
        start, picks, options, test, [&](const ScoreAt& score_at) { return search.next(score_at); },
        execution);
    const HeldOutScore best = search.best();
    if (!std::isfinite(best.held_out)) return {kind, unit, unit, 0};  // no step from the start
    return {kind, unit * best.rms, unit * best.held_out, folds, best.rms * best.rms, 0, stalled};
}

std::vector<CrossValidation> validate(const Model& start, const Survey& picks,
                                      const InversionOptions& options,
                                      std::span<const Regularisation> kinds,
                                      Unexplained unexplained, const Execution& execution) {
    Monitor& monitor = execution.monitor;
    std::vector<CrossValidation> found(kinds.size());
    Monitor stop_only({}, [&] { return monitor.stop_requested(); });
    const auto jobs = static_cast<std::int64_t>(kinds.size());
    monitor.begin("cross-validation", jobs);
    for_each_by_teams(jobs, resolve_threads(execution.threads), [&](std::int64_t job, int team) {
        const auto n = static_cast<std::size_t>(job);
        found[n] = validate_one(start, picks, options, kinds[n], unexplained,
                                execution.with_threads(team).heard_by(stop_only));
        monitor.advance();
    });
    monitor.end();
    return found;
}

}  // namespace

CrossValidation with_own_unknowns(const CrossValidation& found, const Model& start,
                                  const Survey& picks, const InversionOptions& options,
                                  const Execution& execution) {
    InversionOptions own = options;
    own.gauss_newton.ratio = problem_plan(start, picks, options).ratio;
    const bool same = own.gauss_newton.ratio == coarse_ratio(start, options);
    if (same && is_followed(start)) return found;
    const std::array kinds{found.kind};
    return validate(start, picks, own, kinds, Unexplained::is_followed, execution).front();
}

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
    const Unexplained unexplained =
        !picks.has_errors || is_followed(start) ? Unexplained::is_followed : Unexplained::is_told;
    return validate(start, picks, options, kinds, unexplained, execution);
}

}  // namespace fermat
