#pragma once

// A path of stationary time between two points, through interfaces.
//
// The path is a chain of legs, each in one smooth layer, that meet on interfaces. A leg is a
// polyline of n segments; the time of a segment is its length times the slowness at its middle.
// Unknown are the places of the joints on their interfaces (two coordinates each) and the inner
// points of legs, which move at right angles to the path. Where the derivatives of the time by all
// of them vanish, the path is a ray in every layer and obeys Snell's law, or that of reflection, at
// every joint: Fermat's principle. Newton's method finds it; the Hessian is block tridiagonal, so
// that a step costs as much as a few integrals along the path (Thurber & Ellsworth 1980 and
// Pereyra et al. 1980 bend rays likewise). The error of the time is that of n segments, c / n^2 +
// O(1 / n^4): two numbers of segments tell it, and take it away (Richardson).
//
// A stationary time need not be a minimum. The number of negative eigenvalues of the Hessian, which
// the factors of the block elimination give (Sylvester), tells the kinds apart.

#include <cmath>
#include <cstdint>

#include "core/host_device.hpp"
#include "core/vec3.hpp"
#include "phases/layer_sample.hpp"
#include "phases/surface_point.hpp"

/// Keeps a function of device code from being copied into each of its callers, which takes nvcc
/// minutes.
#if defined(__CUDACC__)
#define FERMAT_APART __noinline__
#else
#define FERMAT_APART
#endif

namespace fermat {

/// Which stationary path is looked for.
enum class PathGoal {
    minimum,     ///< go down from the start; end where the time is least
    stationary,  ///< the stationary path next to the start
};

/// What a path lies in. `LayerT` is one leg's slowness, `SurfaceT` the interface between two legs.
template <class LayerT, class SurfaceT>
struct PathMedium {
    const LayerT* layers = nullptr;      ///< one per leg
    const SurfaceT* surfaces = nullptr;  ///< one per joint, after each leg but the last
    int legs = 1;
    bool flat = false;  ///< 2-D: points stay in the plane at right angles to `across`
    Vec3 across{0, 1, 0};
    std::uint64_t held = 0;  ///< joints that do not move, one bit each

