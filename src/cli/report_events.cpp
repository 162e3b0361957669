#include "cli/report_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "cli/json.hpp"
#include "core/error.hpp"
#include "io/place_table.hpp"
#include "io/text.hpp"

namespace fermat::cli {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

double number_or_nan(const CsvTable& table, std::size_t row, std::optional<std::size_t> column) {
    return column ? parse_number(table.text(row, *column)).value_or(none) : none;
}

double median_of(std::vector<double> values) {
    if (values.empty()) return none;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

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

}  // namespace

ReportEvents read_report_events(const CsvTable& table) {
    ReportEvents out;
    if (!table.find_column("x") && table.find_column("latitude")) {
        throw InputError(
            fmt::format("'{}' has latitudes and no x (the page of events is for models of x, y, z)",
                        table.path().string()));
    }
    const std::size_t x = table.column("x");
    const auto y = table.find_column("y");
    const std::size_t z = table.column("z");
    const auto status = table.find_column("status");
    const auto cluster = table.find_column("cluster");
    const auto use = table.find_column("use");
    const auto shift_x = table.find_column("shift_x");
    const auto shift_y = table.find_column("shift_y");
    const auto shift_z = table.find_column("shift_z");
    const auto rms = table.find_column("rms");
    out.kind = status ? "located" : cluster ? "relocated" : "moved by the inversion";
    if (!status && !cluster && !use) {
        throw InputError(fmt::format(
            "'{}' has no column status, cluster or use (must be a table that fermat locate, "
            "fermat relocate or fermat invert --relocate wrote)",
            table.path().string()));
    }
    out.count = table.rows();
    out.is_2d = !y;
    std::set<std::string, std::less<>> clusters;
    std::vector<double> shifts;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        std::string group;
        if (status) group = table.text(row, *status);
        if (use) group = table.text(row, *use);
        if (cluster) group = table.text(row, *cluster).empty() ? "not linked" : "relocated";
        ++out.groups[group];
        if (cluster && !table.text(row, *cluster).empty()) {
            clusters.emplace(table.text(row, *cluster));
        }
        if (table.text(row, x).empty()) continue;
        const Vec3 at{table.number(row, x), y ? table.number(row, *y) : 0.0, table.number(row, z)};
        out.x.push_back(static_cast<float>(at.x));
        out.y.push_back(static_cast<float>(at.y));
        out.z.push_back(static_cast<float>(at.z));
        out.rms.push_back(static_cast<float>(number_or_nan(table, row, rms)));
        if (!shift_x || !shift_z) continue;
        const Vec3 by{table.number(row, *shift_x), shift_y ? table.number(row, *shift_y) : 0.0,
                      table.number(row, *shift_z)};
        out.from_x.push_back(static_cast<float>(at.x - by.x));
        out.from_y.push_back(static_cast<float>(at.y - by.y));
        out.from_z.push_back(static_cast<float>(at.z - by.z));
        if (norm(by) > 0) shifts.push_back(norm(by));
    }
    if (out.x.empty()) {
        throw InputError(fmt::format("'{}' has no event with a place", table.path().string()));
    }
    out.clusters = clusters.size();
    out.median_shift = median_of(std::move(shifts));
    return out;
}

void add_station_places(const std::filesystem::path& path, const CsvTable& events,
                        ReportStations& stations, Notes& notes) {
    PlaceTable table = read_station_table(path, notes);
    if (table.geographic) {
        // The plane is that of the events: x = 0 and y = 0 are where their longitudes say.
        const auto longitude = events.find_column("longitude");
        const auto latitude = events.find_column("latitude");
        if (!longitude || !latitude || events.rows() == 0) {
            throw InputError(fmt::format(
                "'{}' has longitudes and latitudes and the events x and y alone (give stations by "
                "x and y)",
                path.string()));
        }
        std::size_t row = 0;
        while (row + 1 < events.rows() && events.text(row, *longitude).empty()) ++row;
        const Vec3 at{events.number(row, events.column("x")),
                      events.number(row, events.column("y")), 0};
        const GeoPoint place{events.number(row, *longitude), events.number(row, *latitude)};
        // The centre c for which the event is at (x, y): by steps of what is still missing.
        LocalPlane plane{place, 1000};
        for (int step = 0; step < 20; ++step) {
            const PlanePoint seen = plane.to_plane(place);
            plane.centre = plane.to_geographic({seen.x - at.x, seen.y - at.y});
        }
        put_on_plane(table, plane);
    }
    for (const NamedPlace& row : table.rows) stations.all[row.id].place = row.place;
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

void add_run_residuals(const CsvTable& residuals, const CsvTable& picks, ReportStations& stations) {
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
        stations.all[name].place =
            Vec3{residuals.number(row, x), y ? residuals.number(row, *y) : 0.0,
                 residuals.number(row, z)};
        const double off = number_or_nan(residuals, row, value);
        if (!std::isfinite(off) || residuals.text(row, use) != "used") continue;
        sums[{name, phase ? std::string(residuals.text(row, *phase)) : std::string("P")}].add(off);
    }
    stations.what = "picks";
    put_sums(sums, stations);
}

std::string events_json(const ReportEvents& events, const ReportStations& stations) {
    std::string places;
    std::string misfits;
    for (const auto& [name, one] : stations.all) {
        if (one.place) {
            places += fmt::format("{}[{},{},{},{}]", places.empty() ? "" : ",", json_text(name),
                                  json_number(one.place->x), json_number(one.place->y),
                                  json_number(one.place->z));
        }
        for (const ReportStations::Misfit& misfit : one.misfits) {
            misfits += fmt::format("{}[{},{},{},{},{}]", misfits.empty() ? "" : ",",
                                   json_text(name), json_text(misfit.phase), misfit.count,
                                   json_number(misfit.mean), json_number(misfit.rms));
        }
    }
    return fmt::format(
        R"({{"flat":{},"x":{},"y":{},"z":{},"fromX":{},"fromY":{},"fromZ":{},"rms":{},)"
        R"("stations":[{}],"misfits":[{}],"what":{}}})",
        events.is_2d, json_floats(events.x), json_floats(events.y), json_floats(events.z),
        json_floats(events.from_x), json_floats(events.from_y), json_floats(events.from_z),
        json_floats(events.rms), places, misfits, json_text(stations.what));
}

std::vector<std::pair<std::string, std::string>> events_summary(const ReportEvents& events,
                                                                const std::string& length,
                                                                const std::string& time) {
    std::vector<std::pair<std::string, std::string>> out;
    out.emplace_back("events", fmt::format("{} of {} with a place", events.x.size(), events.count));
    for (const auto& [group, count] : events.groups) {
        out.emplace_back(group.empty() ? "without a word" : group, fmt::format("{}", count));
    }
    if (events.clusters > 0) out.emplace_back("clusters", fmt::format("{}", events.clusters));
    if (std::isfinite(events.median_shift)) {
        out.emplace_back("median shift", fmt::format("{:.3g} {}", events.median_shift, length));
    }
    const auto [low, high] = std::minmax_element(events.z.begin(), events.z.end());
    out.emplace_back("depths", fmt::format("{:.4g} to {:.4g} {}", *low, *high, length));
    std::vector<double> rms;
    for (const float value : events.rms) {
        if (std::isfinite(value)) rms.push_back(value);
    }
    if (!rms.empty()) {
        out.emplace_back("median RMS per event",
                         fmt::format("{:.3g} {}", median_of(std::move(rms)), time));
    }
    return out;
}

}  // namespace fermat::cli
