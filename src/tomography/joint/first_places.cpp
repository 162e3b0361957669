#include "tomography/joint/first_places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/memory.hpp"
#include "location/locate.hpp"
#include "location/station_fields.hpp"
#include "model/by_depth.hpp"

namespace fermat {
namespace {

bool is_believed(const JointOptions& options) {
    return options.prior.x > 0 || options.prior.y > 0 || options.prior.z > 0;
}

/// Events whose places are sought.
std::vector<bool> unknown_events(const Survey& picks) {
    std::vector<bool> out;
    for (const Event& event : picks.events) out.push_back(!event.known.any());
    return out;
}

/// Location keeps the fields of all stations at once; an inversion needs no such memory.
double bytes_of_fields(const Medium& medium, const Survey& picks) {
    const auto by_depth = [&](Phase phase) {
        const Model& model = medium.of(phase);
        return model.is_plain() && depends_on_depth(model);
    };
    const std::vector<Phase> phases = phases_of(picks);
    if (std::all_of(phases.begin(), phases.end(), by_depth)) return 0;
    const double fields = constant_ratio(medium) ? 1 : static_cast<double>(phases.size());
    return fields * static_cast<double>(picks.stations.size()) *
           static_cast<double>(medium.grid().shape.count()) * sizeof(float);
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

std::vector<std::array<double, 4>> shifts(const Mapping& mapping, const Survey& picks,
                                          const Catalogue& found, const std::vector<bool>& moves) {
    std::vector<std::array<double, 4>> out(picks.events.size());
    for (std::size_t n = 0; n < out.size(); ++n) {
        if (!moves[n]) continue;
        const Vec3 way = mapping.flat_from_user(found.events[n].position) -
                         mapping.flat_from_user(picks.events[n].position);
        out[n] = {way.x, way.y, way.z, found.events[n].origin_time - picks.events[n].origin_time};
    }
    return out;
}

}  // namespace

FirstPlaces first_places(const Medium& medium, const Survey& picks, const JointOptions& options,
                         const Execution& execution) {
    FirstPlaces out;
    const bool open = options.start_places == StartPlaces::automatic;
    if (options.relocate != Relocate::all || options.start_places == StartPlaces::given) return out;
    if (open && is_believed(options)) return out;
    const double bytes = bytes_of_fields(medium, picks);
    if (open && bytes > machine_memory() / 4) {
        constexpr double gigabyte = 1e9;
        out.warning = fmt::format(
            "events begin at the places that were given: to search others, the times of all "
            "stations would take {:.3g} GB (`start_places=located` searches them)",
            bytes / gigabyte);
        return out;
    }
    LocateOptions wishes;
    wishes.error_length = 0;
    wishes.least_picks = options.least_picks;
    wishes.prior = options.prior;
    const Execution alone = execution.alone();
    const Catalogue found = locate(medium, picks, wishes, nullptr, alone);
    std::vector<bool> moves = unknown_events(picks);
    std::size_t count = 0;
    for (std::size_t n = 0; n < moves.size(); ++n) {
        moves[n] = moves[n] && found.events[n].status == LocationStatus::located;
        count += moves[n];
    }
    if (!open) {
        out.shift = shifts(medium.place().mapping(), picks, found, moves);
        out.choice = fmt::format("{} of {} events begin where they are found in the start model",
                                 count, picks.events.size());
        return out;
    }
    wishes.fixed = Fixed::place;
    // Judged by one error of the model, so that poor places do not make their picks gross.
    wishes.model_error = found.errors.typical()[0];
    wishes.outliers = 0;
    const Catalogue given = locate(medium, picks, wishes, nullptr, alone);
    std::vector<bool> both = moves;
    for (std::size_t n = 0; n < both.size(); ++n) {
        both[n] = both[n] && is_located(given.events[n].status);
    }
    const double before = misfit(picks, found, given, both);
    const double after = misfit(picks, found, found, both);
    constexpr double much = 4;
    if (count == 0 || !(before > much * after)) return out;
    out.shift = shifts(medium.place().mapping(), picks, found, moves);
    out.choice = fmt::format(
        "`start_places=located`: {} of {} events begin where they are found in the start model; "
        "their picks have {} {:.3g} there, and {:.3g} at the given places with the best origin "
        "times",
        count, picks.events.size(), picks.has_errors ? "chi2" : "a mean square of", after, before);
    return out;
}

}  // namespace fermat
