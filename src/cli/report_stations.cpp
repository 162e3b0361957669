#include <fmt/format.h>

#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "cli/report_events.hpp"
#include "cli/table_number.hpp"
#include "core/error.hpp"
#include "io/place_table.hpp"
#include "io/text.hpp"

namespace fermat::cli {
namespace {

/// Sums of the residuals of a station and phase.
struct Sums {
    std::size_t count = 0;
    double sum = 0;
    double squares = 0;

    void add(double residual) {
        ++count;
        sum += residual;
        squares += residual * residual;
    }
};
using StationSums = std::map<std::pair<std::string, std::string>, Sums>;

void put_sums(const StationSums& sums, ReportStations& stations) {
    for (const auto& [key, of] : sums) {
        const auto n = static_cast<double>(of.count);
        stations.all[key.first].misfits.push_back(
            {key.second, of.count, of.sum / n, std::sqrt(of.squares / n)});
    }
}

/// A place by x and y in the coordinates in which events are shown.
Vec3 as_shown(Vec3 place, const ReportEvents& events) {
    if (!events.degrees || !events.plane) return place;
    const GeoPoint at = events.plane->to_geographic({place.x, place.y});
    return {at.longitude, at.latitude, place.z};
}

}  // namespace

void add_station_places(const std::filesystem::path& path, const ReportEvents& events,
                        ReportStations& stations, Notes& notes) {
    const PlaceTable table = read_station_table(path, notes);
    if (table.geographic && !events.degrees) {
        throw InputError(fmt::format(
            "'{}' has longitudes and latitudes and the events x and y alone (give stations by x "
            "and y)",
            path.string()));
    }
    if (!table.geographic && events.degrees && !events.plane) {
        throw InputError(fmt::format(
            "'{}' has x and y and the events longitudes and latitudes alone (give stations by "
            "longitude and latitude)",
            path.string()));
    }
    for (const NamedPlace& row : table.rows) {
        Vec3 place = row.place;
        if (!table.geographic) {
            place = as_shown(place, events);
        } else {
            // Files of longitudes and latitudes have kilometres.
            place.z *= 1000 / events.metres;
        }
        stations.all[row.id].place = place;
    }
}

void add_station_fits(const CsvTable& fits, ReportStations& stations) {
    const std::size_t station = fits.column("station");
    const std::size_t residual = fits.column("residual");
    const auto phase = fits.find_column("phase");
    const auto weight = fits.find_column("weight");
    StationSums sums;
    for (std::size_t row = 0; row < fits.rows(); ++row) {
        const double value = number_or_nan(fits, row, residual);
        const bool used = !weight || number_or_nan(fits, row, weight) > 0;
        if (!std::isfinite(value) || !used) continue;
        sums[{std::string(fits.text(row, station)),
              phase ? std::string(fits.text(row, *phase)) : std::string("P")}]
            .add(value);
    }
    stations.what = fits.find_column("first") ? "differences" : "picks";
    put_sums(sums, stations);
}

void add_run_residuals(const CsvTable& residuals, const CsvTable& picks, const ReportEvents& events,
                       ReportStations& stations) {
    const bool is_named = picks.rows() == residuals.rows() && picks.find_column("station");
    const std::size_t named = is_named ? picks.column("station") : 0;
    const std::size_t receiver = residuals.column("receiver");
    const std::size_t x = residuals.column("receiver_x");
    const auto y = residuals.find_column("receiver_y");
    const std::size_t z = residuals.column("receiver_z");
    const auto phase = residuals.find_column("phase");
    const std::size_t value = residuals.column("final_residual");
    const std::size_t use = residuals.column("use");
    StationSums sums;
    for (std::size_t row = 0; row < residuals.rows(); ++row) {
        std::string name(residuals.text(row, receiver));
        if (is_named && !picks.text(row, named).empty()) name = picks.text(row, named);
        Vec3 place{residuals.number(row, x), y ? residuals.number(row, *y) : 0.0,
                   residuals.number(row, z)};
        // Runs on a sphere write latitudes first.
        if (events.degrees && !events.plane) std::swap(place.x, place.y);
        stations.all[name].place = as_shown(place, events);
        const double off = number_or_nan(residuals, row, value);
        if (!std::isfinite(off) || residuals.text(row, use) != "used") continue;
        sums[{name, phase ? std::string(residuals.text(row, *phase)) : std::string("P")}].add(off);
    }
    stations.what = "picks";
    put_sums(sums, stations);
}

}  // namespace fermat::cli
