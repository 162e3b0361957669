#include "model/cell_medium.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "cell_models.hpp"
#include "core/error.hpp"
#include "expect_error.hpp"

namespace fermat {
namespace {

using test::expect_error;
using test::of_cells;

const Grid box{{6, 5, 9}, {}, {1, 1, 1}};
const Grid section{{6, 1, 9}, {}, {1, 1, 1}};

Model layers(const Grid& grid) {
    return of_cells(grid, [](int, int, int k) { return k < 4 ? 2.0F : 5.0F; });
}

TEST(CellMedium, NamesTheFirstBadCellAndTheShape) {
    expect_error<InputError>(
        [] { of_cells(box, [](int i, int, int k) { return i == 4 && k == 7 ? -1.0F : 2.0F; }); },
        "cell (4, 0, 7)", "-1");
    expect_error<InputError>([] { of_cells(section, [](int, int, int) { return 0.0F; }); },
                             "every cell");
    expect_error<InputError>([] { Model::of_cells(box, Field<float>(box.shape, 2.0F)); },
                             "(6, 5, 9)", "(5, 4, 8) cells");
}

TEST(CellMedium, NodesOfASmoothBodyHoldItsVelocityUpToTheFaces) {
    for (const Grid& grid : {box, section}) {
        const Model model = of_cells(grid, [](int i, int, int k) {
            return static_cast<float>(4 + 0.02 * (i + 0.5) + 0.03 * (k + 0.5));
        });
        ASSERT_NE(model.cells(), nullptr);
        EXPECT_TRUE(model.cells()->jumps.empty());
        for (int i = 0; i < grid.shape.x; ++i) {
            for (int k = 0; k < grid.shape.z; ++k) {
                EXPECT_NEAR(model.velocity()(i, 0, k), 4 + 0.02 * i + 0.03 * k, 2e-4);
            }
        }
        EXPECT_NEAR(slowness_at(model, {1.3, 0, 2.8}), 1 / (4 + 0.02 * 1.3 + 0.03 * 2.8), 2e-5);
    }
}

TEST(CellMedium, JumpsAreSeenByNodesWhoseStencilsMeetThem) {
    for (const Grid& grid : {box, section}) {
        const Model model = layers(grid);
        for (int k = 0; k < grid.shape.z; ++k) {
            EXPECT_EQ(model.jumping_cells().jumps(2, 0, k) != 0, k >= 3 && k <= 5) << k;
        }
    }
    // One cell differs: marks the nodes that touch it and the next ones along each axis.
    const Model odd =
        of_cells(box, [](int i, int j, int k) { return i == 2 && j == 1 && k == 4 ? 3.0F : 2.0F; });
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 5; ++j) {
            for (int k = 0; k < 9; ++k) {
                const auto off = [](int n, int cell) { return n < cell ? cell - n : n - cell - 1; };
                const int x = std::max(0, off(i, 2));
                const int y = std::max(0, off(j, 1));
                const int z = std::max(0, off(k, 4));
                EXPECT_EQ(odd.jumping_cells().jumps(i, j, k) != 0, x + y + z <= 1)
                    << i << ' ' << j << ' ' << k;
            }
        }
    }
}

TEST(CellMedium, OctantsSeeTheirOwnBody) {
    const Model model = layers(section);
    const auto cells = model.cells()->velocity;
    EXPECT_EQ(octant_velocity<2>(cells, {2, 0, 4}, 0), 2);
    EXPECT_EQ(octant_velocity<2>(cells, {2, 0, 4}, 4), 5);
    EXPECT_EQ(octant_velocity<2>(cells, {0, 0, 4}, 0), 0);
    // A gradient below an interface: the node is half a cell from the middle of the cell.
    const Model deep = of_cells(section, [](int, int, int k) {
        return k < 4 ? 2.0F : static_cast<float>(5 + 0.1 * (k + 0.5 - 4));
    });
    EXPECT_NEAR(octant_velocity<2>(deep.cells()->velocity, {2, 0, 4}, 4), 5, 1e-5);
}

TEST(CellMedium, SlownessIsSharpBesideAJump) {
    for (const Grid& grid : {box, section}) {
        const Model model = layers(grid);
        EXPECT_NEAR(slowness_at(model, {1.5, 0, 3.9}), 0.5, 1e-6);
        EXPECT_NEAR(slowness_at(model, {1.5, 0, 4.1}), 0.2, 1e-6);
        EXPECT_NEAR(slowness_at(model, {1.5, 0, 4}), 0.2, 1e-6);
    }
}

TEST(CellMedium, AirIsWhereEveryCellTouchedIsAir) {
    const Model model = of_cells(section, [](int, int, int k) { return k < 3 ? 0.0F : 2.0F; });
    EXPECT_TRUE(model.has_air());
    EXPECT_TRUE(in_air(model, {1.5, 0, 2.5}));
    EXPECT_FALSE(in_air(model, {1.5, 0, 3}));
    EXPECT_TRUE(model.is_air({1, 0, 2}));
    EXPECT_EQ(model.velocity()(1, 0, 3), 2);
}

TEST(CellMedium, IsKeptByCopiesAndLeftByAsNodes) {
    const Model model = layers(box);
    EXPECT_EQ(model.copy().cells()->velocity(1, 1, 3), 2);
    EXPECT_EQ(model.given().shape(), box.cell_shape());
    const Model nodes = as_nodes(model);
    EXPECT_EQ(nodes.cells(), nullptr);
    EXPECT_NEAR(nodes.velocity()(1, 1, 4), 2 / (0.5 + 0.2), 1e-6);
    require_nodes(nodes, "bending");
    expect_error<InputError>([&] { require_nodes(model, "bending"); }, "bending", "cells");
}

}  // namespace
}  // namespace fermat
