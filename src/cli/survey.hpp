#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/notes.hpp"
#include "eikonal/time_field.hpp"
#include "io/geometry.hpp"
#include "io/survey_file.hpp"
#include "model/model.hpp"

namespace fermat::cli {

/// How points in air are treated.
enum class AirPoints {
    refused,  ///< an error, because the point has no time
    allowed,  ///< kept; the status of its rays tells it
};

/// Reads sources from `--source` (one text per source) and `--sources` (a file), in that order.
/// Throws InputError that names the flag or the file and its point, unless there is at least one
/// source and every source lies in the model and is allowed by `air`.
std::vector<PointSource> read_survey_sources(const Model& model,
                                             const std::vector<std::string>& texts,
                                             const std::optional<std::filesystem::path>& file,
                                             AirPoints air, Notes& notes);

/// Reads receivers from a file. Throws InputError under the same conditions as read_survey_sources.
std::vector<Vec3> read_survey_receivers(const Model& model, const std::filesystem::path& file,
                                        AirPoints air, Notes& notes);

/// Fits the points of a file to the dimensions of the model and clamps points that rounding put
/// outside its box. Throws InputError under the same conditions as read_survey_sources.
PointList fit_to_model(const Model& model, PointList list, const std::filesystem::path& file,
                       PointRole role, AirPoints air);

/// Reads picks whose places are those of a model: longitudes and latitudes of a spherical one. The
/// survey has their plane, if they have one.
SurveyFile read_model_survey(const Model& model, const std::filesystem::path& file, Notes& notes);
Survey read_model_picks(const Model& model, const std::filesystem::path& file, Notes& notes);
/// Writes picks as read_model_picks() reads them.
void write_model_picks(const Model& model, const std::filesystem::path& file, const Survey& picks,
                       const std::string& run = "");

/// Takes picks off their plane, for a spherical model, and returns it. Throws InputError for picks
/// without one, and where a flag is `given` that needs one.
LocalPlane leave_plane(SurveyFile& picks, bool given, std::string_view flags);

/// Fits the events and stations of picks that a file holds.
void fit_to_model(const Model& model, Survey& picks, const std::filesystem::path& file,
                  AirPoints air);

}  // namespace fermat::cli
