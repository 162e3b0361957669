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

}  // namespace fermat
