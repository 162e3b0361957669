#pragma once

#include <cstdint>

#include "model/model.hpp"
#include "survey/survey.hpp"

namespace fermat::bench {

/// A survey of local earthquakes, on which two-point ray tracers are measured.
struct LocalSurvey {
    Model model;
    Survey survey;  ///< without times; arrivals by event, then station
};

/// Number of sources, stations and rays; by default those of Koulakov (2009) and paper 3.
struct LocalSurveyOptions {
    int sources = 1079;
    int stations = 129;
    int pairs = 24285;
    std::uint64_t seed = 1;
};

/// A survey like Koulakov's (2009) Costa Rica experiment, on which paper 3 measures. The volume has
/// 300 x 250 x 120 km with nodes every 5 km. A 1-D reference velocity that increases with depth
/// carries a checkerboard of vertical columns of 20 x 20 km and +-10 %. Stations are at the surface
/// on land, away from the trench at x = 0. Earthquakes lie along a slab that dips under the
/// stations and in the crust above it, nine out of ten above 60 km. Most pairs are near ones: those
/// with the least squared distance times a random factor from 1 to 8.
///
/// The geometry is computed in integer metres, so that a seed gives the same bits on every machine.
/// Throws InputError for counts that are not possible.
LocalSurvey costa_rica_survey(const LocalSurveyOptions& options = {});

}  // namespace fermat::bench
