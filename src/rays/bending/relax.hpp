#pragma once

#include "core/host_device.hpp"
#include "core/vec3.hpp"
#include "rays/bending/media.hpp"
#include "rays/bending/space.hpp"

namespace fermat {

/// Computes the time of a segment by the midpoint rule, and the derivatives of that time by the
/// segment's two ends (the forces on them).
template <BendingMedium Medium>
FERMAT_HD_ONCE void pull_segment(const Medium& medium, const BendSpace& space, const Vec3* point,
                                 int i) {
    const Vec3 d = point[i + 1] - point[i];
    const double h = norm(d);
    const SlownessPoint at = medium.sample(0.5 * (point[i] + point[i + 1]));
    const Vec3 half = (0.5 * h) * at.gradient;
    const Vec3 tension = (h > 0 ? at.slowness / h : 0.0) * d;
    space.time[i] = medium.clear(point[i], point[i + 1]) ? h * at.slowness : INFINITY;
    space.left[i] = half - tension;
    space.right[i] = half + tension;
}

template <class Block, BendingMedium Medium>
FERMAT_HD void pull(Block block, const Medium& medium, const BendSpace& space, const Vec3* point,
                    int segments) {
    block.for_each(segments, [&](int i) { pull_segment(medium, space, point, i); });
}

/// Sums the segment times in the order of the ray, for any kind of block.
template <class Block>
FERMAT_HD double sum_of_times(Block block, const BendSpace& space, int segments) {
    block.for_each(1, [&](int) {
        double sum = 0;
        for (int i = 0; i < segments; ++i) sum += space.time[i];
        *space.sum = sum;
    });
    return *space.sum;
}

/// Solves K d = -g for the steps d of all points but the ends, by Thomas's algorithm. K is the
/// stiffness of a stretched string, s/h between neighbours.
FERMAT_HD_ONCE inline void string_step(const BendSpace& space, int segments) {
    constexpr double tiny = 1e-300;
    const auto stiffness = [&](int i) {
        const Vec3 d = space.point[i + 1] - space.point[i];
        return space.time[i] / (dot(d, d) + tiny);
    };
    Vec3 carried;
    double factor = 0;
    double before = stiffness(0);
    for (int i = 1; i < segments; ++i) {
        const Vec3 chord = space.point[i + 1] - space.point[i - 1];
        const Vec3 force = space.right[i - 1] + space.left[i];
        const Vec3 g = force - (dot(force, chord) / (dot(chord, chord) + tiny)) * chord;
        const double after = stiffness(i);
        const double pivot = before + after - before * factor;
        factor = after / pivot;
        carried = (before * carried - g) / pivot;
        space.factor[i] = factor;
        space.step[i] = carried;
        before = after;
    }
    Vec3 next;
    for (int i = segments - 1; i > 0; --i) {
        next = space.step[i] + space.factor[i] * next;
        space.step[i] = next;
    }
}

template <BendingMedium Medium>
FERMAT_HD_ONCE Vec3 moved_point(const Medium& medium, Vec3 point, Vec3 step, double scale) {
    return medium.clamp(point + scale * step);
}

/// Moves all points at once down the gradient of the time, as a stretched string settles. This
/// reduces long and short wavelengths of the ray alike, while point-by-point moves need a number of
/// rounds that grows with the square of the number of points. A step that does not shorten the time
/// is halved, and refused after six halvings.
template <class Block, BendingMedium Medium>
FERMAT_HD void relax(Block block, const Medium& medium, BendSpace& space, int segments,
                     const BendSettings& settings) {
    constexpr int most_halvings = 6;
    pull(block, medium, space, space.point, segments);
    double time = sum_of_times(block, space, segments);
    double scale = 1;
    for (int round = 0; round < settings.most_relaxations; ++round) {
        block.for_each(1, [&](int) { string_step(space, segments); });
        double now = INFINITY;
        for (int halving = 0; halving < most_halvings; ++halving, scale *= 0.5) {
            block.for_each(segments + 1, [&](int i) {
                const bool end = i == 0 || i == segments;
                space.other[i] = end ? space.point[i]
                                     : moved_point(medium, space.point[i], space.step[i], scale);
            });
            pull(block, medium, space, space.other, segments);
            now = sum_of_times(block, space, segments);
            if (now < time) break;
        }
        if (!(now < time)) return;
        space.swap_points();
        const bool settled = time - now < settings.tolerance * time;
        time = now;
        if (settled) return;
    }
}

}  // namespace fermat
