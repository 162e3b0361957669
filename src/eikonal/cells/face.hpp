#pragma once

#include <cmath>

#include "core/host_device.hpp"
#include "core/vec3.hpp"

namespace fermat {

/// The wave through a cell of constant velocity. Rays are straight inside the cell. By Fermat's
/// principle the wave that enters through a face reaches a point P of the cell, which is not on
/// that face, at
///
///     T(P) = min over Q of the face:  T(Q) + s |Q - P|
///
/// (Podvin & Lecomte 1991; Hole & Zelt 1995, with plane waves). T(Q) is T0 tau: T0 is the time in a
/// homogeneous medium round the source, and tau is interpolated between the corners of the face.
/// This keeps the curvature of a wave that comes straight from the source. Where the wave has made
/// a long detour, T0 would harm, and T itself is interpolated. Times are in units of the slowness
/// at the source.

/// T is interpolated where tau, in units of the local slowness, exceeds this limit: a wave that
/// covers the straight line from the source at less than a third of the local velocity did not come
/// along it.
inline constexpr double late_wave = 3;

/// A face (an edge in 2-D) and what is known on it.
template <int Dim>
struct CellFace {
    static constexpr int axes = Dim - 1;
    static constexpr int corners = 1 << axes;

    Vec3 first;               ///< its first corner, from the source
    int axis[2] = {0, 0};     ///< along which it extends
    double length[2] = {};    ///< along them
    double value[4] = {};     ///< tau (T if not factored) at the corners; bit d of the index: upper
                              ///< end along axis[d]
    double bend[2] = {};      ///< second differences of the value along the axes
    double slowness[4] = {};  ///< mean of a corner's and the point's, as seen in the cell
    bool factored = true;
};

/// T of the point by way of one place on the face, and the derivatives of T with respect to that
/// place.
struct FaceTime {
    double time = INFINITY;
    double slope[2] = {};
    double curve[3] = {};  ///< second derivatives: uu, vv, uv
};

namespace detail {

/// A function of the place (u, v) on a face with its first and second derivatives.
struct OnFace {
    double value = 0;
    double slope[2] = {};
    double curve[3] = {};
};

template <int Dim>
FERMAT_HD inline OnFace interpolated(const double (&corner)[4], const double (&bend)[2],
                                     const double (&at)[2]) {
    const double u = at[0];
    if constexpr (Dim == 2) {
        const double rise = corner[1] - corner[0];
        return {corner[0] + u * rise - 0.5 * bend[0] * u * (1 - u),
                {rise - 0.5 * bend[0] * (1 - 2 * u), 0},
                {bend[0], 0, 0}};
    } else {
        const double v = at[1];
        const double twist = corner[0] - corner[1] - corner[2] + corner[3];
        const double rise_u = corner[1] - corner[0] + v * twist;
        const double rise_v = corner[2] - corner[0] + u * twist;
        return {corner[0] + u * rise_u + v * (corner[2] - corner[0]) -
                    0.5 * (bend[0] * u * (1 - u) + bend[1] * v * (1 - v)),
                {rise_u - 0.5 * bend[0] * (1 - 2 * u), rise_v - 0.5 * bend[1] * (1 - 2 * v)},
                {bend[0], bend[1], twist}};
    }
}

/// The length of `from`, the vector to a place on the face, and its derivatives with respect to
/// that place.
template <int Dim>
FERMAT_HD inline OnFace distance_on(const CellFace<Dim>& face, Vec3 from) {
    const double r = norm(from);
    if (!(r > 0)) return {};
    const double inverse = 1 / r;
    OnFace out{r, {}, {}};
    for (int d = 0; d < Dim - 1; ++d) {
        const double length = face.length[d];
        out.slope[d] = from[face.axis[d]] * length * inverse;
        out.curve[d] = (length * length - out.slope[d] * out.slope[d]) * inverse;
    }
    if constexpr (Dim == 3) out.curve[2] = -out.slope[0] * out.slope[1] * inverse;
    return out;
}

template <int Dim>
FERMAT_HD inline void add_product(const OnFace& a, const OnFace& b, FaceTime& sum) {
    sum.time += a.value * b.value;
    for (int d = 0; d < Dim - 1; ++d) {
        sum.slope[d] += a.slope[d] * b.value + a.value * b.slope[d];
        sum.curve[d] += a.curve[d] * b.value + 2 * a.slope[d] * b.slope[d] + a.value * b.curve[d];
    }
    if constexpr (Dim == 3) {
        sum.curve[2] += a.curve[2] * b.value + a.slope[0] * b.slope[1] + a.slope[1] * b.slope[0] +
                        a.value * b.curve[2];
    }
}

}  // namespace detail

template <int Dim>
FERMAT_HD inline FaceTime time_through(const CellFace<Dim>& face, Vec3 point,
                                       const double (&at)[2]) {
    constexpr double straight[2] = {};
    Vec3 place = face.first;
    for (int d = 0; d < Dim - 1; ++d) place[face.axis[d]] += at[d] * face.length[d];
    const auto value = detail::interpolated<Dim>(face.value, face.bend, at);
    const auto slowness = detail::interpolated<Dim>(face.slowness, straight, at);
    FaceTime sum{0, {}, {}};
    const detail::OnFace one{1, {}, {}};
    detail::add_product<Dim>(face.factored ? detail::distance_on(face, place) : one, value, sum);
    detail::add_product<Dim>(detail::distance_on(face, place - point), slowness, sum);
    return sum;
}

/// The earliest path from a face to a point. Newton's method inside the face starts at `at`, which
/// becomes the place where the path crosses the face.
template <int Dim>
FERMAT_HD inline double earliest_through(const CellFace<Dim>& face, Vec3 point, double (&at)[2]) {
    constexpr int most_steps = 12;
    constexpr double near_enough = 1e-3;
    double earliest = INFINITY;
    double best[2] = {at[0], at[1]};
    for (int n = 0; n < most_steps; ++n) {
        const FaceTime here = time_through(face, point, at);
        if (here.time < earliest) {
            earliest = here.time;
            best[0] = at[0];
            best[1] = at[1];
        }
        // A place on the rim of the face stays there if the slope points out of the face.
        bool open[2] = {};
        for (int d = 0; d < Dim - 1; ++d) {
            open[d] = here.slope[d] > 0 ? at[d] > 0 : at[d] < 1;
        }
        double step[2] = {};
        const double determinant = here.curve[0] * here.curve[1] - here.curve[2] * here.curve[2];
        if (Dim == 3 && open[0] && open[1] && here.curve[0] > 0 && determinant > 0) {
            step[0] =
                -(here.curve[1] * here.slope[0] - here.curve[2] * here.slope[1]) / determinant;
            step[1] =
                -(here.curve[0] * here.slope[1] - here.curve[2] * here.slope[0]) / determinant;
        } else {
            for (int d = 0; d < Dim - 1; ++d) {
                if (!open[d]) continue;
                step[d] = here.curve[d] > 0   ? -here.slope[d] / here.curve[d]
                          : here.slope[d] > 0 ? -0.25
                                              : 0.25;
            }
        }
        double moved = 0;
        for (int d = 0; d < Dim - 1; ++d) {
            const double to = at[d] + step[d];
            const double inside = to < 0 ? 0 : to > 1 ? 1 : to;
            moved += std::abs(inside - at[d]);
            at[d] = inside;
        }
        if (moved < near_enough) break;
    }
    at[0] = best[0];
    at[1] = best[1];
    return earliest;
}

}  // namespace fermat
