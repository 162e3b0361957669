#pragma once

#include <optional>
#include <string>

#include "survey/survey.hpp"
#include "tomography/start/survey_shape.hpp"

namespace fermat {

// Whether picks fit their points better with an axis turned round or two axes exchanged.

/// A line whose points make a valley, and whose times are those below a hill. Across a hill, rays
/// are as short as straight lines; across a valley they run round it. So far picks to one side are
/// taken for a time of their shot, one of their receiver, a curve over distance, and a slowness
/// times what the straight line below a hill saves: picks tell where the last is positive by 3.5
/// deviations and is half to five times the picks' own. The opposite mistake
/// does not show: below a hill, rays in a level refractor save nothing either.
std::optional<std::string> mirrored_relief(const Survey& picks, const SurveyShape& shape);

/// A section whose points lie below each other as those of a line lie beside each other, and whose
/// picks are faster the farther they go, as along a surface: x and z are likely exchanged.
std::optional<std::string> swapped_axes(const Survey& picks, const SurveyShape& shape);

}  // namespace fermat
