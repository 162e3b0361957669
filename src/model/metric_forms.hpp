#pragma once

#include "core/mat3.hpp"
#include "model/thomsen.hpp"

namespace fermat {

// Closed forms of first arrivals in curved coordinates and anisotropic media, in double.

/// v = a r^b in a sphere, with b != 1. Points are (latitude, longitude, depth) in degrees and the
/// unit of length, `radius` is that of depth 0. The conformal map rho = r^(1-b), phi = (1-b) Delta
/// of the plane of a ray, with Delta the angle between the points at the centre, makes velocity
/// constant. So, as long as (1-b) Delta < pi,
///
///     T = |rho_1 e^(i phi_1) - rho_2 e^(i phi_2)| / (a |1-b|).
///
/// Beyond it the ray passes through the centre.
struct PowerLawSphere {
    double radius = 6371;
    double surface_velocity = 8;  ///< at depth 0: a radius^b
    double exponent = -2;         ///< b

    double velocity(double depth) const;
    double time(Vec3 source, Vec3 receiver) const;
};

/// Homogeneous elliptical medium D = velocity^2 tensor: T^2 = d . D^-1 d.
double elliptical_time(double velocity, const Mat3& tensor, Vec3 source, Vec3 receiver);

/// Homogeneous medium of Thomsen's parameters: the distance over the group velocity.
double thomsen_time(double velocity, const Thomsen& medium, Vec3 source, Vec3 receiver);

/// The tensor D of a medium that f makes homogeneous with velocity 1, from the Jacobian F of f: D =
/// F^-1 F^-T. Its times are T = |f(x) - f(s)|, as long as the images are joined by straight lines.
Mat3 pulled_back(const Mat3& jacobian);

}  // namespace fermat
