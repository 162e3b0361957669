#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "survey/survey.hpp"
#include "tomography/start/survey_shape.hpp"

namespace fermat {

// What picks say about themselves before any model is made.

/// Picks of one path, compared in pairs.
struct RepeatedPaths {
    std::size_t pairs = 0;
    /// Standard deviation of one pick: 1.4826 times the median difference of a pair over sqrt(2),
    /// which few outliers move little. 0 without pairs.
    double error = 0;
};
/// Picks of one phase from A to B and from B to A, times from the origin of their events. Points
/// are one place if they are nearer than a twentieth of the points' distance.
RepeatedPaths reciprocal_pairs(const Survey& picks, double point_distance);
/// Picks of one phase from one event to one station, given more than once.
RepeatedPaths duplicates(const Survey& picks);
/// The same as sentences, held against the errors of the picks where these have any.
std::optional<std::string> say_reciprocals(const Survey& picks, const RepeatedPaths& found);
std::optional<std::string> say_duplicates(const RepeatedPaths& found);

/// Places of shots with two times each at four receivers or more, at a third of all or more, that
/// differ by five errors of the picks, without errors by a tenth of the times: two shots that lie
/// at one place, as where one has the other's position. `point_distance` as above.
std::optional<std::string> double_shots(const Survey& picks, double point_distance);

/// Shots whose least time is not at the receiver nearest to them, by two distances of the points or
/// more, and less than 0.7 times the time there: at most one in five, else the ground does it.
std::optional<std::string> misplaced_shots(const Survey& picks, const SurveyShape& shape);

/// What the geometry of a survey along a surface cannot tell: one shot or two receivers, or picks
/// that all run one way.
std::optional<std::string> weak_geometry(const Survey& picks, const SurveyShape& shape);

/// Near-surface velocities that no rock has, as where positions are in feet and times in s.
std::optional<std::string> impossible_velocities(const SurveyShape& shape);

/// All of them that have something to say; `picks` with times from the origins of their events.
std::vector<std::string> doubts_before(const Survey& picks, const SurveyShape& shape);

}  // namespace fermat
