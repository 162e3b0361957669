#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/notes.hpp"
#include "core/vec3.hpp"
#include "eikonal/time_field.hpp"
#include "model/layer.hpp"
#include "model/topography.hpp"
#include "tomography/picks.hpp"

namespace fermat {

enum class PointRole { source, receiver };

/// Points of a file, in its order.
struct PointList {
    std::vector<Vec3> positions;
    std::vector<double> start_times;  ///< one a point; 0 where the file gives none
    bool is_2d = false;               ///< the file had no y: every y is 0
};

/// Sources or receivers by suffix. CSV: columns x,y,z and, for sources, start_time; y may be left
/// out in 2-D. The columns may carry the role's name, source_x and so on: then the file is a table
/// of picks and equal points are one. `.sgt`: the points that serve in that role. This reader and
/// those below note the columns that they have no use for.
PointList read_points(const std::filesystem::path& path, PointRole role, Notes& notes);

std::vector<PointSource> read_sources(const std::filesystem::path& path, Notes& notes);
std::vector<Vec3> read_receivers(const std::filesystem::path& path, Notes& notes);

void write_points(const std::filesystem::path& path, const PointList& points);

/// Picks by suffix: `.csv` with source_x,source_y,source_z,receiver_x,receiver_y,receiver_z,time
/// and perhaps error, under any of the names of find_error_column(), y left out in 2-D; or `.sgt`.
/// Times and errors are those that settle_picks() lets pass: an empty error becomes the median.
Picks read_picks(const std::filesystem::path& path, Notes& notes);

/// CSV, also straight into a device or pipe. Picks that a run made carry its identity, see
/// run_mark.
void write_picks(const std::filesystem::path& path, const Picks& picks,
                 const std::string& run = "");

/// Points of the ground. Those of an `.sgt` survey are all of its points, whatever they served as.
Surface read_surface(const std::filesystem::path& path, Notes& notes);

/// CSV with columns depth,velocity; depths must increase.
std::vector<DepthVelocity> read_profile(const std::filesystem::path& path, Notes& notes);

}  // namespace fermat
