#pragma once

#include <filesystem>

#include "io/catalogue_io.hpp"
#include "io/local_plane.hpp"
#include "location/relocate.hpp"

namespace fermat {

/// One row per event, CSV: cluster (empty: not moved), place, longitude and latitude if there is a
/// plane, origin time, shift from the given place, standard deviations, RMS and numbers of
/// differences of each kind.
void write_relocation(const std::filesystem::path& path, const Survey& survey,
                      const Relocation& found, const LocalPlane* plane, Clock clock);

}  // namespace fermat
