#pragma once

#include <cstdint>
#include <vector>

#include "core/vec3.hpp"
#include "model/model.hpp"
#include "rays/rays.hpp"

namespace fermat::bench {

/// A local-earthquake survey: what two-point ray tracers are measured on.
struct LocalSurvey {
    Model model;
    std::vector<Vec3> sources;
    std::vector<Vec3> stations;
    std::vector<RayPair> pairs;  ///< by source, then station
};

/// How many sources, stations and rays; those of Koulakov (2009) and paper 3 by default.
struct LocalSurveyOptions {
    int sources = 1079;
    int stations = 129;
    int pairs = 24285;
    std::uint64_t seed = 1;
};

/// A set like Koulakov's (2009) Costa Rica experiment, which paper 3 measures on: a volume of 300 x
/// 250 x 120 km with nodes every 5 km; a 1-D reference velocity that rises with depth, under a
/// checkerboard of vertical columns of 20 x 20 km and +-10 %; stations at the surface on land, away
/// from the trench at x = 0; earthquakes along a slab that dips under them and in the crust above
/// it, nine in ten above 60 km. The pairs are near ones mostly: those least in squared distance
/// times a random factor from 1 to 8.
///
/// Geometry is made of whole metres by integer arithmetic, so that a seed gives the same bits on
/// every machine. Throws InputError for counts that cannot be had.
LocalSurvey costa_rica_survey(const LocalSurveyOptions& options = {});

}  // namespace fermat::bench
