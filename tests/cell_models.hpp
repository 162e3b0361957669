#pragma once

#include <random>
#include <utility>
#include <vector>

#include "model/model.hpp"

namespace fermat::test {

/// Makes a model of cells from a function of their indices.
template <class Velocity>
Model of_cells(const Grid& grid, Velocity velocity) {
    Field<float> cells(grid.cell_shape());
    for (int i = 0; i < cells.shape().x; ++i) {
        for (int j = 0; j < cells.shape().y; ++j) {
            for (int k = 0; k < cells.shape().z; ++k) {
                cells(i, j, k) = static_cast<float>(velocity(i, j, k));
            }
        }
    }
    return Model::of_cells(grid, std::move(cells));
}

/// Blocks of three cells with velocities from 1 to 5, one block in eight of air. There is rock
/// around node (7, 0, 7).
inline Model rough_cells(const Grid& grid, unsigned seed) {
    std::mt19937 random(seed);
    const Shape cells = grid.cell_shape();
    std::vector<float> blocks(cells.count());
    for (float& v : blocks) {
        v = random() % 8 == 0 ? 0 : 1 + 4 * static_cast<float>(random() % 1000) / 1000;
    }
    return of_cells(grid, [&](int i, int j, int k) {
        const bool near = i / 3 == 2 && j / 3 == 0 && k / 3 == 2;
        return near ? 2.0F : blocks[cells.offset(i / 3, j / 3, k / 3)];
    });
}

}  // namespace fermat::test
