#pragma once

#include "core/host_device.hpp"
#include "core/vec3.hpp"
#include "rays/bending/point.hpp"
#include "rays/bending/relax.hpp"
#include "rays/bending/space.hpp"

namespace fermat {

// Pseudo-bending of one ray (Um & Thurber 1987, Koulakov 2009), in parallel as in paper 3. The
// points that one phase moves do not depend on each other. One thread, several threads or a CUDA
// block therefore bend the same ray to the same points.

/// The new place of a point between its two neighbours in memory.
template <BendingMedium Medium>
FERMAT_HD_ONCE Vec3 bent_point(const Medium& medium, const Vec3* point, int samples, double shift) {
    PointBend<Medium> bend(medium, point[-1], point[0], point[1], samples);
    bend.bend(shift);
    return bend.point();
}

/// Bends the odd points with the even ones fixed, then the even ones with the odd ones fixed (paper
/// 3, figure 3). `shift` is relative to the length of the section.
template <class Block, BendingMedium Medium>
FERMAT_HD void bend_points(Block block, const Medium& medium, const BendSpace& space, int segments,
                           int samples, double shift) {
    const auto bend = [&](int i) {
        space.point[i] = bent_point(medium, space.point + i, samples, shift);
    };
    block.for_each(segments / 2, [&](int i) { bend(2 * i + 1); });
    block.for_each(segments / 2 - 1, [&](int i) { bend(2 * i + 2); });
}

/// Doubles the number of sections and bends them. Trial times use `samples` points along the whole
/// ray, so that long sections see the medium between their ends.
template <class Block, BendingMedium Medium>
FERMAT_HD void double_sections(Block block, const Medium& medium, BendSpace& space, int segments,
                               int samples) {
    constexpr double shift = 0.1;
    light_phase(block, segments + 1, [&](int i) {
        space.other[2 * i] = space.point[i];
        if (i < segments) space.other[2 * i + 1] = 0.5 * (space.point[i] + space.point[i + 1]);
    });
    space.swap_points();
    const int each = samples > 2 * segments ? samples / (2 * segments) : 1;
    bend_points(block, medium, space, 2 * segments, each, shift);
}

/// Sum of time_of(a, b) over the ray's segments; infinite where air is in the way.
template <class Block, BendingMedium Medium, class TimeOf>
FERMAT_HD double ray_time(Block block, const Medium& medium, const BendSpace& space, int segments,
                          TimeOf time_of) {
    block.for_each(segments, [&](int i) {
        const Vec3 a = space.point[i];
        const Vec3 b = space.point[i + 1];
        space.time[i] = medium.clear(a, b) ? time_of(a, b) : INFINITY;
    });
    return sum_of_times(block, space, segments);
}

/// Time of the ray, as exactly as the medium allows.
template <class Block, BendingMedium Medium>
FERMAT_HD double exact_time(Block block, const Medium& medium, const BendSpace& space,
                            int segments) {
    return ray_time(block, medium, space, segments,
                    [&](Vec3 a, Vec3 b) { return medium.segment_time(a, b); });
}

/// Moves the points one by one, by long and then short steps. For media whose slowness jumps, where
/// the forces on the points carry no information.
template <class Block, BendingMedium Medium>
FERMAT_HD void settle_points(Block block, const Medium& medium, const BendSpace& space,
                             int segments, const BendSettings& settings) {
    constexpr double shifts[] = {0.2, 0.02};
    double time = exact_time(block, medium, space, segments);
    for (int round = 0; round < settings.most_relaxations; ++round) {
        for (const double shift : shifts) {
            bend_points(block, medium, space, segments, 1, shift);
        }
        const double now = exact_time(block, medium, space, segments);
        const bool settled = !(time - now > settings.tolerance * time);
        time = now;
        if (settled) return;
    }
}

/// Bends the ray of `segments` segments (a power of two) in space.point, refines it to
/// settings.segments, relaxes it, and returns its exact time.
template <class Block, BendingMedium Medium>
FERMAT_HD double bend_ray(Block block, const Medium& medium, BendSpace& space, int segments,
                          const BendSettings& settings) {
    for (; segments < settings.segments; segments *= 2) {
        double_sections(block, medium, space, segments, settings.segments);
    }
    if (medium.smooth()) {
        relax(block, medium, space, segments, settings);
    } else {
        settle_points(block, medium, space, segments, settings);
    }
    return exact_time(block, medium, space, segments);
}

}  // namespace fermat
