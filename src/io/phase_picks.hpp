#pragma once

#include <filesystem>
#include <optional>

#include "core/notes.hpp"
#include "survey/survey.hpp"

namespace fermat {

/// Arrivals of events whose places may not be known.
struct PhasePicks {
    /// Event::position is NaN where it is not known, Event::origin_time the first pick's time.
    Survey survey;
    bool has_dates = false;  ///< times are seconds since 1970, as clock.hpp has them
};

/// The files of a catalogue. `picks`: CSV with event,station,time and optionally phase (P without
/// it) and error, under any of the names of find_error_column(). Times are seconds or dates such as
/// 2018-11-30T17:29:35.11. `stations`: CSV with station,x,y,z. `events`: CSV with event,x,y,z, what
/// is known of events. Tables of read_picks() are accepted too: their receiver_x,receiver_y,
/// receiver_z stand for the stations and their source_x,source_y,source_z for the events. y may be
/// left out in 2-D.
struct PhaseFiles {
    std::filesystem::path picks;
    std::optional<std::filesystem::path> stations;
    std::optional<std::filesystem::path> events;
};

/// Picks without a phase, of phases other than P and S, of stations that are not in their file, and
/// those that repeat event, station and phase are left out, which is noted with counts. Throws
/// InputError that names file and line.
PhasePicks read_phase_picks(const PhaseFiles& files, Notes& notes);

}  // namespace fermat
