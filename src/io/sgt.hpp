#pragma once

#include <filesystem>
#include <vector>

#include "core/notes.hpp"
#include "survey/survey.hpp"

namespace fermat {

/// A refraction survey: its points, which also define its surface, and its picks.
struct SgtSurvey {
    std::vector<Vec3> points;
    Survey picks;
};

/// Reads the unified data format of refraction surveys: the number of points and their coordinates,
/// then the number of picks and their 1-based shot and geophone indices and times. The line '#x y'
/// ('#x y z' in 3-D) names the coordinates; the last is height, so that depth is its negative. '#s
/// g t err valid' names the columns of the picks; the last two are optional. Picks whose `valid` is
/// 0 are left out, and their number is noted. Errors may have any name of find_error_column(), and
/// settle_times() checks them. Throws InputError that names file and line.
SgtSurvey read_sgt(const std::filesystem::path& path, Notes& notes);

}  // namespace fermat
