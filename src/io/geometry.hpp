#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/notes.hpp"
#include "core/vec3.hpp"
#include "eikonal/time_field.hpp"
#include "model/layer.hpp"
#include "model/topography.hpp"
#include "survey/survey.hpp"

namespace fermat {

enum class PointRole { source, receiver };

/// The points of a file, in its order.
struct PointList {
    std::vector<Vec3> positions;
    std::vector<double> start_times;  ///< one per point; 0 where the file gives none
    bool is_2d = false;               ///< the file has no y; every y is 0
    bool geographic = false;          ///< x, y, z are latitude, longitude and depth
};

/// Reads sources or receivers by suffix. CSV: columns x,y,z and, for sources, start_time; y may be
/// left out in 2-D; for spherical models, latitude,longitude,depth in their place. If the columns
/// carry the name of the role, as in source_x, the file is a table of picks and equal points count
/// once. `.sgt`: the points that have this role. All readers of this file note the columns that
/// they do not use.
PointList read_points(const std::filesystem::path& path, PointRole role, Notes& notes);

std::vector<PointSource> read_sources(const std::filesystem::path& path, Notes& notes);
std::vector<Vec3> read_receivers(const std::filesystem::path& path, Notes& notes);

void write_points(const std::filesystem::path& path, const PointList& points);

/// Reads picks by suffix: `.csv` with
/// source_x,source_y,source_z,receiver_x,receiver_y,receiver_z,time and optionally error, under any
/// of the names of find_error_column(), without y in 2-D; or `.sgt`. Optional columns of the CSV
/// are `event` and `station` (ids: rows with one id are one event or station; without ids, rows
/// with one position are), `phase` (see phase_of_name()) and `origin_time`. settle_times() checks
/// times and errors: an empty error becomes the median.
Survey read_picks(const std::filesystem::path& path, Notes& notes);

/// Writes picks as CSV, with ids, phases and origin times where the survey has them, also to a
/// device or pipe. Picks that a run made carry its identity, see run_mark.
void write_picks(const std::filesystem::path& path, const Survey& picks,
                 const std::string& run = "");

/// Reads the surface of the ground. An `.sgt` survey gives all of its points.
Surface read_surface(const std::filesystem::path& path, Notes& notes);

/// Reads a profile from CSV with the columns depth,velocity; depths must increase.
std::vector<DepthVelocity> read_profile(const std::filesystem::path& path, Notes& notes);

}  // namespace fermat
