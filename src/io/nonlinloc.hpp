#pragma once

#include <filesystem>
#include <optional>

#include "core/notes.hpp"
#include "model/placement.hpp"

namespace fermat {

/// Reads a NonLinLoc grid, `.hdr` with its `.buf` beside it, of velocities or slownesses: VELOCITY,
/// VELOCITY_METERS, SLOWNESS, VEL2, SLOW2, SLOW2_METERS or SLOW_LEN (slowness times cell length).
/// Lengths are in km, so velocities become km/s. A grid with one node along x is a 2-D section: its
/// y becomes our x.
///
/// The header counts nodes, and NonLinLoc computes times on them. But its programs use a value as
/// that of the cell between its node and the next one along each axis (Vel2Grid takes it at the
/// middle of the cell, as Podvin & Lecomte's scheme requires), and never use the last one along an
/// axis. This reader does the same and notes it unless `placement` is given. Placement::nodes reads
/// each value as that of its node. Throws InputError.
Model read_nonlinloc(const std::filesystem::path& header, std::optional<Placement> placement,
                     Notes& notes);

/// Writes `.hdr` and, beside it, `.buf`: as SLOW_LEN, which Grid2Time reads, if the spacing is the
/// same along all axes, else as VELOCITY. A 2-D model has one plane, whose y is our x. Throws
/// InputError if the model has air.
void write_nonlinloc(const std::filesystem::path& path, const Model& model);

}  // namespace fermat
