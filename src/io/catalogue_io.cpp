#include "io/catalogue_io.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

#include "io/catalogue_row.hpp"

namespace fermat {
namespace fs = std::filesystem;
namespace {

bool has_samples(const Catalogue& catalogue) {
    for (const Hypocentre& event : catalogue.events) {
        if (!event.posterior.places.empty()) return true;
    }
    return false;
}

std::vector<std::string> catalogue_columns(bool is_2d, bool geographic, bool samples,
                                           bool on_sphere, bool sized) {
    std::vector<std::string> names = {"event", "status"};
    add_place_names(names, "", is_2d, on_sphere);
    if (geographic) names.insert(names.end(), {"longitude", "latitude"});
    names.emplace_back("origin_time");
    if (sized) names.emplace_back("magnitude");
    add_axis_names(names, "error_", is_2d);
    names.insert(names.end(), {"error_time", "rms", "gap", "nearest", "picks", "used", "quality"});
    if (is_2d) {
        names.insert(names.end(), {"cov_xx", "cov_xz", "cov_zz"});
    } else {
        names.insert(names.end(), {"cov_xx", "cov_xy", "cov_xz", "cov_yy", "cov_yz", "cov_zz"});
    }
    for (int axis = 1; axis <= (is_2d ? 2 : 3); ++axis) {
        names.push_back(fmt::format("axis{}_68", axis));
        names.push_back(fmt::format("axis{}_95", axis));
        if (!is_2d) names.push_back(fmt::format("axis{}_azimuth", axis));
        names.push_back(fmt::format("axis{}_plunge", axis));
    }
    if (samples) {
        add_place_names(names, "mean_", is_2d, on_sphere);
        names.insert(names.end(), {"effective_samples", "log_density_68", "log_density_95"});
    }
    return names;
}

double if_located(const Hypocentre& event, double value) {
    return is_located(event.status) ? value : not_known;
}

void add_errors(CatalogueRow& row, const Hypocentre& event, bool is_2d) {
    Vec3 errors;
    for (std::size_t a = 0; a < 3; ++a) {
        errors[static_cast<int>(a)] = if_located(event, std::sqrt(event.covariance[a][a]));
    }
    row.add(errors, is_2d);
    row.add(event.time_error);
    row.add(event.rms);
    row.add(is_2d ? not_known : event.gap);
    row.add(event.nearest);
    row.add(event.picks);
    row.add(event.used);
    row.add(std::string(name_of(event.quality)));
    for (std::size_t a = 0; a < 3; ++a) {
        for (std::size_t b = a; b < 3; ++b) {
            if (is_2d && (a == 1 || b == 1)) continue;
            row.add(if_located(event, event.covariance[a][b]));
        }
    }
}

void add_ellipsoid(CatalogueRow& row, const Hypocentre& event, bool is_2d) {
    // In 2-D the shortest axis is that across the section, along which nothing is free.
    for (std::size_t n = 0; n < (is_2d ? 2U : 3U); ++n) {
        const double deviation = event.ellipsoid.deviation[n];
        row.add(if_located(event, event.reach.of_68 * deviation));
        row.add(if_located(event, event.reach.of_95 * deviation));
        const Vec3 direction = event.ellipsoid.direction[n];
        if (!is_2d) row.add(if_located(event, azimuth_of(direction)));
        row.add(if_located(event, plunge_of(direction)));
    }
}

}  // namespace

void add_place_names(std::vector<std::string>& names, const std::string& prefix, bool is_2d,
                     bool on_sphere) {
    if (!on_sphere) return add_axis_names(names, prefix, is_2d);
    for (const char* const name : {"longitude", "latitude", "z"}) names.push_back(prefix + name);
}

Vec3 as_named(Vec3 place, bool on_sphere) {
    return on_sphere ? Vec3{place.y, place.x, place.z} : place;
}

void write_catalogue(const fs::path& path, const Survey& survey, const Catalogue& catalogue,
                     Clock clock, const LocalPlane* plane, bool on_sphere,
                     std::span<const double> magnitudes) {
    const bool is_2d = survey.is_2d;
    const bool samples = has_samples(catalogue);
    const bool sized = knows_magnitudes(magnitudes);
    CsvWriter table(path, catalogue_columns(is_2d, plane != nullptr, samples, on_sphere, sized));
    CatalogueRow row;
    for (std::size_t n = 0; n < survey.events.size(); ++n) {
        const Hypocentre& event = catalogue.events[n];
        row.add(name_of(survey, survey.events[n]));
        row.add(std::string(name_of(event.status)));
        row.add(as_named(event.position, on_sphere), is_2d);
        row.add_geographic(event.position, plane);
        row.add_time(event.origin_time, clock);
        if (sized) row.add(magnitudes[n]);
        add_errors(row, event, is_2d);
        add_ellipsoid(row, event, is_2d);
        if (samples) {
            const bool drawn = !event.posterior.places.empty();
            const Vec3 none{not_known, not_known, not_known};
            row.add(drawn ? as_named(event.posterior.mean, on_sphere) : none, is_2d);
            row.add(drawn ? event.posterior.effective : not_known);
            row.add(drawn ? event.posterior.least_68 : not_known);
            row.add(drawn ? event.posterior.least_95 : not_known);
        }
        row.write(table);
    }
    table.commit();
}

void write_fits(const fs::path& path, const Survey& survey, const Catalogue& catalogue, Clock clock,
                std::span<const std::string> phases, std::span<const Polarity> polarities) {
    std::vector<std::string> names = {
        "event",     "station",     "phase",    "time",    "error",       "residual", "weight",
        "deviation", "travel_time", "distance", "azimuth", "ray_azimuth", "take_off"};
    if (catalogue.terms) names.emplace_back("term");
    if (!polarities.empty()) names.emplace_back("polarity");
    CsvWriter table(path, names);
    CatalogueRow row;
    for (std::size_t n = 0; n < survey.arrivals.size(); ++n) {
        const Arrival& arrival = survey.arrivals[n];
        const PickFit& fit = catalogue.fits[n];
        row.add(name_of(survey, survey.event_of(arrival)));
        row.add(name_of(survey, survey.station_of(arrival)));
        row.add(phases.empty() ? std::string(name_of(arrival.phase)) : phases[n]);
        row.add_time(arrival.time, clock);
        row.add(survey.has_errors ? arrival.error : not_known);
        for (const double value : {fit.residual, fit.weight, fit.deviation, fit.travel_time,
                                   fit.distance, fit.azimuth, fit.ray_azimuth, fit.take_off}) {
            row.add(value);
        }
        if (catalogue.terms) row.add(fit.term);
        if (!polarities.empty()) {
            row.add(polarities[n] == 0 ? std::string()
                                       : std::string(1, motion_letter(polarities[n])));
        }
        row.write(table);
    }
    table.commit();
}

void write_samples(const fs::path& path, const Survey& survey, const Catalogue& catalogue,
                   bool on_sphere) {
    std::vector<std::string> names = {"event"};
    add_place_names(names, "", survey.is_2d, on_sphere);
    names.emplace_back("log_density");
    CsvWriter table(path, names);
    CatalogueRow row;
    for (std::size_t n = 0; n < survey.events.size(); ++n) {
        const Posterior& posterior = catalogue.events[n].posterior;
        for (std::size_t s = 0; s < posterior.places.size(); ++s) {
            row.add(name_of(survey, survey.events[n]));
            row.add(as_named(posterior.places[s], on_sphere), survey.is_2d);
            row.add(posterior.log_density[s]);
            row.write(table);
        }
    }
    table.commit();
}

}  // namespace fermat
