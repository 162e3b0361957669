#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "cli/report_grid.hpp"
#include "io/units.hpp"
#include "model/model.hpp"

namespace fermat::cli {

/// The run's fields as one JSON object: grid and axes, velocity, start model, coverage, resolution
/// and deviation where the run has them (trust.h5), and how plainly each node is shown. Throws
/// InputError where a file's grid is not the model's.
std::string fields_json(const Model& model, const std::optional<Model>& start,
                        const std::filesystem::path& run, const ReportGrid& shown,
                        const UnitNames& units);

}  // namespace fermat::cli
