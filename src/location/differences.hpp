#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "core/choice.hpp"
#include "core/notes.hpp"
#include "core/option.hpp"
#include "survey/survey.hpp"

namespace fermat {

/// Throws InputError where a difference names events or stations that the survey does not have, or
/// is no number.
void validate(const std::vector<TimeDifference>& differences, const Survey& survey);

/// Which events of a catalogue are paired (the job of hypoDD's ph2dt).
struct PairOptions {
    double separation = 10;
    int neighbours = 10;
    int least_shared = 8;
    int most_shared = 50;
};

inline bool is_separation(const double& length) { return length > 0 && std::isfinite(length); }
inline bool is_pair_count(const int& count) { return count >= 1 && count <= 100000; }

template <>
inline constexpr auto options_of<PairOptions> = std::tuple{
    Option{"separation", &PairOptions::separation, "of two events that are paired, at most",
           Rule<double>{&is_separation, "> 0"}},
    Option{"neighbours", &PairOptions::neighbours,
           "events that each is paired with, the nearest first",
           Rule<int>{&is_pair_count, "from 1 to 100000"}},
    Option{"least_shared", &PairOptions::least_shared,
           "stations and phases that both events of a pair must have",
           Rule<int>{&is_pair_count, "from 1 to 100000"}},
    Option{"most_shared", &PairOptions::most_shared,
           "of a pair that are taken, the stations nearest to it first",
           Rule<int>{&is_pair_count, "from 1 to 100000"}}};

/// Differences of the picks of neighbouring events. The error of a pick becomes the weight of its
/// difference: 1 for the smallest error of the survey. Notes tell how many pairs and links there
/// are, and how many events have none. Events need positions and origin times.
std::vector<TimeDifference> catalogue_differences(const Survey& survey, const PairOptions& options,
                                                  Notes& notes);

}  // namespace fermat
