#pragma once

// Layered media for the tests of later phases.

#include <cmath>
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

/// A basin of one velocity above a crust of P and S with anomalies, interfaces with relief, 60 x 60
/// x 30 km.
inline LayeredMedium basin_over_crust() {
    const Grid grid{{41, 41, 31}, {0, 0, 0}, {1.5, 1.5, 1}};
    const auto basin = [](double x, double y) { return 6 + std::sin(x / 8) * std::cos(y / 9); };
    const auto moho = [](double x, double y) {
        return 22 + 1.5 * std::sin(x / 9) * std::cos(y / 11);
    };
    const auto crust = [](Vec3 p) { return 5 + 0.05 * p.z + 0.1 * std::sin(p.x / 8); };
    const auto slow = [&](Vec3 p) { return crust(p) / 1.75; };
    return LayeredMedium(
        {Interface::flat("surface", 0), relief("basin", grid, basin), relief("moho", grid, moho)},
        {{uniform(grid, 4), uniform(grid, 2.2)},
         {model_of(grid, crust), model_of(grid, slow)},
         {uniform(grid, 8), uniform(grid, 4.6)}});
}

}  // namespace fermat::test
