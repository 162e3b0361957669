#pragma once

#include <optional>
#include <vector>

#include "survey/survey.hpp"

namespace fermat {

/// Velocity at depths below level ground. It grows with depth, and stays as it is below the last.
struct DepthProfile {
    std::vector<double> depth;
    std::vector<double> velocity;

    double velocity_at(double below_ground) const;
};

/// The profile that times over distances tell (Herglotz 1907, Wiechert 1910): with p = dt/dx, the
/// ray of distance X turns at the depth
///
///     z = 1/pi integral from 0 to X of arcosh(p(x) / p(X)) dx,
///
/// where the velocity is 1 / p(X). The slopes p are those between medians of times over stretches
/// with equally many picks, made to fall with distance by pooling neighbours that do not (Barlow et
/// al. 1972); no velocity is beyond `fastest`. Nothing where picks are too few for that.
std::optional<DepthProfile> profile_of_times(const Survey& picks, double fastest);

}  // namespace fermat
