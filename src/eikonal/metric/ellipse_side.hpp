#pragma once

#include <algorithm>
#include <cmath>

#include "eikonal/metric/factor.hpp"

namespace fermat {

/// The squared slowness S of a section: dx^2 xx + 2 dx dz xz + dz^2 zz is the square of a time.
struct SectionSlowness {
    double xx = 0;
    double xz = 0;
    double zz = 0;

    double product(Vec3 a, Vec3 b) const {
        return a.x * (xx * b.x + xz * b.z) + a.z * (xz * b.x + zz * b.z);
    }
    friend SectionSlowness operator+(SectionSlowness a, SectionSlowness b) {
        return {a.xx + b.xx, a.xz + b.xz, a.zz + b.zz};
    }
    friend SectionSlowness operator*(double k, SectionSlowness s) {
        return {k * s.xx, k * s.xz, k * s.zz};
    }
};

/// A side of a cell between two nodes, through which a wave comes to a point.
struct EllipseSide {
    Vec3 first;
    Vec3 edge;                ///< to the second node
    double value[2] = {};     ///< T / T0 of the nodes, or T if not factored
    double bend = 0;          ///< second difference of the value along the side
    SectionSlowness slow[2];  ///< S of the nodes
    bool factored = true;
};

/// The time to a point through the place at share u of a side, and its slope by u.
struct SideTime {
    double time = 0;
    double slope = 0;
};

inline SideTime time_through(const EllipseSide& side, const MetricFactor& factor, Vec3 point,
                             const SectionSlowness& slow, double u) {
    const Vec3 place = side.first + u * side.edge;
    const double value =
        side.value[0] + u * (side.value[1] - side.value[0]) + 0.5 * side.bend * u * (u - 1);
    const double rise = side.value[1] - side.value[0] + side.bend * (u - 0.5);
    SideTime out{value, rise};
    if (side.factored) {
        const MetricFactor::Value t0 = factor.at(place);
        out = {t0.time * value, t0.time * rise + dot(t0.gradient, side.edge) * value};
    }
    const Vec3 d = point - place;
    const SectionSlowness here = side.slow[0] + u * (side.slow[1] + -1.0 * side.slow[0]);
    const SectionSlowness mean = 0.5 * (slow + here);
    const SectionSlowness change = 0.5 * (side.slow[1] + -1.0 * side.slow[0]);
    const double leg = std::sqrt(mean.product(d, d));
    out.time += leg;
    out.slope += (0.5 * change.product(d, d) - mean.product(side.edge, d)) / leg;
    return out;
}

/// The earliest time to a point through a side, by regula falsi on the slope (Illinois), until a
/// step gains less than a share `enough` of it.
inline double earliest_through(const EllipseSide& side, const MetricFactor& factor, Vec3 point,
                               const SectionSlowness& slow, double enough) {
    SideTime low = time_through(side, factor, point, slow, 0);
    SideTime high = time_through(side, factor, point, slow, 1);
    double earliest = std::min(low.time, high.time);
    if (low.slope >= 0 || high.slope <= 0) return earliest;
    double a = 0;
    double b = 1;
    constexpr int most_steps = 40;
    constexpr double near_enough = 1e-5;
    int kept = 0;  // the end that stayed: 1 the upper, -1 the lower
    for (int n = 0; n < most_steps && b - a > near_enough; ++n) {
        const double u = a + (b - a) * std::clamp(low.slope / (low.slope - high.slope), 0.01, 0.99);
        const SideTime here = time_through(side, factor, point, slow, u);
        const double gain = earliest - here.time;
        earliest = std::min(earliest, here.time);
        if (here.slope == 0 || (n > 2 && std::abs(gain) < enough * here.time)) break;
        if (here.slope < 0) {
            a = u;
            low = here;
            if (kept == 1) high.slope *= 0.5;
            kept = 1;
        } else {
            b = u;
            high = here;
            if (kept == -1) low.slope *= 0.5;
            kept = -1;
        }
    }
    return earliest;
}

}  // namespace fermat
