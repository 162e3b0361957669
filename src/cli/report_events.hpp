#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/notes.hpp"
#include "core/vec3.hpp"
#include "io/csv.hpp"

namespace fermat::cli {

/// A catalogue as the page draws it: one entry per event that has a place.
struct ReportEvents {
    std::string kind;       ///< "located", "relocated" or "moved by the inversion"
    std::size_t count = 0;  ///< of the file, with those that have no place
    bool is_2d = false;
    std::vector<float> x, y, z;
    std::vector<float> from_x, from_y, from_z;  ///< places of before; empty if not known
    std::vector<float> rms;                     ///< not a number where there is none
    std::map<std::string, std::size_t> groups;  ///< how many events of each status or use
    std::size_t clusters = 0;                   ///< of relocations
    double median_shift = 0;
};

/// The CSV of `fermat locate` or `fermat relocate`, or events.csv of a run. Throws InputError that
/// names a missing column.
ReportEvents read_report_events(const CsvTable& table);

/// Stations with their residuals: one entry per station and phase that has some.
struct ReportStations {
    struct Misfit {
        std::string phase;
        std::size_t count = 0;  ///< of the residuals that were used
        double mean = 0;
        double rms = 0;
    };
    struct One {
        std::optional<Vec3> place;
        std::vector<Misfit> misfits;
    };
    std::map<std::string, One> all;
    std::string what;  ///< "picks" or "differences"
};

/// Adds the stations of a file (see read_station_table), by the plane of the events if both have
/// longitudes and latitudes.
void add_station_places(const std::filesystem::path& path, const CsvTable& events,
                        ReportStations& stations, Notes& notes);
/// Adds residuals by station: of `--fits` of locate or relocate.
void add_station_fits(const CsvTable& fits, ReportStations& stations);
/// Adds places and residuals of stations from residuals.csv of a run; `picks`, its moved_picks.csv,
/// has their names in the same rows.
void add_run_residuals(const CsvTable& residuals, const CsvTable& picks, ReportStations& stations);

/// The events and stations as a JSON object.
std::string events_json(const ReportEvents& events, const ReportStations& stations);
/// Pairs of a name and a value for the summary, in the units given.
std::vector<std::pair<std::string, std::string>> events_summary(const ReportEvents& events,
                                                                const std::string& length,
                                                                const std::string& time);

}  // namespace fermat::cli
