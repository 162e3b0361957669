#pragma once

#include <span>
#include <vector>

#include "survey/survey.hpp"

namespace fermat {

/// Where the ground is, as far as the points of a survey tell.
struct GroundPoints {
    bool along_surface = false;  ///< a survey along the ground: boreholes and earthquakes are not
    std::vector<Vec3> points;    ///< the ground runs through them; empty: not known
    std::size_t buried = 0;      ///< points below it: shots in holes, boreholes
    bool dives = false;          ///< some picks have both of their points on the ground
};

/// All points on one surface are the ground, the higher of two at one place. Where only sources or
/// only receivers lie on a surface and others lie below it, the surface alone is the ground: the
/// others are in holes. Such a survey is along the surface still where no hole is deeper than a
/// tenth of the longest distance; beyond the ends of the surface, the ground lies above a hole by
/// as much as elsewhere.
///
/// `distance`: median distance from a point to the nearest other; `longest`: of picks.
GroundPoints ground_points(const Survey& picks, double distance, double longest, bool is_2d);

/// Points sorted by x, y, z, each once.
std::vector<Vec3> unique_points(std::vector<Vec3> points);

/// Whether points lie on a surface: no two one below the other, closer from above than half of
/// `distance` yet apart in depth by more than it; and the depths of neighbours are alike, as far as
/// slopes over 20 % go, which those of earthquakes are not.
bool lie_on_a_surface(std::span<const Vec3> points, double distance);

}  // namespace fermat
