#pragma once

#include <filesystem>
#include <string>

#include "core/notes.hpp"
#include "io/local_plane.hpp"
#include "io/pick_builder.hpp"
#include "location/catalogue.hpp"
#include "survey/survey.hpp"

namespace fermat {

// Picks of spherical models: places are latitudes and longitudes in degrees and depths in km.

/// Takes places back from the plane that a reader has put them on, rounded to 1e-9 degrees (0.1
/// mm), so that they are again those of the file.
void take_off_plane(Survey& survey, const LocalPlane& plane);

/// Puts latitudes, longitudes and depths of a survey, and of what was found of its events, on a
/// plane: for formats that have longitudes and latitudes, which they get back from it.
void put_on_plane(Survey& survey, Catalogue& found, const LocalPlane& plane);

/// Reads picks, with their first motions, in any format that has longitudes and latitudes. Throws
/// InputError if the file has x and y.
SurveyFile read_geographic_picks(const std::filesystem::path& path, Notes& notes);

/// Writes picks as CSV with the columns source_longitude, source_latitude, source_z, ..., which
/// read_geographic_picks reads. Picks that a run made carry its identity.
void write_geographic_picks(const std::filesystem::path& path, const SurveyFile& picks,
                            const std::string& run = "");

}  // namespace fermat
