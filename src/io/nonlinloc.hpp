#pragma once

#include <filesystem>
#include <optional>

#include "core/notes.hpp"
#include "model/placement.hpp"

namespace fermat {

/// Reads a NonLinLoc grid, `.hdr` with its `.buf` beside it, of velocities or slownesses: VELOCITY,
/// VELOCITY_METERS, SLOWNESS, VEL2, SLOW2, SLOW2_METERS or SLOW_LEN (slowness times cell length).
/// Lengths are km, so velocities become km/s. A grid with one node along x is a 2-D section: its y
/// becomes our x.
///
/// The header counts nodes, and NonLinLoc's programs compute times on them; but they read a value
/// as that of the cell between its node and the next along each axis (Vel2Grid takes it at the
/// cell's middle, as Podvin & Lecomte's scheme wants it), and never look at the last one along an
/// axis. So do we, and note it unless `placement` was said; Placement::nodes reads each value as
/// its node's. Throws InputError.
Model read_nonlinloc(const std::filesystem::path& header, std::optional<Placement> placement,
                     Notes& notes);

}  // namespace fermat
