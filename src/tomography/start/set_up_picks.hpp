#pragma once

#include <optional>
#include <string>

#include "survey/survey.hpp"
#include "tomography/start/set_up.hpp"

namespace fermat {

/// Times from the origin of events, of P alone where there is P: what a velocity is guessed from.
Survey travel_times(const Survey& picks);

void give_pick_errors(Survey& picks, const PickErrors& errors);

/// Catalogue differences are those of the picks from the origin times of their catalogue. The
/// median size of what is between them and the picks of this survey, where that is not small.
std::optional<std::string> say_origin_mismatch(const Survey& picks);

/// Where a start model's velocities are another order than the typical one of the picks.
std::optional<std::string> say_units(const Model& start, double typical);

/// Sentences about targets and warnings that another set-up of the same picks has and this has not.
void take_targets(InversionSetup& setup, InversionSetup&& other);

}  // namespace fermat
