#pragma once

#include <array>

#include "core/vec3.hpp"

namespace fermat {

/// A symmetric 3 x 3 matrix.
using Matrix3 = std::array<std::array<double, 3>, 3>;

/// The principal axes of a covariance: standard deviations along them, the longest first.
struct Ellipsoid {
    std::array<double, 3> deviation{};
    std::array<Vec3, 3> direction{};  ///< of unit length; z is not negative (down)
};
Ellipsoid ellipsoid_of(const Matrix3& covariance);

/// How many standard deviations the region of a probability reaches in `dimensions` axes: the root
/// of chi-square's quantile. Of 0.68 and 0.95 alone.
struct RegionReach {
    double of_68 = 0;
    double of_95 = 0;
};
RegionReach region_reach(int dimensions);

/// Degrees clockwise from y (north) towards x (east), from 0 to 360.
double azimuth_of(Vec3 direction);
/// Degrees below the horizontal plane.
double plunge_of(Vec3 direction);
/// Degrees from straight down: 0 down, 180 up.
double take_off_of(Vec3 direction);

}  // namespace fermat
