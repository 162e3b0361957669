#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "survey/survey.hpp"

namespace fermat {

/// Builds a survey from rows that repeat their events and stations, as files of picks do. Events
/// and stations get numbers in the order in which they come. Points with an id are one if their ids
/// are equal; points without an id are one if their positions (and origin times) are.
class SurveyBuilder {
  public:
    /// Throws InputError if the id was given before with another position or origin time.
    std::int32_t event(Vec3 position, const std::string& id = "", double origin_time = 0);
    std::int32_t station(Vec3 position, const std::string& id = "");

    void add(const Arrival& arrival) { survey_.arrivals.push_back(arrival); }

    Survey take(bool has_errors, bool is_2d) {
        survey_.has_errors = has_errors;
        survey_.is_2d = is_2d;
        return std::move(survey_);
    }

  private:
    using Key = std::tuple<std::string, double, double, double, double>;
    std::map<Key, std::int32_t> event_numbers_;
    std::map<Key, std::int32_t> station_numbers_;
    Survey survey_;
};

}  // namespace fermat
