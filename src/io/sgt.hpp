#pragma once

#include <filesystem>
#include <vector>

#include "core/notes.hpp"
#include "tomography/picks.hpp"

namespace fermat {

/// A refraction survey: its points, which also are its surface, and what was picked between them.
struct SgtSurvey {
    std::vector<Vec3> points;
    Picks picks;
};

/// Reads the unified data format of refraction surveys: the number of points and their coordinates,
/// then the number of picks and their 1-based shot and geophone indices and times. The line
/// '#x y' ('#x y z' in 3-D) names the coordinates, of which the last is height, so that depth is
/// its negative; '#s g t err valid' names the columns of the picks, of which the last two may be
/// left out. Picks whose `valid` is 0 are left out and their number noted; errors may have any name
/// of find_error_column(), and are those that settle_picks() lets pass. Throws InputError that
/// names file and line.
SgtSurvey read_sgt(const std::filesystem::path& path, Notes& notes);

}  // namespace fermat
