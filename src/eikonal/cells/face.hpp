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

    FERMAT_HD Vec3 place(const double (&at)[2]) const {
        Vec3 point = first;
        for (int d = 0; d < axes; ++d) point[axis[d]] += at[d] * length[d];
        return point;
    }
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

/// The length of `from`, the vector to a place on the face, and its derivatives with respect to
/// that place. Faces of other shapes have overloads.
template <int Dim>
FERMAT_HD inline detail::OnFace distance_on(const CellFace<Dim>& face, const double (&)[2],
                                            Vec3 from) {
    const double r = norm(from);
    if (!(r > 0)) return {};
    const double inverse = 1 / r;
    detail::OnFace out{r, {}, {}};
    for (int d = 0; d < Dim - 1; ++d) {
        const double length = face.length[d];
        out.slope[d] = from[face.axis[d]] * length * inverse;
        out.curve[d] = (length * length - out.slope[d] * out.slope[d]) * inverse;
    }
    if constexpr (Dim == 3) out.curve[2] = -out.slope[0] * out.slope[1] * inverse;
    return out;
}

template <class Face>
FERMAT_HD inline FaceTime time_through(const Face& face, Vec3 point, const double (&at)[2]) {
    constexpr int Dim = Face::axes + 1;
    constexpr double straight[2] = {};
    const Vec3 place = face.place(at);
    const auto value = detail::interpolated<Dim>(face.value, face.bend, at);
    const auto slowness = detail::interpolated<Dim>(face.slowness, straight, at);
    FaceTime sum{0, {}, {}};
    const detail::OnFace one{1, {}, {}};
    detail::add_product<Dim>(face.factored ? distance_on(face, at, place) : one, value, sum);
    detail::add_product<Dim>(distance_on(face, at, place - point), slowness, sum);
    return sum;
}

/// The place where a wave with the slopes that T has beside the point's foot on the face would
/// cross it, by Snell's law. Beside a face, Newton's method needs such a start.
template <int Dim>
FERMAT_HD inline void guess_by_slopes(const CellFace<Dim>& face, Vec3 point, double (&at)[2]) {
    double foot[2] = {};
    double away2 = 0;
    Vec3 across = point - face.first;
    for (int d = 0; d < Dim - 1; ++d) {
        foot[d] = across[face.axis[d]] / face.length[d];
        foot[d] = foot[d] < 0 ? 0 : foot[d] > 1 ? 1 : foot[d];
        across[face.axis[d]] -= foot[d] * face.length[d];
        at[d] = foot[d];
    }
    away2 = dot(across, across);
    const FaceTime there = time_through(face, point, at);
    const double s = face.slowness[0];
    double along2 = 0;
    for (int d = 0; d < Dim - 1; ++d) {
        const double slope = there.slope[d] / face.length[d];
        along2 += slope * slope;
    }
    const double steepest = 0.01 * s * s;
    const double down2 = s * s - along2;
    const double down = std::sqrt(down2 > steepest ? down2 : steepest);
    for (int d = 0; d < Dim - 1; ++d) {
        const double slope = there.slope[d] / face.length[d];
        const double to = foot[d] - std::sqrt(away2) * slope / (down * face.length[d]);
        at[d] = to < 0 ? 0 : to > 1 ? 1 : to;
    }
}

/// The earliest path from a face to a point. Newton's method inside the face starts at `at`, which
/// becomes the place where the path crosses the face.
template <class Face>
FERMAT_HD inline double earliest_through(const Face& face, Vec3 point, double (&at)[2]) {
    constexpr int Dim = Face::axes + 1;
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
