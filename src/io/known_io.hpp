#pragma once

#include <filesystem>
#include <vector>

#include "core/notes.hpp"
#include "tomography/gauss_newton/known_ground.hpp"

namespace fermat {

// Tables of what is known of the ground beside the picks. All readers note the columns that they do
// not use and throw InputError that names file and line.

/// Velocities of boreholes: columns x,y,z,velocity,error; no y in 2-D.
std::vector<KnownVelocity> read_log(const std::filesystem::path& path, Notes& notes);

/// Polygons of a section: columns region,x,z,velocity,error, a row per corner in their order. All
/// rows of a region have one velocity and error.
std::vector<KnownRegion> read_regions(const std::filesystem::path& path, Notes& notes);

/// Surfaces: columns x,y,z, no y in 2-D, and, of several, their `interface`.
std::vector<KnownInterface> read_interfaces(const std::filesystem::path& path, Notes& notes);

}  // namespace fermat
