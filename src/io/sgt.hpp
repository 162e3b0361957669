#pragma once

#include <filesystem>

#include "core/notes.hpp"
#include "io/pick_builder.hpp"
#include "io/pick_options.hpp"
#include "io/text_file.hpp"

namespace fermat {

/// A refraction survey: its points, which also define its surface, and its picks.
using SgtSurvey = SurveyFile;

/// Reads the unified data format of refraction surveys: the number of points and their coordinates,
/// then the number of picks and their 1-based shot and geophone indices and times. The line '#x y'
/// ('#x y z' in 3-D) names the coordinates; the last is height, so that depth is its negative. '#s
/// g t err valid' names the columns of the picks; the last two are optional. A name may have a unit
/// (t/ms, x/m). Picks whose `valid` is 0 are left out, and their number is noted. Errors may have
/// any name of find_error_column(). Three coordinates of a line are 2-D: with one y everywhere, or
/// with z = 0 everywhere, where y is the height, as pyGIMLi writes it. Throws InputError that names
/// file and line.
SgtSurvey read_sgt(const TextFile& file, Notes& notes, const PickReadOptions& options = {});

}  // namespace fermat
