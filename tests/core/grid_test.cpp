#include "core/grid.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "expect_error.hpp"

namespace fermat {
namespace {

using test::expect_error;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

const Grid box{{4, 5, 6}, {-1, 2, 10}, {0.5, 0.25, 2}};
const Grid section{{4, 1, 6}, {-1, 7, 10}, {0.5, 1, 2}};

TEST(Grid, PositionAndIndexAreInverse) {
    for (const Grid& grid : {box, section}) {
        for (int i = 0; i < grid.shape.x; ++i) {
            for (int j = 0; j < grid.shape.y; ++j) {
                for (int k = 0; k < grid.shape.z; ++k) {
                    const Vec3 p = grid.position({i, j, k});
                    EXPECT_EQ(grid.to_index(p), (Vec3{double(i), double(j), double(k)}));
                    EXPECT_EQ(grid.nearest_node(p), (Index3{i, j, k}));
                }
            }
        }
    }
}

TEST(Grid, NodesAreInCOrderWithZFastest) {
    std::size_t expected = 0;
    for (int i = 0; i < box.shape.x; ++i) {
        for (int j = 0; j < box.shape.y; ++j) {
            for (int k = 0; k < box.shape.z; ++k) {
                EXPECT_EQ(box.shape.offset(i, j, k), expected++);
            }
        }
    }
    EXPECT_EQ(expected, box.node_count());
}

TEST(Grid, OffsetsOfLargeShapesDoNotOverflowInt) {
    const Shape shape{4000, 4000, 4000};
    EXPECT_EQ(shape.count(), 64'000'000'000U);
    EXPECT_EQ(shape.offset(3999, 3999, 3999), shape.count() - 1);
}

TEST(Grid, TwoDimensionsAreOneNodeAlongY) {
    EXPECT_TRUE(section.is_2d());
    EXPECT_EQ(section.dimensions(), 2);
    EXPECT_EQ(section.cell_shape(), (Shape{3, 1, 5}));
    EXPECT_EQ(box.dimensions(), 3);
    EXPECT_EQ(box.cell_shape(), (Shape{3, 4, 5}));
    EXPECT_EQ(to_string(section.shape), "(4, 6)");
    EXPECT_EQ(to_string(box.shape), "(4, 5, 6)");
}

TEST(Grid, YOfAPointDoesNotMatterIn2d) {
    EXPECT_TRUE(section.contains({0, 1e9, 12}));
    EXPECT_EQ(locate(section, {0, 1e9, 12}).cell, (Index3{2, 0, 1}));
    EXPECT_EQ(locate(section, {0, 1e9, 12}).fraction.y, 0);
    EXPECT_EQ(section.clamp({0, 1e9, 12}).y, 7);
}

TEST(Grid, LocateGivesACellAndFractionsThatRebuildThePoint) {
    for (const Vec3 p : {Vec3{-0.9, 2.3, 10.5}, Vec3{0.1, 2.99, 19.9}, Vec3{-0.5, 2.5, 14}}) {
        const CellPoint at = locate(box, p);
        const Vec3 low = box.position(at.cell);
        for (int axis = 0; axis < 3; ++axis) {
            EXPECT_GE(at.fraction[axis], 0);
            EXPECT_LE(at.fraction[axis], 1);
            EXPECT_NEAR(low[axis] + at.fraction[axis] * box.spacing[axis], p[axis], 1e-13);
        }
    }
}

TEST(Grid, FacesAndCornersBelongToACellOfTheGrid) {
    const CellPoint origin = locate(box, box.origin);
    EXPECT_EQ(origin.cell, (Index3{0, 0, 0}));
    EXPECT_EQ(origin.fraction, (Vec3{0, 0, 0}));
    // There is no cell behind the far face: its points are at fraction 1 of the last cell.
    const CellPoint far = locate(box, box.far_corner());
    EXPECT_EQ(far.cell, (Index3{2, 3, 4}));
    EXPECT_EQ(far.fraction, (Vec3{1, 1, 1}));
    const CellPoint face = locate(box, {box.far_corner().x, 2.3, 10});
    EXPECT_EQ(face.cell, (Index3{2, 1, 0}));
    EXPECT_EQ(face.fraction.x, 1);
    EXPECT_EQ(face.fraction.z, 0);
}

TEST(Grid, LocateClampsPointsOutside) {
    const CellPoint at = locate(box, {-1e300, 1e300, 0});
    EXPECT_EQ(at.cell, (Index3{0, 3, 0}));
    EXPECT_EQ(at.fraction, (Vec3{0, 1, 0}));
}

TEST(Grid, ContainsTheClosedBoxAndForgivesRoundingOnly) {
    const Vec3 far = box.far_corner();
    EXPECT_TRUE(box.contains(box.origin));
    EXPECT_TRUE(box.contains(far));
    for (int axis = 0; axis < 3; ++axis) {
        Vec3 p = far;
        p[axis] += 1e-8 * box.spacing[axis];
        EXPECT_TRUE(box.contains(p));
        EXPECT_EQ(box.clamp(p), far);
        p[axis] = far[axis] + 1e-3 * box.spacing[axis];
        EXPECT_FALSE(box.contains(p));
        p[axis] = box.origin[axis] - 1e-3 * box.spacing[axis];
        EXPECT_FALSE(box.contains(p));
        p[axis] = nan;
        EXPECT_FALSE(box.contains(p));
        p[axis] = inf;
        EXPECT_FALSE(box.contains(p));
    }
}

TEST(Grid, ContainsPointsWrittenInDecimals) {
    const Grid grid{{129, 129, 129}, {}, {0.1, 0.1, 0.1}};
    EXPECT_TRUE(grid.contains({12.8, 12.8, 12.8}));
    EXPECT_TRUE(grid.contains({0.1 * 128, 0, 12.800000000000002}));
}

TEST(Grid, NearestNodeOfPointsOutsideIsOnTheFace) {
    EXPECT_EQ(box.nearest_node({-50, 2.3, 500}), (Index3{0, 1, 5}));
}

TEST(Grid, CornerWeightsAddUpToOneAndStayInTheGrid) {
    for (const Grid& grid : {box, section}) {
        for (const Vec3 p : {grid.origin, grid.far_corner(), Vec3{-0.3, 2.6, 13.7}}) {
            double sum = 0;
            int corners = 0;
            for_each_corner(grid, p, [&](Index3 n, double weight) {
                for (int axis = 0; axis < 3; ++axis) {
                    EXPECT_GE(n[axis], 0);
                    EXPECT_LT(n[axis], grid.shape[axis]);
                }
                EXPECT_GE(weight, 0);
                sum += weight;
                ++corners;
            });
            EXPECT_EQ(corners, grid.is_2d() ? 4 : 8);
            EXPECT_NEAR(sum, 1, 1e-15);
        }
    }
}

TEST(GridValidation, NamesTheAxisAndTheValue) {
    EXPECT_NO_THROW(validate(box));
    EXPECT_NO_THROW(validate(section));
    expect_error<InputError>([] { validate(Grid{{1, 5, 6}, {}, {1, 1, 1}}); }, "along x", "1");
    expect_error<InputError>([] { validate(Grid{{5, 0, 6}, {}, {1, 1, 1}}); }, "along y", "0");
    expect_error<InputError>([] { validate(Grid{{5, 5, -3}, {}, {1, 1, 1}}); }, "along z", "-3");
    expect_error<InputError>([] { validate(Grid{{5, 5, 5}, {}, {1, 0, 1}}); }, "spacing along y");
    expect_error<InputError>(
        [] {
            validate(Grid{{5, 5, 5}, {}, {1, 1, nan}});
        },
        "spacing along z", "nan");
    expect_error<InputError>(
        [] {
            validate(Grid{{5, 5, 5}, {}, {inf, 1, 1}});
        },
        "spacing along x", "inf");
    expect_error<InputError>(
        [] {
            validate(Grid{{5, 5, 5}, {0, 0, inf}, {1, 1, 1}});
        },
        "origin along z");
}

TEST(GridValidation, RefusesAbsurdSizes) {
    const int huge = std::numeric_limits<int>::max();
    expect_error<InputError>([&] { validate(Grid{{huge, huge, huge}, {}, {1, 1, 1}}); }, "nodes");
}

}  // namespace
}  // namespace fermat
