#pragma once

#include <filesystem>

#include "io/phase_rows.hpp"
#include "io/place_table.hpp"

namespace fermat {

// Files of LOTOS (Koulakov 2009). Their readers throw InputError that names file and line.

/// Whether a file is a `rays.dat`: a line of longitude, latitude, depth and a number of lines to
/// follow, of phase (1: P, 2: S), station's number and time of travel.
bool is_lotos_rays(const TextFile& file);

/// The events of `rays.dat`; their ids are their numbers from 1, and their origin times are 0.
PlaceTable read_lotos_events(const TextFile& file);

/// The picks of `rays.dat`, of stations whose ids are their numbers from 1. They have no errors.
void read_lotos_rays(const TextFile& file, PhaseRows& rows);

/// Stations of `stat_ft.dat`: longitude, latitude and depth in km, negative above sea level. Ids
/// are the numbers of their lines, from 1; a name behind is not read.
PlaceTable read_lotos_stations(const TextFile& file);

}  // namespace fermat
