#pragma once

#include <functional>

#include "model/model.hpp"
#include "rays/ray_set.hpp"
#include "survey/survey.hpp"

namespace fermat {

/// Turns the rays of exchanged(survey), which are grouped by its events, into rays of the survey:
/// one set per event, in the order of events, within an event in the order of arrivals. Rays that
/// did not arrive have only the receiver as a point.
void turn_round(const Model& model, const Survey& survey, const RaySet& rays,
                const std::function<void(RaySet&&)>& consume);

/// True if the survey uses fewer stations than events, and its rays fit in memory: all of them are
/// kept until the field of the last station is done.
bool exchange_pays(const Grid& grid, const Survey& survey);

}  // namespace fermat
