#pragma once

// The search for the earliest ray of a pair as a device makes it, one thread per pair: the starts
// from the lattice, and Newton's method from each. What needs more than that, such as a path that
// leaves its layer, is left to the host.

#include <cmath>
#include <cstdint>

#include "core/host_device.hpp"
#include "phases/find_path.hpp"

namespace fermat {

/// Joints and starts for which one thread has memory, and points of paths of few legs or many.
inline constexpr int device_joints = 7;
inline constexpr int device_starts = 6;
inline constexpr int few_points = 129;
inline constexpr int many_points = 257;

/// Minima that are later than the least by more than this part are not looked at.
inline constexpr double near_least = 0.2;

/// A pair of points: their Cartesian places, and its starts among those given (GivenStarts).
struct DevicePair {
    Vec3 source;
    Vec3 receiver;
    std::int32_t starts = 0;
    std::int32_t first_start = 0;
};

/// The ray of a pair, or the word that the host must look for it.
struct DeviceRay {
    double time = 0;
    double doubt = 0;
    double length = 0;
    double joints[2 * device_joints] = {};
    std::int32_t maxima = 0;
    std::int32_t segments = 0;  ///< 0: for the host
};

/// The time along two straight legs over the points of the one joint's lattice.
struct ChordSum {
    Lattice lattice;
    const Vec3* places = nullptr;
    double slowness[2] = {0, 0};

    FERMAT_HD double at(const DevicePair& pair, int i, int j) const {
        const Vec3 p = places[i * lattice.ny + j];
        return slowness[0] * distance(pair.source, p) + slowness[1] * distance(pair.receiver, p);
    }
};

/// Where to look for paths of a pair, the least time first; one more than there is room for where
/// there are too many.
struct StartList {
    int count = 0;
    int number[device_starts] = {};  ///< of a point of the lattice, or of a start that is given
    double time[device_starts] = {};
};
/// The minima of a sum over its lattice.
FERMAT_HD inline StartList least_points(const ChordSum& sum, const DevicePair& pair) {
    const int nx = sum.lattice.nx;
    const int ny = sum.lattice.ny;
    StartList out;
    const double beyond = 1e300;
    for (int i = 0; i < nx; ++i) {
        // A window of three columns along a row: before, here, after.
        double window[3][3];
        const auto fill = [&](int column, int j) {
            for (int d = 0; d < 3; ++d) {
                const int a = i + d - 1;
                const bool inside = a >= 0 && a < nx && j >= 0 && j < ny;
                window[column][d] = inside ? sum.at(pair, a, j) : beyond;
            }
        };
        fill(0, -1);
        fill(1, 0);
        for (int j = 0; j < ny; ++j) {
            fill(2, j + 1);
            const double here = window[1][1];
            bool least = true;
            for (int a = 0; a < 3; ++a) {
                for (int d = 0; d < 3; ++d) least = least && !(window[a][d] < here);
            }
            for (int d = 0; d < 3; ++d) {
                window[0][d] = window[1][d];
                window[1][d] = window[2][d];
            }
            if (!least) continue;
            if (out.count >= device_starts) {
                out.count = device_starts + 1;
                return out;
            }
            int k = out.count++;
            for (; k > 0 && here < out.time[k - 1]; --k) {
                out.time[k] = out.time[k - 1];
                out.number[k] = out.number[k - 1];
            }
            out.time[k] = here;
            out.number[k] = i * ny + j;
        }
    }
    return out;
}

/// Starts from the lattice of the one joint.
struct LatticeStarts {
    ChordSum sum;

    FERMAT_HD StartList list(const DevicePair& pair) const { return least_points(sum, pair); }
    FERMAT_HD void place(int number, double* joint) const {
        joint[0] = sum.lattice.x(number / sum.lattice.ny);
        joint[1] = sum.lattice.y(number % sum.lattice.ny);
    }
};

/// Starts that the host has found, with two coordinates per joint.
struct GivenStarts {
    const double* joints = nullptr;
    const double* times = nullptr;
    int joint_count = 0;

    FERMAT_HD StartList list(const DevicePair& pair) const {
        StartList out;
        for (; out.count < pair.starts; ++out.count) {
            out.number[out.count] = pair.first_start + out.count;
            out.time[out.count] = times[pair.first_start + out.count];
        }
        return out;
    }
    FERMAT_HD void place(int number, double* joint) const {
        const double* from = joints + static_cast<std::size_t>(number) * 2 * joint_count;
        for (int i = 0; i < 2 * joint_count; ++i) joint[i] = from[i];
    }
};

/// Finds the earliest ray of a pair and writes its points. `medium` must be the thread's own.
template <int most_points, class Starts, class LayerT, class SurfaceT>
FERMAT_HD DeviceRay find_earliest(PathMedium<LayerT, SurfaceT> medium, const PathRules& rules,
                                  const Starts& from, const DevicePair& pair, Vec3* points) {
    Vec3 point[most_points];
    Vec3 trial[most_points];
    double carry[6 * most_points];
    double joint[2 * device_joints];
    double tried[2 * device_joints];
    DeviceRay best;
    const StartList starts = from.list(pair);
    if (starts.count > device_starts) return best;
    for (int k = 0; k < starts.count; ++k) {
        if (k > 0 && starts.time[k] > (1 + near_least) * starts.time[0]) break;
        PathSpace space{point, trial, joint, tried, carry};
        from.place(starts.number[k], space.joint);
        begin_path(medium, space, pair.source, pair.receiver);
        const FoundPath found = find_path(medium, space, rules, {}, false, PlainHooks{});
        // A path that is not there, or not yet exact, is the host's: it may go along an interface.
        if (found.status != BranchStatus::ok || found.doubt > rules.tolerance * found.time) {
            return DeviceRay{};
        }
        if (best.segments > 0 && !(found.time < best.time)) continue;
        best.time = found.time;
        best.doubt = found.doubt;
        best.maxima = found.maxima;
        best.segments = found.segments;
        const int last = medium.legs * found.segments;
        best.length = path_length(space.point, last);
        for (int i = 0; i < 2 * (medium.legs - 1); ++i) best.joints[i] = space.joint[i];
        for (int i = 0; i <= last; ++i) points[i] = space.point[i];
    }
    return best;
}

}  // namespace fermat
