#pragma once

#include "rays/bending/bending.hpp"
#include "rays/bending/starts.hpp"
#include "rays/ray_set.hpp"

namespace fermat {

struct BentRay {
    double time = INFINITY;
    RayStart start = RayStart::none;
};

FERMAT_HD_ONCE inline Vec3 point_between(Vec3 a, Vec3 b, int part, int parts) {
    return part == parts ? b : a + (static_cast<double>(part) / parts) * (b - a);
}

/// Middle point of a curved start. It lies below the middle of the straight line, or beside it at
/// the same depth, by `share` of the line's length.
FERMAT_HD_ONCE inline Vec3 start_middle(Vec3 a, Vec3 b, RayStart start, double share) {
    const Vec3 d = b - a;
    const double length = norm(d);
    const Vec3 middle = 0.5 * (a + b);
    if (start == RayStart::deep) return middle + Vec3{0, 0, share * length};
    const double level = std::sqrt(d.x * d.x + d.y * d.y);
    const Vec3 across = level > 0 ? Vec3{-d.y / level, d.x / level, 0} : Vec3{1, 0, 0};
    return middle + (share * length) * across;
}

/// Finds the fastest ray from `receiver` to `source` over the given starts, with settings.segments
/// segments, and stores it in space.best. Several rays can be local minima of the time
/// (multipathing). Each start is therefore bent coarsely; the fastest candidate is bent to the end,
/// and so is the second if its time is close. The result is never slower than the straight line if
/// that is one of the starts. The time is infinite if air blocks every start.
template <class Block, BendingMedium Medium>
FERMAT_HD BentRay bend_pair(Block block, const Medium& medium, BendSpace& space, Vec3 receiver,
                            Vec3 source, const StartSet& starts, const BendSettings& settings) {
    constexpr double close = 1.01;
    struct Candidate {
        RayStart start;
        double share;
    };
    constexpr Candidate candidates[BendSpace::most_candidates] = {{RayStart::straight, 0},
                                                                  {RayStart::deep, 0.3},
                                                                  {RayStart::sides, 0.1},
                                                                  {RayStart::sides, -0.1}};
    const int coarse = coarse_segments(settings.segments);
    const int samples = settings.segments / 2 > coarse ? settings.segments / 2 : coarse;

    int first = -1;
    int second = -1;
    double first_time = INFINITY;
    double second_time = INFINITY;
    for (int n = 0; n < BendSpace::most_candidates; ++n) {
        const RayStart start = candidates[n].start;
        if (!starts.has(start) || (start == RayStart::sides && medium.flat())) continue;
        int segments = start == RayStart::straight ? 1 : 2;
        const auto trial_time = [&] {
            return ray_time(block, medium, space, segments, [&](Vec3 a, Vec3 b) {
                return medium.trial_time(a, b, samples / segments);
            });
        };
        // A deep start that hits air goes deeper.
        constexpr int most_depths = 3;
        double share = candidates[n].share;
        for (int depth = 0; depth < most_depths; ++depth, share *= 2) {
            block.for_each(1, [&](int) {
                space.point[0] = receiver;
                space.point[1] = medium.clamp(start_middle(receiver, source, start, share));
                space.point[segments] = source;
            });
            if (start != RayStart::deep || std::isfinite(trial_time())) break;
        }
        for (; segments < coarse; segments *= 2) {
            double_sections(block, medium, space, segments, samples);
        }
        const double time = trial_time();
        light_phase(block, coarse + 1,
                    [&](int i) { space.candidates[n * (coarse + 1) + i] = space.point[i]; });
        if (time < first_time) {
            second = first;
            second_time = first_time;
            first = n;
            first_time = time;
        } else if (time < second_time) {
            second = n;
            second_time = time;
        }
    }

    BentRay winner;
    const auto finish = [&](double time, RayStart start) {
        if (!(time < winner.time)) return;
        winner = {time, start};
        light_phase(block, settings.segments + 1, [&](int i) { space.best[i] = space.point[i]; });
    };
    const int chosen[] = {first, second};
    for (const int n : chosen) {
        if (n < 0 || (n == second && !(second_time < close * first_time))) continue;
        light_phase(block, coarse + 1,
                    [&](int i) { space.point[i] = space.candidates[n * (coarse + 1) + i]; });
        const double time = bend_ray(block, medium, space, coarse, settings);
        finish(time, candidates[n].start);
    }
    if (starts.has(RayStart::straight)) {
        light_phase(block, settings.segments + 1, [&](int i) {
            space.point[i] = point_between(receiver, source, i, settings.segments);
        });
        finish(exact_time(block, medium, space, settings.segments), RayStart::straight);
    }
    return winner;
}

}  // namespace fermat
