#pragma once

#include <filesystem>
#include <optional>

#include "core/notes.hpp"
#include "io/phase_rows.hpp"
#include "io/place_table.hpp"

namespace fermat {

// Phases on cards: lines whose columns have meanings, an event's card before those of its readings
// and a blank line behind them. All readers throw InputError that names file and line.

/// Who wrote the cards.
enum class PhaseCards {
    velest,   ///< `.cnv`: degrees with N, S, E, W; times of travel of P and S
    simulps,  ///< degrees and minutes, west positive; times of travel of P, and S minus P
};

/// By the first card; nothing if it is of neither.
std::optional<PhaseCards> phase_cards_of(const TextFile& file);

/// Events of either kind, whose ids are their numbers from 1. Years have two digits: from 70 on
/// they are of the 20th century, which is noted.
///
/// VELEST (Kissling 1995): (3i2,1x,2i2,1x,f5.2,1x,f7.4,a1,1x,f8.4,a1,2f7.2).
/// SIMULPS (Evans, Eberhart-Phillips & Thurber 1994, file 4):
/// (3i2,1x,2i2,1x,f5.2,i3,a1,f5.2,1x,i3,a1,f5.2,2f7.2).
PlaceTable read_card_events(const TextFile& file, PhaseCards kind, Notes& notes);

/// The readings: six (a4,a1,i1,f6.2) or (a6,a1,i1,f6.2) per line of VELEST; six (2a4,f6.2), five
/// (2a4,f7.4) or six (a4,a1,i1,f6.2) of SIMULPS. The weight n from 0 to 3 becomes the error 0.05 s
/// 2^n, which is noted; readings of 4 and more are left out. S minus P of SIMULPS needs P of the
/// same station, as does the phase '-' of VELEST; without it the reading is left out, which is
/// noted with its count.
void read_card_phases(const TextFile& file, PhaseCards kind, PhaseRows& rows, Notes& notes);

/// Stations of VELEST: a line with the Fortran format, (a4,f7.4,a1,1x,f8.4,a1,1x,i4,...), and one
/// line per station: name, latitude N or S, longitude E or W, elevation in m.
PlaceTable read_velest_stations(const TextFile& file);

/// Stations of SIMULPS (file 2): the origin, their number, and (2x,a4,i2,a1,f5.2,i4,a1,f5.2,i5):
/// name, latitude and longitude, west positive, in degrees and minutes, elevation in m.
PlaceTable read_simulps_stations(const TextFile& file);

/// Whether the first lines are those of such a list.
bool is_velest_stations(const TextFile& file);
bool is_simulps_stations(const TextFile& file);

}  // namespace fermat
