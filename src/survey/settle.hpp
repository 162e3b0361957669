#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>

#include "core/notes.hpp"
#include "survey/survey.hpp"

namespace fermat {

/// Stands for the error of an arrival that the file leaves open, until settle_times() has seen it.
constexpr double missing_error = std::numeric_limits<double>::quiet_NaN();

/// Checks the picked times and errors of a survey, whatever file or array they came from. Times
/// must be finite and not before the origin time. If the survey has errors, each must be > 0. A
/// missing error becomes the median of those given, which is noted with the count; if all are
/// missing, the survey has none. `what` names the picks in notes ("'picks.csv'"), `where` one of
/// them in messages ("'picks.csv' line 7: "). Throws InputError.
void settle_times(Survey& survey, const std::string& what,
                  const std::function<std::string(std::size_t)>& where, Notes& notes);

/// A sentence about picks with time 0 between two points that are apart, with their count; nothing
/// where there are none.
std::optional<std::string> zero_times(const Survey& survey);

}  // namespace fermat
