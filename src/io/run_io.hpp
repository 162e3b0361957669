#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/notes.hpp"
#include "tomography/invert.hpp"

namespace fermat {

/// Stages of an inversion: CSV with iterations,cell_x,cell_y,cell_z,vertex_x,vertex_y,vertex_z and
/// perhaps cell_passes,vertex_passes (1 where left out); one row a stage. The y columns may be left
/// out in 2-D. Columns of other names are noted. Throws InputError that names file and line.
std::vector<Stage> read_schedule(const std::filesystem::path& path, Notes& notes);

// What a run writes carries its identity `run`, where one is given: see run_mark.

/// One row a model of the run, the start model first. rms is that of the model, max_update the
/// largest relative change of velocity that led to it, seconds what both took; chi2 is empty where
/// no errors are given.
void write_history(const std::filesystem::path& path, std::span<const IterationReport> history,
                   const std::string& run = "");

/// One row per term, with its point and how many picks it has; no file where there is none.
void write_terms(const std::filesystem::path& path, const Survey& picks, const PickTerms& terms,
                 const std::string& run);

/// Of picks of later phases: the names of their phases, and how their rays ended.
struct RayNames {
    std::span<const std::string> phases{};
    std::span<const std::string> statuses{};
};

/// One row per pick, in the order of the picks: its phase where there are two, its points, time
/// after the origin of its event, error, the residual (observed - computed) in the start model and
/// in the final one, and what became of it: used, rejected as an outlier, or lost. Residuals of
/// lost rays are empty. Picks of later phases have theirs, and the status of their rays.
void write_residuals(const std::filesystem::path& path, const Survey& picks,
                     const InversionResult& result, const std::string& run = "",
                     const RayNames& rays = {});

/// Rays in each cell as cell data `coverage`.
void write_coverage(const std::filesystem::path& path, const Grid& grid,
                    FieldView<const float> coverage, const std::string& run = "");

}  // namespace fermat
