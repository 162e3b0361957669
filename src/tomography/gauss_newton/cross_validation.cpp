#include "tomography/gauss_newton/cross_validation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <vector>

#include "core/parallel.hpp"
#include "core/teams.hpp"
#include "tomography/gauss_newton/gauss_newton.hpp"
#include "tomography/gauss_newton/unknowns.hpp"

namespace fermat {
namespace {

/// Mean absolute residuals of the picks that are fitted and of those that are left out, as the
/// deviations of Gaussian ones.
struct Deviations {
    double fitted = 0;
    double held_out = 0;
};

Deviations deviations(std::span<const double> residual, std::span<const std::uint8_t> held_out) {
    double sums[2] = {0, 0};
    double counts[2] = {0, 0};
    for (std::size_t n = 0; n < residual.size(); ++n) {
        if (std::isnan(residual[n])) continue;
        sums[held_out[n]] += std::abs(residual[n]);
        counts[held_out[n]] += 1;
    }
    const double gaussian = std::sqrt(std::numbers::pi / 2);
    return {gaussian * sums[0] / counts[0], gaussian * sums[1] / counts[1]};
}

/// Marks a part of the picks: stretches of each source's, so that what is left out has few twins
/// beside it that are not.
std::vector<std::uint8_t> marked(const Picks& picks, int fold, int folds) {
    constexpr int stretch = 4;
    std::vector<int> seen(picks.sources.size(), 0);
    std::vector<std::uint8_t> marks(picks.picks.size());
    for (std::size_t n = 0; n < marks.size(); ++n) {
        const auto source = static_cast<std::size_t>(picks.picks[n].source);
        marks[n] = (seen[source]++ / stretch + static_cast<int>(source)) % folds == fold;
    }
    return marks;
}

Deviations deviations_of_fold(const Model& start, const Picks& picks,
                              const InversionOptions& options, int fold, int folds,
                              const Execution& execution) {
    HeldOut held_out;
    held_out.picks = marked(picks, fold, folds);
    Deviations best{0, std::numeric_limits<double>::infinity()};
    int no_better = 0;
    held_out.go_on = [&](std::span<const double> residual) {
        constexpr double gain = 0.02;  // less than this for half the smoothing is not worth it
        constexpr int patience = 2;
        const Deviations now = deviations(residual, held_out.picks);
        const bool better = now.held_out < (1 - gain) * best.held_out;
        if (better) best = now;
        no_better = better ? 0 : no_better + 1;
        return no_better < patience;
    };
    cool_down(start, picks, options, held_out, execution);
    return best;
}

}  // namespace

CrossValidation cross_validate(const Model& start, const Picks& picks,
                               const InversionOptions& options, const Execution& execution) {
    Monitor& monitor = execution.monitor;
    constexpr int folds = 3;
    std::vector<Deviations> found(folds);
    Monitor stop_only({}, [&] { return monitor.stop_requested(); });
    monitor.begin("cross-validation", folds);
    for_each_by_teams(folds, resolve_threads(execution.threads), [&](std::int64_t fold, int team) {
        InversionOptions own = options;
        // How well picks can be met hardly depends on the unknowns' spacing.
        constexpr std::size_t most_unknowns = 2000;
        if (own.gauss_newton.ratio == Index3{}) {
            own.gauss_newton.ratio = unknowns_ratio(start, most_unknowns);
        }
        found[static_cast<std::size_t>(fold)] =
            deviations_of_fold(start, picks, own, static_cast<int>(fold), folds,
                               execution.with_threads(team).heard_by(stop_only));
        monitor.advance();
    });
    monitor.end();
    double fitted = 0;
    double held_out = 0;
    for (const Deviations& fold : found) {
        fitted += std::log(fold.fitted) / folds;
        held_out += std::log(fold.held_out) / folds;
    }
    return {std::exp(fitted), std::exp(held_out), folds};
}

}  // namespace fermat
