#pragma once

#include <algorithm>
#include <cmath>

#include "core/vec3.hpp"
#include "eikonal/cells/face.hpp"

namespace fermat {

/// A face of a cell between rows that follow the ground: in 2-D a straight line between two nodes,
/// in 3-D the bilinear surface between four. Otherwise as CellFace, whose faces have right angles.
template <int Dim>
struct GroundFace {
    static constexpr int axes = Dim - 1;
    static constexpr int corners = 1 << axes;

    Vec3 first;               ///< its first corner, from the centre of the wave
    Vec3 edge[2];             ///< from there to the corners 1 and 2
    Vec3 twist;               ///< what corner 3 differs from a parallelogram
    double value[4] = {};     ///< (T - T of the centre) / distance, or T if not factored
    double bend[2] = {};      ///< second differences of the value along the edges
    double slowness[4] = {};  ///< mean along the line from a corner to the point
    bool factored = true;

    Vec3 place(const double (&at)[2]) const {
        if constexpr (Dim == 2) return first + at[0] * edge[0];
        return first + at[0] * edge[0] + at[1] * edge[1] + (at[0] * at[1]) * twist;
    }
    /// The change of the place along an edge.
    Vec3 along(int d, const double (&at)[2]) const {
        if constexpr (Dim == 2) return edge[0];
        return edge[d] + at[1 - d] * twist;
    }
};

template <int Dim>
detail::OnFace distance_on(const GroundFace<Dim>& face, const double (&at)[2], Vec3 from) {
    const double r = norm(from);
    if (!(r > 0)) return {};
    const double inverse = 1 / r;
    detail::OnFace out{r, {}, {}};
    Vec3 way[2];
    for (int d = 0; d < Dim - 1; ++d) {
        way[d] = face.along(d, at);
        out.slope[d] = dot(from, way[d]) * inverse;
        out.curve[d] = (dot(way[d], way[d]) - out.slope[d] * out.slope[d]) * inverse;
    }
    if constexpr (Dim == 3) {
        out.curve[2] =
            (dot(way[0], way[1]) + dot(from, face.twist) - out.slope[0] * out.slope[1]) * inverse;
    }
    return out;
}

/// The place where the straight line from the centre to the point crosses the face, or the nearest
/// one on it.
template <int Dim>
void cross_straight(const GroundFace<Dim>& face, Vec3 point, double (&at)[2]) {
    if constexpr (Dim == 2) {
        // first + u edge = t point
        const double det = face.edge[0].x * point.z - face.edge[0].z * point.x;
        if (det == 0) return;
        at[0] = std::clamp((face.first.z * point.x - face.first.x * point.z) / det, 0.0, 1.0);
    } else {
        const auto cross = [](Vec3 a, Vec3 b) {
            return Vec3{a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
        };
        const Vec3 normal = cross(face.edge[1], point);
        const double det = dot(face.edge[0], normal);
        if (det == 0) return;
        at[0] = std::clamp(-dot(face.first, normal) / det, 0.0, 1.0);
        at[1] = std::clamp(-dot(face.first, cross(point, face.edge[0])) / det, 0.0, 1.0);
    }
}

/// The earliest path from a face of a 2-D cell to a point, from a start `at`, which becomes the
/// place where it crosses the face. As earliest_through, but the place stays between two whose
/// slopes differ in sign: beside the centre or the point, Newton's steps alone go astray.
inline double earliest_on_line(const GroundFace<2>& face, Vec3 point, double (&at)[2]) {
    constexpr int most_steps = 30;
    constexpr double near_enough = 1e-6;
    double low = 0;
    double high = 1;
    double earliest = INFINITY;
    double best = at[0];
    const auto look = [&](double u) {
        const double there[2] = {u, 0};
        const FaceTime time = time_through(face, point, there);
        if (time.time < earliest) {
            earliest = time.time;
            best = u;
        }
        return time;
    };
    double u = at[0];
    for (int n = 0; n < most_steps; ++n) {
        const FaceTime here = look(u);
        (here.slope[0] > 0 ? high : low) = u;
        double next = here.curve[0] > 0 ? u - here.slope[0] / here.curve[0] : -1;
        if (!(next > low && next < high)) {
            // Towards an end of the face that may be the place itself.
            const double end = here.slope[0] > 0 ? 0 : 1;
            next = (low == end || high == end) && n < 2 ? end : 0.5 * (low + high);
        }
        if (std::abs(next - u) < near_enough) break;
        u = next;
    }
    at[0] = best;
    return earliest;
}

}  // namespace fermat
