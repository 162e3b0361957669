#pragma once

#include <optional>
#include <string>

#include "model/model.hpp"
#include "survey/survey.hpp"

namespace fermat {

/// Throws InputError where points lie outside the model: which one first, how many, how far at
/// most, and what makes room for them.
void require_points_inside(const Model& model, const Survey& picks);

/// A sentence where points lie in air, so that their picks have no ray: how many points and picks,
/// how far above the rock at most, and what helps.
std::optional<std::string> points_in_air(const Model& model, const Survey& picks);

/// A sentence where a survey in 3-D lies along a straight line, within a hundredth of its length as
/// seen from above: no pick tells what lies beside it.
std::optional<std::string> points_on_line(const Survey& picks);

/// A sentence where the times of a survey along a surface do not come to 0 at their shots: what the
/// line through the nearest pick of a shot and those of one and a half to four times its distance
/// leaves there, as the median of at least three shots, is more than half of the nearest time, or
/// as far below 0.
std::optional<std::string> common_delay(const Survey& picks);

/// Times between boreholes over distance, as a line: what they are at no distance, where that is
/// much.
std::optional<std::string> delay_between_boreholes(const Survey& picks);

}  // namespace fermat
