#pragma once

// Layered media for the tests of later phases.

#include <functional>
#include <vector>

#include "model/layered_medium.hpp"

namespace fermat::test {

/// A model whose velocity is a function of the place of its nodes.
inline Model model_of(const Grid& grid, const std::function<double(Vec3)>& velocity) {
    Field<float> values(grid.shape);
    for (int i = 0; i < grid.shape.x; ++i) {
        for (int j = 0; j < grid.shape.y; ++j) {
            for (int k = 0; k < grid.shape.z; ++k) {
                values(i, j, k) = static_cast<float>(velocity(grid.position({i, j, k})));
            }
        }
    }
    return Model(grid, std::move(values));
}

inline Model uniform(const Grid& grid, double velocity) {
    return model_of(grid, [&](Vec3) { return velocity; });
}

/// An interface whose depth is a function of x (and y), at the columns of a grid.
inline Interface relief(std::string id, const Grid& grid,
                        const std::function<double(double, double)>& depth) {
    const Lattice at = columns_of(Place(grid));
    std::vector<double> values;
    for (int i = 0; i < at.nx; ++i) {
        for (int j = 0; j < at.ny; ++j) values.push_back(depth(at.x(i), at.y(j)));
    }
    return Interface(std::move(id), at, std::move(values));
}

/// Sediments (3 km/s), crust (6) and mantle (8), flat, 200 x 50 km.
inline LayeredMedium crust() {
    const Grid grid{{201, 1, 51}, {0, 0, 0}, {1, 1, 1}};
    const auto layer = [&](double v) { return Layer{uniform(grid, v), uniform(grid, v / 1.75)}; };
    return LayeredMedium({Interface::flat("surface", 0), Interface::flat("sediments", 4),
                          Interface::flat("moho", 30)},
                         {layer(3), layer(6), layer(8)});
}

}  // namespace fermat::test
