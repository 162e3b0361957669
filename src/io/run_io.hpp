#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/notes.hpp"
#include "tomography/invert.hpp"

namespace fermat {

/// Reads the stages of an inversion: CSV with
/// iterations,cell_x,cell_y,cell_z,vertex_x,vertex_y,vertex_z and optionally
/// cell_passes,vertex_passes (default 1), one row per stage. The y columns may be left out in 2-D.
/// Other columns are noted. Throws InputError that names file and line.
std::vector<Stage> read_schedule(const std::filesystem::path& path, Notes& notes);

// Files of a run carry its identity `run` if one is given: see run_mark.

/// Writes one row per model of the run, the start model first. rms belongs to the model, max_update
/// is the largest relative change of velocity that led to it, seconds is the time of both; chi2 is
/// empty if there are no errors.
void write_history(const std::filesystem::path& path, std::span<const IterationReport> history,
                   const std::string& run = "");

/// Writes one row per pick, in the order of the picks: its points, time and error, the residual
/// (observed - computed) in the start model and in the final one, and its status: used, rejected as
/// an outlier, or lost. Residuals of lost rays are empty.
void write_residuals(const std::filesystem::path& path, const Picks& picks,
                     const InversionResult& result, const std::string& run = "");

/// Writes the number of rays in each cell as cell data `coverage`.
void write_coverage(const std::filesystem::path& path, const Grid& grid,
                    FieldView<const float> coverage, const std::string& run = "");

}  // namespace fermat
