#include "tomography/joint/poor_places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "location/locate.hpp"

namespace fermat {
namespace {

/// Events whose places are sought.
std::vector<bool> unknown_events(const Survey& picks, const JointOptions& options) {
    std::vector<bool> out(picks.events.size(), true);
    for (const KnownEvent& known : options.known) {
        out[static_cast<std::size_t>(known.event)] = false;
    }
    return out;
}

/// Mean of squared residuals over errors, of picks that a location trusts.
double misfit(const Survey& picks, const Catalogue& judge, const Catalogue& found,
              const std::vector<bool>& counts) {
    constexpr double trusted = 0.5;
    double sum = 0;
    double count = 0;
    for (std::size_t n = 0; n < picks.arrivals.size(); ++n) {
        const Arrival& pick = picks.arrivals[n];
        const double residual = found.fits[n].residual;
        const bool good = counts[static_cast<std::size_t>(pick.event)] &&
                          judge.fits[n].weight >= trusted && std::isfinite(residual);
        if (!good) continue;
        const double error = picks.has_errors ? pick.error : 1;
        sum += residual * residual / (error * error);
        count += 1;
    }
    return count > 0 ? sum / count : 0;
}

}  // namespace

std::optional<std::string> poor_places(const Medium& medium, const Survey& picks,
                                       const JointOptions& options, const Execution& execution) {
    const bool believed = options.prior.x > 0 || options.prior.y > 0 || options.prior.z > 0;
    const bool placed = std::all_of(picks.events.begin(), picks.events.end(),
                                    [](const Event& one) { return is_finite(one.position); });
    if (options.relocate != Relocate::all || believed || !placed) return std::nullopt;
    // Location keeps the fields of all stations; an inversion needs no such memory.
    constexpr double most_bytes = 1e9;
    const double fields = static_cast<double>(picks.stations.size()) * 2;
    const double bytes = fields * static_cast<double>(medium.grid().shape.count()) * sizeof(float);
    if (bytes > most_bytes) return std::nullopt;
    LocateOptions wishes;
    wishes.error_length = 0;
    wishes.least_picks = options.least_picks;
    const Execution quiet = execution.alone().heard_by(silent_monitor());
    const Catalogue found = locate(medium, picks, wishes, nullptr, quiet);
    wishes.fixed = Fixed::place;
    // Judged by one error of the model, so that poor places do not make their picks gross.
    wishes.model_error = found.errors.typical()[0];
    wishes.outliers = 0;
    const Catalogue given = locate(medium, picks, wishes, nullptr, quiet);
    std::vector<bool> counted = unknown_events(picks, options);
    std::size_t count = 0;
    for (std::size_t n = 0; n < counted.size(); ++n) {
        counted[n] = counted[n] && found.events[n].status == LocationStatus::located &&
                     is_located(given.events[n].status);
        count += counted[n];
    }
    constexpr double much = 4;
    const double before = misfit(picks, found, given, counted);
    const double after = misfit(picks, found, found, counted);
    if (count == 0 || !(before > much * after)) return std::nullopt;
    return fmt::format(
        "the given places of {} of {} events are poor: with the best origin times their picks have "
        "{} {:.3g} in the start model, and {:.3g} from the places that `fermat locate` finds there "
        "(steps may not lead so far: begin with its `moved_picks`)",
        count, picks.events.size(), picks.has_errors ? "chi2" : "a mean square of", before, after);
}

}  // namespace fermat
