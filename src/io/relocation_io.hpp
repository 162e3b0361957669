#pragma once

#include <filesystem>
#include <span>

#include "io/catalogue_io.hpp"
#include "io/local_plane.hpp"
#include "location/relocate.hpp"

namespace fermat {

/// One row per event, CSV: cluster (empty: not moved), place, longitude and latitude if there is a
/// plane, origin time, magnitude if one is known, shift from the given place, standard deviations,
/// RMS and numbers of differences of each kind. On a sphere a place is longitude, latitude and
/// depth, and shifts and deviations are lengths to the east, to the north and down.
void write_relocation(const std::filesystem::path& path, const Survey& survey,
                      const Relocation& found, const Mapping& mapping, const LocalPlane* plane,
                      Clock clock, std::span<const double> magnitudes = {});

/// The events as a catalogue, for files of others; picks have no residuals. Events that were not
/// moved are where they were given.
Catalogue catalogue_of(const Survey& survey, const Relocation& found);

}  // namespace fermat
