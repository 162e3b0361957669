#pragma once

// Paper 5 to the letter: the eikonal equation without a factor by first-order Godunov differences
// (equation 2) in the fast iterative method of Jeong and Whitaker (2008) on blocks of 8 x 8 points,
// and rays from point to point by the gradient of equation 3, the angle of equation 4 and sectors
// of equal width. Fermat's own methods are eikonal/fim and rays/; this is what they are compared
// with.

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "core/block.hpp"
#include "core/host_device.hpp"

namespace fermat::bench {

inline constexpr int plain_side = 8;  ///< of a block: 64 points, as in the paper
inline constexpr int plain_lanes = plain_side * plain_side;
inline constexpr int plain_copy = plain_side + 2;
/// Iterations of an active block before its neighbours are looked at; the paper leaves it open.
inline constexpr int plain_rounds = 8;
/// A time that changes by less has converged, in seconds; the paper does not say how much less.
inline constexpr float plain_threshold = 1e-6F;

/// Times on a square of points, spacing 1. One more row and column than the picture has lie at its
/// far sides, for equation 3 (section 3.2 of the paper).
struct PlainTimes {
    int side = 0;                     ///< points along each axis, with the added row and column
    int blocks = 0;                   ///< along each axis
    const float* slowness = nullptr;  ///< [x][z]
    float* times = nullptr;           ///< [x][z]

