#pragma once

#include <optional>
#include <span>
#include <vector>

#include "model/topography.hpp"
#include "survey/survey.hpp"
#include "tomography/start/ground_points.hpp"

namespace fermat {

/// What the points and picks of a survey say about the ground before any model is made.
struct SurveyShape {
    Vec3 low;   ///< corner of the box round all points
    Vec3 high;  ///< the other corner
    bool is_2d = false;
    bool along_surface = false;  ///< as of `ground`
    GroundPoints ground;
    /// Between boreholes: picks in 2-D that are not along a surface run through most of the width,
    /// so that what differs across it alone is not seen.
    bool crosses = false;
    double point_distance = 0;  ///< median distance from a point to the nearest other one
    double longest = 0;         ///< distance of a pick's points, reached or passed by one in fifty
    double slowest = 0;         ///< distance over time: a hundredth of the picks are slower,
    double typical = 0;         ///< half of them,
    double fastest = 0;         ///< all but a hundredth; no outlier: see its definition
    /// Apparent velocity along the surface, by slopes of time over distance within one source's
    /// picks: three of four stretches are slower. 0 where no stretch is long enough.
    double refractor = 0;
};

/// Throws InputError where no pick has both a distance and a time.
SurveyShape survey_shape(const Survey& picks);

/// Whether velocities along the ground hardly differ, as on a crust without sediments: by less than
/// 1.75 times. There a smooth change from a profile comes nearer to truths than edges do
/// (correlation of crustal lines 0.87 against 0.77; of basins, which differ by 1.8 times and more,
/// 0.88 against 0.92: bench/inversion, seeds 620 to 622).
bool hardly_differs(const SurveyShape& shape);

/// The ground of a survey; nothing where it is level or not known.
std::optional<Surface> ground_of(const SurveyShape& shape);

}  // namespace fermat
