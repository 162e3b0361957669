#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/notes.hpp"
#include "eikonal/time_field.hpp"
#include "io/geometry.hpp"
#include "model/model.hpp"

namespace fermat::cli {

/// What a point in air is.
enum class AirPoints {
    refused,  ///< an error: it has no time
    allowed,  ///< kept: its rays say so
};

/// Sources from `--source` (one text a source) and `--sources` (a file), in that order. Throws
/// InputError that names the flag or the file and its point, unless there is at least one and every
/// one lies in the model and where `air` allows.
std::vector<PointSource> read_survey_sources(const Model& model,
                                             const std::vector<std::string>& texts,
                                             const std::optional<std::filesystem::path>& file,
                                             AirPoints air, Notes& notes);

/// Receivers of a file, under the same conditions.
std::vector<Vec3> read_survey_receivers(const Model& model, const std::filesystem::path& file,
                                        AirPoints air, Notes& notes);

/// Points of a file in the model's dimensions and without what rounding put outside its box, under
/// the same conditions.
PointList fit_to_model(const Model& model, PointList list, const std::filesystem::path& file,
                       PointRole role, AirPoints air);

}  // namespace fermat::cli