    FERMAT_HD bool holds(int joint) const { return ((held >> joint) & 1U) != 0; }
};

/// Memory of one path. A leg of n segments has the points [leg * n, leg * n + n].
struct PathSpace {
    Vec3* point = nullptr;    ///< legs * n + 1
    Vec3* trial = nullptr;    ///< as many
    double* joint = nullptr;  ///< two coordinates per joint
    double* tried = nullptr;  ///< as many
    double* carry = nullptr;  ///< six numbers per point: what elimination keeps
    FERMAT_HD void swap() {
        Vec3* p = point;
        point = trial;
        trial = p;
        double* j = joint;
        joint = tried;
        tried = j;
    }
};

/// How a search ended.
struct PathSearch {
    double time = 0;
    int negative = 0;  ///< directions along which the time is a maximum
    bool settled = false;
    int steps = 0;
};

namespace detail {

struct Mat2 {
    double a = 0, b = 0, c = 0, d = 0;  ///< rows (a, b), (c, d)
};
FERMAT_HD inline Mat2 product(Mat2 m, Mat2 n) {
    return {m.a * n.a + m.b * n.c, m.a * n.b + m.b * n.d, m.c * n.a + m.d * n.c,
            m.c * n.b + m.d * n.d};
}
FERMAT_HD inline Mat2 transposed(Mat2 m) { return {m.a, m.c, m.b, m.d}; }

/// The two directions in which a point moves.
struct PathFrame {
    Vec3 first;
    Vec3 second;
};

/// Derivatives of one segment's time by its ends.
struct SegmentTime {
    double time = 0;
    Vec3 by_a, by_b;
    Sym3 aa, bb;  ///< second derivatives by one end
    Sym3 even;    ///< those by both ends: even + odd, where odd is skew
    Vec3 u;       ///< direction
    Vec3 half;    ///< half the gradient of slowness: odd = u half^T - half u^T
};

template <class LayerT>
FERMAT_HD SegmentTime segment_time(const LayerT& layer, Vec3 a, Vec3 b, double least) {
    const Vec3 way = b - a;
    // A leg of no length, as in a layer that pinches out, must keep a direction.
    const double length = std::sqrt(dot(way, way) + least * least);
    const LayerSample m = layer.at(0.5 * (a + b));
    SegmentTime out;
    out.time = length * m.slowness;
    out.u = way / length;
    out.half = 0.5 * m.gradient;
    out.by_b = m.slowness * out.u + (length * out.half);
    out.by_a = -m.slowness * out.u + (length * out.half);
    const double k = m.slowness / length;
    Sym3 across = (-0.5 * k) * sym_outer(out.u, out.u);
    across.xx += k;
    across.yy += k;
    across.zz += k;
    const Sym3 slope = sym_outer(out.u, out.half);
    const Sym3 bend = (0.25 * length) * m.curvature;
    out.bb = across + slope + bend;
    out.aa = across + (-1.0 * slope) + bend;
    out.even = (-1.0 * across) + bend;
    return out;
}

FERMAT_HD inline Mat2 between(const PathFrame& p, const Sym3& m, const PathFrame& q) {
    const Vec3 f = m * q.first;
    const Vec3 s = m * q.second;
    return {dot(p.first, f), dot(p.first, s), dot(p.second, f), dot(p.second, s)};
}

/// Rows: directions of the segment's end b; columns: those of its end a.
FERMAT_HD inline Mat2 coupling(const PathFrame& b, const SegmentTime& t, const PathFrame& a) {
    Mat2 m = between(b, t.even, a);
    const double u1 = dot(b.first, t.u), u2 = dot(b.second, t.u);
    const double h1 = dot(b.first, t.half), h2 = dot(b.second, t.half);
    const double v1 = dot(a.first, t.u), v2 = dot(a.second, t.u);
    const double g1 = dot(a.first, t.half), g2 = dot(a.second, t.half);
    m.a += u1 * g1 - h1 * v1;
    m.b += u1 * g2 - h1 * v2;
    m.c += u2 * g1 - h2 * v1;
    m.d += u2 * g2 - h2 * v2;
    return m;
}

FERMAT_HD inline Vec3 cross(Vec3 a, Vec3 b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// Two directions at right angles to the path between its neighbours; in 2-D one and none.
FERMAT_HD inline PathFrame normal_frame(Vec3 before, Vec3 after, bool flat, Vec3 across) {
    Vec3 u = after - before;
    const double length = norm(u);
    u = length > 0 ? u / length : Vec3{0, 0, 1};
    if (flat) return {cross(across, u), {0, 0, 0}};
    const Vec3 helper = std::fabs(u.x) < 0.6   ? Vec3{1, 0, 0}
                        : std::fabs(u.y) < 0.6 ? Vec3{0, 1, 0}
                                               : Vec3{0, 0, 1};
    Vec3 first = cross(u, helper);
    first = first / norm(first);
    return {first, cross(u, first)};
}

template <class LayerT, class SurfaceT>
FERMAT_HD SurfacePoint joint_of(const PathMedium<LayerT, SurfaceT>& medium, const PathSpace& space,
                                int joint) {
    return medium.surfaces[joint].at(space.joint[2 * joint], space.joint[2 * joint + 1]);
}

/// The directions in which point i moves: along its interface, or at right angles to the path.
template <class LayerT, class SurfaceT>
FERMAT_HD PathFrame frame_of(const PathMedium<LayerT, SurfaceT>& medium, const PathSpace& space,
                             int n, int i) {
    if (i % n != 0) {
        return normal_frame(space.point[i - 1], space.point[i + 1], medium.flat, medium.across);
    }
    if (medium.holds(i / n - 1)) return {};
    const SurfacePoint s = joint_of(medium, space, i / n - 1);
    return {s.a, medium.flat ? Vec3{0, 0, 0} : s.b};
}

}  // namespace detail

/// Length of a path of `segments` straight ones.
FERMAT_HD inline double path_length(const Vec3* point, int segments) {
    double sum = 0;
    for (int i = 0; i < segments; ++i) sum += distance(point[i], point[i + 1]);
    return sum;
}

/// Time along the points of a path.
template <class LayerT, class SurfaceT>
FERMAT_HD double path_time(const PathMedium<LayerT, SurfaceT>& medium, const Vec3* point, int n) {
    double sum = 0;
    for (int leg = 0; leg < medium.legs; ++leg) {
        const Vec3* p = point + leg * n;
        double part = 0;
        for (int i = 0; i < n; ++i) {
            part += distance(p[i], p[i + 1]) * medium.layers[leg].slowness(0.5 * (p[i] + p[i + 1]));
        }
        sum += part;
    }
    return sum;
}

/// One step of Newton's method, with `damping` times the squared displacement added to the
/// quadratic. Leaves the displacements in space.carry, and gives half the decrement of the time
/// that the quadratic promises, the number of negative pivots and the largest displacement.
struct NewtonStep {
    double decrement = 0;
    double largest = 0;
    int negative = 0;
    bool singular = false;
};

template <class LayerT, class SurfaceT>
FERMAT_HD FERMAT_APART NewtonStep newton_step(const PathMedium<LayerT, SurfaceT>& medium,
                                              PathSpace& space, int n, double damping,
                                              double least) {
    using namespace detail;
    const int last = medium.legs * n;
    NewtonStep out;
    SegmentTime before = segment_time(medium.layers[0], space.point[0], space.point[1], least);
    PathFrame frame_before;
    PathFrame frame = frame_of(medium, space, n, 1);
    Mat2 carried;  // inverse pivot times coupling of the point before
    double right1 = 0, right2 = 0;
    for (int i = 1; i < last; ++i) {
        const int leg = i / n;
        const SegmentTime after =
            segment_time(medium.layers[leg], space.point[i], space.point[i + 1], least);
        const Vec3 gradient = before.by_b + after.by_a;
        Mat2 pivot = between(frame, before.bb + after.aa, frame);
        if (i % n == 0 && !medium.holds(leg - 1)) {
            const SurfacePoint s = joint_of(medium, space, leg - 1);
            pivot.a += dot(gradient, s.aa);
            pivot.b += dot(gradient, s.ab);
            pivot.c += dot(gradient, s.ab);
            pivot.d += dot(gradient, s.bb);
        }
        pivot.a += damping * dot(frame.first, frame.first);
        pivot.b += damping * dot(frame.first, frame.second);
        pivot.c += damping * dot(frame.first, frame.second);
        pivot.d += damping * dot(frame.second, frame.second);
        double g1 = -dot(frame.first, gradient);
        double g2 = -dot(frame.second, gradient);
        if (i > 1) {
            const Mat2 low = coupling(frame, before, frame_before);
            const Mat2 change = product(low, carried);
            pivot.a -= change.a;
            pivot.b -= change.b;
            pivot.c -= change.c;
            pivot.d -= change.d;
            g1 -= low.a * right1 + low.b * right2;
            g2 -= low.c * right1 + low.d * right2;
        }
        const bool is_held = i % n == 0 && medium.holds(leg - 1);
        if (is_held) pivot.a = 1;
        if (is_held || medium.flat) {
            pivot.b = pivot.c = 0;
            pivot.d = 1;
        }
        const double determinant = pivot.a * pivot.d - pivot.b * pivot.c;
        if (!(std::fabs(determinant) > 0) || !std::isfinite(determinant)) {
            out.singular = true;
            return out;
        }
        if (determinant < 0) {
            out.negative += 1;
        } else if (pivot.a < 0) {
            out.negative += 2;
        }
        const double k = 1 / determinant;
        const Mat2 inverse{k * pivot.d, -k * pivot.b, -k * pivot.c, k * pivot.a};
        right1 = inverse.a * g1 + inverse.b * g2;
        right2 = inverse.c * g1 + inverse.d * g2;
        out.decrement += 0.5 * (g1 * right1 + g2 * right2);
        frame_before = frame;
        carried = Mat2{};
        if (i + 1 < last) {
            frame = frame_of(medium, space, n, i + 1);
            carried = product(inverse, transposed(coupling(frame, after, frame_before)));
        }
        double* keep = space.carry + 6 * i;
        keep[0] = carried.a;
        keep[1] = carried.b;
        keep[2] = carried.c;
        keep[3] = carried.d;
        keep[4] = right1;
        keep[5] = right2;
        before = after;
    }
    // Back substitution; the displacement of point i replaces its right side.
    for (int i = last - 2; i >= 1; --i) {
        double* at = space.carry + 6 * i;
        const double* next = at + 6;
        at[4] -= at[0] * next[4] + at[1] * next[5];
        at[5] -= at[2] * next[4] + at[3] * next[5];
    }
    for (int i = 1; i < last; ++i) {
        const double* at = space.carry + 6 * i;
        const PathFrame f = frame_of(medium, space, n, i);
        const double size = norm(at[4] * f.first + at[5] * f.second);
        if (size > out.largest) out.largest = size;
    }
    return out;
}

/// The path moved by `part` of the step in space.carry, as space.trial and space.tried. Where a
/// joint moves by more than a tenth of a segment, as that of a thin layer does, the points of its
/// legs go along with it in the direction of the path, in which the step does not move them: else
/// legs would fold.
template <class LayerT, class SurfaceT>
FERMAT_HD void move_path(const PathMedium<LayerT, SurfaceT>& medium, PathSpace& space, int n,
                         double part) {
    const int last = medium.legs * n;
    space.trial[0] = space.point[0];
    space.trial[last] = space.point[last];
    Vec3 before{0, 0, 0};  // how far the joint before the leg moves, and the one after it
    for (int leg = 0; leg < medium.legs; ++leg) {
        Vec3 after{0, 0, 0};
        const int end = (leg + 1) * n;
        if (end < last) {
            const bool moves = !medium.holds(leg);
            const double d1 = moves ? part * space.carry[6 * end + 4] : 0;
            const double d2 = moves && !medium.flat ? part * space.carry[6 * end + 5] : 0;
            space.tried[2 * leg] = space.joint[2 * leg] + d1;
            space.tried[2 * leg + 1] = space.joint[2 * leg + 1] + d2;
            space.trial[end] =
                medium.surfaces[leg].at(space.tried[2 * leg], space.tried[2 * leg + 1]).place;
            after = space.trial[end] - space.point[end];
        }
        const Vec3 chord = space.point[end] - space.point[leg * n];
        const double far = std::fmax(dot(before, before), dot(after, after));
        const bool follows = far * n * n > 0.01 * dot(chord, chord);
        for (int i = leg * n + 1; i < end; ++i) {
            const double d1 = part * space.carry[6 * i + 4];
            const double d2 = part * space.carry[6 * i + 5];
            const detail::PathFrame f = detail::frame_of(medium, space, n, i);
            space.trial[i] = space.point[i] + d1 * f.first + d2 * f.second;
            if (!follows) continue;
            const Vec3 u = space.point[i + 1] - space.point[i - 1];
            const double t = static_cast<double>(i - leg * n) / n;
            const double along = dot((1 - t) * before + t * after, u);
            if (dot(u, u) > 0) space.trial[i] = space.trial[i] + (along / dot(u, u)) * u;
        }
        before = after;
    }
}

/// Newton's method from the path in `space`, with n segments per leg. A step whose decrement is
/// below `small`, as a part of the time, is the last: it is of the order of the square of the
/// angles that it moves, and what it leaves is smaller by as much again.
template <class LayerT, class SurfaceT>
FERMAT_HD FERMAT_APART PathSearch settle_path(const PathMedium<LayerT, SurfaceT>& medium,
                                              PathSpace& space, int n, PathGoal goal,
                                              int most_steps, double small) {
    // Where velocity has a kink, as between rows of a table, a path may rest on it and never get
    // there; then a decrement that moves angles by less than 0.1 degrees will do.
    constexpr double fair = 1e-6;
    // A decrement below `rest` promises more than the kink allows if steps shorten the time by less
    // than `still`: the path rests on it.
    constexpr double rest = 1e-8;
    constexpr double still = 1e-11;
    const int last = medium.legs * n;
    const double length = path_length(space.point, last);
    const double least = 1e-9 * length;
    PathSearch out;
    out.time = path_time(medium, space.point, n);
    if (last == 1) {
        out.settled = true;
        return out;
    }
    const double unit = out.time / (length * length) * n;  // slowness over the length of a segment
    double damping = 0;
    double last_decrement = out.time;
    for (int step = 0; step < most_steps; ++step) {
        out.steps = step + 1;
        const NewtonStep newton = newton_step(medium, space, n, damping, least);
        const bool downhill = goal == PathGoal::minimum;
        if (newton.singular || (downhill && newton.negative > 0)) {
            damping = damping > 0 ? 4 * damping : 0.01 * unit;
            if (damping > 1e6 * unit) return out;
            continue;
        }
        out.negative = newton.negative;
        if (damping == 0) last_decrement = std::fabs(newton.decrement);
        const double limit = (downhill ? 0.15 : 0.05) * length;
        double part = newton.largest > limit ? limit / newton.largest : 1;
        if (part == 1 && damping <= 1e-3 * unit && std::fabs(newton.decrement) < small * out.time) {
            out.settled = true;
        }
        move_path(medium, space, n, part);
        double time = path_time(medium, space.trial, n);
        const bool may_rest = downhill && last_decrement < rest * out.time;
        if (downhill) {
            int halvings = 0;
            const int most_halvings = may_rest ? 3 : 8;
            while (time > out.time * (1 + 1e-13) && halvings < most_halvings && !out.settled) {
                part *= 0.5;
                ++halvings;
                move_path(medium, space, n, part);
                time = path_time(medium, space.trial, n);
            }
            if (halvings == most_halvings) {
                if (may_rest || damping > 10 * unit) {
                    out.settled = last_decrement < fair * out.time;
                    return out;
                }
                damping = damping > 0 ? 8 * damping : 0.1 * unit;
                continue;
            }
        }
        if (may_rest && out.time - time < still * out.time) out.settled = true;
        space.swap();
        out.time = time;
        if (out.settled) return out;
        damping = damping > 1e-3 * unit ? 0.2 * damping : 0;
    }
    out.settled = last_decrement < fair * out.time;
    return out;
}

/// Twice as many segments per leg. The new points lie on the cubics through their four neighbours
/// (`rounds`; two at least next to the ends of a leg), or half-way between two. From the back, so
/// that points can stay in their memory.
FERMAT_HD inline void double_segments(PathSpace& space, int legs, int n, bool rounds) {
    Vec3* p = space.point;
    for (int i = legs * n; i > 0; --i) {
        const int k = (i - 1) % n;  // segments of the leg before this one
        const bool left = k > 0;
        const bool right = k + 1 < n;
        Vec3 middle = 0.5 * (p[i - 1] + p[i]);
        if (rounds && left && right) {
            middle = (9.0 / 16) * (p[i - 1] + p[i]) - (1.0 / 16) * (p[i - 2] + p[i + 1]);
        } else if (rounds && left) {
            middle = (3.0 / 8) * p[i] + (3.0 / 4) * p[i - 1] - (1.0 / 8) * p[i - 2];
        } else if (rounds && right) {
            middle = (3.0 / 8) * p[i - 1] + (3.0 / 4) * p[i] - (1.0 / 8) * p[i + 1];
        }
        p[2 * i] = p[i];
        p[2 * i - 1] = middle;
    }
}

}  // namespace fermat
