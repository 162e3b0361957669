#pragma once

#include <filesystem>

#include "model/model.hpp"

namespace fermat {

/// Reads a NonLinLoc grid, `.hdr` with its `.buf` beside it, of velocities or slownesses: VELOCITY,
/// VELOCITY_METERS, SLOWNESS, VEL2, SLOW2, SLOW2_METERS or SLOW_LEN (slowness times cell length).
/// Lengths are km, so velocities become km/s. A grid with one node along x is a 2-D section: its y
/// becomes our x. Throws InputError.
Model read_nonlinloc(const std::filesystem::path& header);

}  // namespace fermat
