#pragma once

#include <filesystem>
#include <optional>

#include "core/notes.hpp"
#include "io/phase_rows.hpp"

namespace fermat {

/// The files of a catalogue. `picks`: CSV with event,station,time and optionally phase (P without
/// it), error, under any of the names of find_error_column(), and polarity (see polarity.hpp);
/// times are seconds or dates such as 2018-11-30T17:29:35.11. Tables of read_picks() are accepted
/// too: their receiver_x,receiver_y, receiver_z stand for the stations and their
/// source_x,source_y,source_z for the events; y may be left out in 2-D. Or NonLinLoc's `.obs` and
/// `.hyp`, hypoDD's `phase.dat`, TomoATT's `src_rec`, VELEST's `.cnv`, SIMULPS's events, LOTOS's
/// `rays.dat`. `stations` and `events`: see read_station_table() and read_event_table().
struct PhaseFiles {
    std::filesystem::path picks;
    std::optional<std::filesystem::path> stations;
    std::optional<std::filesystem::path> events;
    std::optional<GeoPoint> centre{};  ///< of x = y = 0, if places are longitudes and latitudes
    bool on_sphere = false;            ///< as PickReadOptions::on_sphere
    bool later = false;                ///< keep later phases by their names
};

/// Picks without a phase, of phases other than P and S, of stations that are not in their file, and
/// those that repeat event, station and phase are left out, which is noted with counts. Longitudes
/// and latitudes are put on a plane in km, which is noted too. Throws InputError that names file
/// and line.
SurveyFile read_phase_picks(const PhaseFiles& files, Notes& notes);

/// Whether picks are in a format of others that has no places of stations.
bool needs_stations(const TextFile& picks);

/// The events and stations of a catalogue without its picks: what differences name. Both files are
/// needed, and every event needs a place and an origin time.
SurveyFile read_hypocentres(const PhaseFiles& files, Notes& notes);

}  // namespace fermat
