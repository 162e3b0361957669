#pragma once

#include <filesystem>

#include "core/notes.hpp"
#include "io/local_plane.hpp"
#include "io/text_file.hpp"
#include "location/delay_terms.hpp"
#include "survey/survey.hpp"

namespace fermat {

/// Station terms of a CSV table, for the stations of a survey: station,phase,term, and for terms
/// that depend on the place also the place of an event (x,y,z, or longitude,latitude,z), weight and
/// radius; or terms.csv of `fermat invert --terms receiver`, whose stations are known by their
/// places. Stations of the survey that the table lacks have no term, which is noted with their
/// number. `plane` turns longitudes and latitudes into x and y; on a sphere places are latitude,
/// longitude and depth.
DelayTerms read_station_terms(const TextFile& file, const Survey& survey, const LocalPlane* plane,
                              bool on_sphere, Notes& notes);

/// One row per station and phase, and one per point of terms that depend on the place.
void write_station_terms(const std::filesystem::path& path, const Survey& survey,
                         const DelayTerms& terms, const LocalPlane* plane, bool on_sphere);

}  // namespace fermat
