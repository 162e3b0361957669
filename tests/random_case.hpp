#pragma once

#include <cstdlib>
#include <random>
#include <utility>

#include "model/makers.hpp"

namespace fermat::test {

/// The kind of a random case: nodes per side, and air: one node in `air_one_in` (0: none).
struct CaseKind {
    int least_nodes = 3;
    int most_nodes_2d = 0;
    int most_nodes_3d = 0;
    int air_one_in = 0;
};

/// Blocks of random velocity on a grid of random size and spacing, with a source in rock between
/// nodes. `node` is the node before it, also in rock.
struct RandomCase {
    Model model;
    Index3 node;
    Vec3 source;
};

inline RandomCase random_case(unsigned seed, int dimensions, const CaseKind& kind) {
    std::mt19937 random(seed);
    const auto between = [&](int low, int high) {
        return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
    };
    const int least = kind.least_nodes;
    const int most = dimensions == 3 ? kind.most_nodes_3d : kind.most_nodes_2d;
    const Grid grid{
        {between(least, most), dimensions == 3 ? between(least, most) : 1, between(least, most)},
        {1, -2, 3},
        {1, 0.1 * between(7, 15), 0.1 * between(7, 15)}};
    const Model blocks =
        random_blocks_model(grid, {1, 5, {between(1, 9), between(1, 9), between(1, 9)}, random()});
    const Index3 at{between(0, grid.shape.x - 2),
                    dimensions == 3 ? between(0, grid.shape.y - 2) : 0,
                    between(0, grid.shape.z - 2)};
    const bool air = kind.air_one_in > 0;
    const auto one_in = static_cast<unsigned>(kind.air_one_in);
    Field<float> velocity(grid.shape);
    for (int i = 0; i < grid.shape.x; ++i) {
        for (int j = 0; j < grid.shape.y; ++j) {
            for (int k = 0; k < grid.shape.z; ++k) {
                const bool near =
                    std::abs(i - at.x) < 3 && std::abs(j - at.y) < 3 && std::abs(k - at.z) < 3;
                velocity(i, j, k) =
                    air && !near && random() % one_in == 0 ? 0 : blocks.velocity()(i, j, k);
            }
        }
    }
    Vec3 source = grid.position(at);
    for (int axis = 0; axis < 3; ++axis) {
        if (grid.shape[axis] > 1) source[axis] += 0.25 * between(0, 3) * grid.spacing[axis];
    }
    return {Model(grid, std::move(velocity)), at, source};
}

}  // namespace fermat::test
