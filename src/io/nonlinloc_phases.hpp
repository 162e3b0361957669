#pragma once

#include <filesystem>

#include "core/notes.hpp"
#include "io/phase_rows.hpp"

namespace fermat {

/// NonLinLoc's phases (`NLLOC_OBS`): station, instrument, component, onset, phase, first motion,
/// yyyymmdd, hhmm, second, GAU, error, coda, amplitude, period and perhaps a prior weight. Blank
/// lines part events. A `.hyp` has the same lines between PHASE and END_PHASE. An event is named by
/// PUBLIC_ID, or by the date and time of its first pick, as NLLoc names its files:
/// 20181130.172935. Picks of the prior weight 0 are left out. Throws InputError that names file and
/// line.
void read_nonlinloc_phases(const TextFile& file, PhaseRows& rows);

/// The hypocentres of a `.hyp` (GEOGRAPHIC, or HYPOCENTER where `plain` x and y are wanted), named
/// as read_nonlinloc_phases() names them.
PlaceTable read_nonlinloc_hypocentres(const TextFile& file, bool plain);

/// True for files whose lines are those of read_nonlinloc_phases().
bool is_nonlinloc_phases(const TextFile& file);

}  // namespace fermat