    FERMAT_HD int at(int i, int k) const { return i * side + k; }
    FERMAT_HD int block_count() const { return blocks * blocks; }
};

/// Equation 2: the time of a point from the lesser neighbours along x and z.
FERMAT_HD inline float godunov_time(float x, float z, float slowness) {
    const float low = x < z ? x : z;
    const float high = x < z ? z : x;
    const float one_sided = low + slowness;
    if (!(one_sided > high)) return one_sided;
    const float apart = high - low;
    return 0.5F * (low + high + sqrtf(2 * slowness * slowness - apart * apart));
}

/// Memory that the lanes of a block share.
struct PlainRoom {
    float times[plain_copy * plain_copy];
    float next[plain_lanes];
    int changed;
};

/// Iterates a block and writes its times. Returns whether the last iteration changed one of them by
/// more than the threshold.
template <class Block>
FERMAT_HD bool iterate_plain_block(Block block, const PlainTimes& field, int number, int rounds,
                                   PlainRoom& room) {
    const int x = number / field.blocks * plain_side;
    const int z = number % field.blocks * plain_side;
    block.for_each(plain_copy * plain_copy, [&](int n) {
        const int i = x + n / plain_copy - 1;
        const int k = z + n % plain_copy - 1;
        const bool inside = i >= 0 && i < field.side && k >= 0 && k < field.side;
        room.times[n] = inside ? field.times[field.at(i, k)] : INFINITY;
    });
    const auto copied = [](int lane) {
        return (lane / plain_side + 1) * plain_copy + lane % plain_side + 1;
    };
    const auto inside = [&](int lane) {
        return x + lane / plain_side < field.side && z + lane % plain_side < field.side;
    };
    for (int round = 0; round < rounds; ++round) {
        block.for_each(1, [&](int) { room.changed = 0; });
        block.for_each(plain_lanes, [&](int lane) {
            const float* const t = room.times + copied(lane);
            room.next[lane] = *t;
            if (!inside(lane)) return;
            const float along_x = fminf(t[-plain_copy], t[plain_copy]);
            const float along_z = fminf(t[-1], t[1]);
            if (!(fminf(along_x, along_z) < INFINITY)) return;
            const int place = field.at(x + lane / plain_side, z + lane % plain_side);
            const float time = godunov_time(along_x, along_z, field.slowness[place]);
            if (!(time < *t)) return;
            room.next[lane] = time;
            if (*t - time > plain_threshold) room.changed = 1;
        });
        block.for_each(plain_lanes, [&](int lane) { room.times[copied(lane)] = room.next[lane]; });
    }
    block.for_each(plain_lanes, [&](int lane) {
        if (!inside(lane)) return;
        field.times[field.at(x + lane / plain_side, z + lane % plain_side)] =
            room.times[copied(lane)];
    });
    return room.changed != 0;
}

/// First half of an iteration: active blocks are iterated. `converged` is set for them.
template <class Block>
FERMAT_HD void visit_plain_block(Block block, const PlainTimes& field, int number,
                                 const std::uint8_t* active, std::uint8_t* converged,
                                 PlainRoom& room) {
    if (active[number] == 0) return;
    const bool changed = iterate_plain_block(block, field, number, plain_rounds, room);
    block.for_each(1, [&](int) { converged[number] = changed ? 0 : 1; });
}

/// Second half: blocks that have not converged stay active, and neighbours of those that have are
/// tried once and become active if a time changes. Returns whether the block is active next.
template <class Block>
FERMAT_HD bool renew_plain_block(Block block, const PlainTimes& field, int number,
                                 const std::uint8_t* active, const std::uint8_t* converged,
                                 std::uint8_t* next, PlainRoom& room) {
    bool stays = active[number] != 0 && converged[number] == 0;
    if (!stays) {
        const int x = number / field.blocks;
        const int z = number % field.blocks;
        bool tried = false;
        for (int side = 0; side < 4; ++side) {
            const int i = x + (side == 0 ? -1 : side == 1 ? 1 : 0);
            const int k = z + (side == 2 ? -1 : side == 3 ? 1 : 0);
            if (i < 0 || k < 0 || i >= field.blocks || k >= field.blocks) continue;
            const int other = i * field.blocks + k;
            tried = tried || (active[other] != 0 && converged[other] != 0);
        }
        if (tried) stays = iterate_plain_block(block, field, number, 1, room);
    }
    block.for_each(1, [&](int) { next[number] = stays ? 1 : 0; });
    return stays;
}

/// A point of a ray.
struct PlainPoint {
    int x = 0;
    int z = 0;
};

/// The way from point to point in the sixteen sectors, from 0 degrees (along x) towards z.
FERMAT_HD inline PlainPoint sector_step(int sector) {
    constexpr signed char steps[16][2] = {{1, 0},  {2, 1},  {1, 1},  {1, 2},   {0, 1},   {-1, 2},
                                          {-1, 1}, {-2, 1}, {-1, 0}, {-2, -1}, {-1, -1}, {-1, -2},
                                          {0, -1}, {1, -2}, {1, -1}, {2, -1}};
    return {steps[sector][0], steps[sector][1]};
}

/// Algorithm 1: a ray from a receiver back to the source, whose points go to `path` of
/// plain_path_length(). Returns their number, or 0 if the ray does not arrive.
FERMAT_HD inline int plain_path_length(int points) { return 2 * points; }
FERMAT_HD inline int trace_plain_ray(const PlainTimes& field, PlainPoint from, PlainPoint source,
                                     PlainPoint* path) {
    constexpr float width = 22.5F;
    const int points = field.side - 1;
    const int most = plain_path_length(points);
    PlainPoint at = from;
    int count = 0;
    path[count++] = at;
    while ((at.x - source.x) * (at.x - source.x) + (at.z - source.z) * (at.z - source.z) > 1) {
        if (count + 1 >= most) return 0;
        const float* const t = field.times + field.at(at.x, at.z);
        const float along_x = 0.5F * ((t[field.side] - t[0]) + (t[field.side + 1] - t[1]));
        const float along_z = 0.5F * ((t[1] - t[0]) + (t[field.side + 1] - t[field.side]));
        // Equation 4; atan2 has the quadrant that the arctangent of a quotient loses.
        constexpr float degrees = 57.29577951F;
        const float angle = degrees * atan2f(along_z, along_x) + 180;
        if (!(angle >= 0)) return 0;  // no wave came here
        const int sector = static_cast<int>(angle / width + 0.5F) % 16;
        const PlainPoint step = sector_step(sector);
        const auto within = [&](int n) { return n < 0 ? 0 : n >= points ? points - 1 : n; };
        at = {within(at.x + step.x), within(at.z + step.z)};
        path[count++] = at;
    }
    if (at.x != source.x || at.z != source.z) path[count++] = source;
    return count;
}

}  // namespace fermat::bench
