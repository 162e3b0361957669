#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/notes.hpp"
#include "core/vec3.hpp"
#include "io/csv.hpp"
#include "io/local_plane.hpp"

namespace fermat::cli {

/// A catalogue as the page draws it: one entry per event that has a place.
struct ReportEvents {
    std::string kind;       ///< "located", "relocated" or "moved by the inversion"
    std::size_t count = 0;  ///< of the file, with those that have no place
    bool is_2d = false;
    /// x and y are longitudes and latitudes. Errors stay lengths, to the east and north.
    bool degrees = false;
    double degree = 1;                ///< length of a degree of latitude
    double metres = 1000;             ///< in the unit of length
    std::optional<LocalPlane> plane;  ///< that the table has beside them
    std::vector<std::string> names;
    std::vector<float> x, y, z;
    std::vector<float> from_x, from_y, from_z;  ///< places of before; empty if not known
    std::vector<float> rms, magnitude;          ///< not a number where there is none
    /// Covariances xx, xy, xz, yy, yz, zz; not numbers where there is none.
    std::array<std::vector<float>, 6> covariance;
    std::map<std::string, std::size_t> groups;  ///< how many events of each status or use
    std::size_t clusters = 0;                   ///< of relocations
    double median_shift = 0;
};

/// How the places of a table of events are to be read.
struct EventPlaces {
    double metres = 1000;  ///< in its unit of length
    double radius = 0;     ///< of the sphere on which a run's model lies; 0: the Earth's
};

/// The CSV of `fermat locate` or `fermat relocate`, or events.csv of a run. Events that have
/// longitudes and latitudes are shown by them. Throws InputError that names a missing column.
ReportEvents read_report_events(const CsvTable& table, const EventPlaces& places);

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

/// Adds the stations of a file (see read_station_table), in the coordinates of the events. Throws
/// InputError where one has longitudes and latitudes and the other lengths alone.
void add_station_places(const std::filesystem::path& path, const ReportEvents& events,
                        ReportStations& stations, Notes& notes);
/// Adds residuals by station: of `--fits` of locate or relocate.
void add_station_fits(const CsvTable& fits, ReportStations& stations);
/// Adds places and residuals of stations from residuals.csv of a run; `picks`, its moved_picks.csv,
/// has their names in the same rows.
void add_run_residuals(const CsvTable& residuals, const CsvTable& picks, const ReportEvents& events,
                       ReportStations& stations);

/// The events and stations as a JSON object.
std::string events_json(const ReportEvents& events, const ReportStations& stations);
/// Pairs of a name and a value for the summary, in the units given.
std::vector<std::pair<std::string, std::string>> events_summary(const ReportEvents& events,
                                                                const std::string& length,
                                                                const std::string& time);

}  // namespace fermat::cli
