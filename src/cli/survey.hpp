#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "eikonal/time_field.hpp"
#include "model/model.hpp"

namespace fermat::cli {

/// Sources from `--source` (one text a source) and `--sources` (a file), in that order. Throws
/// InputError that names the flag or the file and its point, unless there is at least one and every
/// one lies in the model and not in air.
std::vector<PointSource> read_survey_sources(const Model& model,
                                             const std::vector<std::string>& texts,
                                             const std::optional<std::filesystem::path>& file);

/// Receivers of a file, under the same conditions.
std::vector<Vec3> read_survey_receivers(const Model& model, const std::filesystem::path& file);

}  // namespace fermat::cli
