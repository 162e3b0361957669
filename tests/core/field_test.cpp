#include "core/field.hpp"
#include "interpolate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <type_traits>

namespace fermat {
namespace {

static_assert(!std::is_copy_constructible_v<Field<float>>, "a copy is asked for by name");
static_assert(std::is_convertible_v<FieldView<float>, FieldView<const float>>);
static_assert(!std::is_convertible_v<FieldView<const float>, FieldView<float>>);
static_assert(!std::is_convertible_v<FieldView<float>, FieldView<float, Space::device>>,
              "a host pointer cannot reach a kernel");

/// A multilinear function, which interpolation must reproduce.
double multilinear(Vec3 p) {
    return 2 - 3 * p.x + 0.5 * p.y + 4 * p.z + p.x * p.y - 2 * p.y * p.z + 0.3 * p.x * p.z -
           0.7 * p.x * p.y * p.z;
}

Field<double> sampled(const Grid& grid) {
    Field<double> values(grid.shape);
    for (int i = 0; i < grid.shape.x; ++i) {
        for (int j = 0; j < grid.shape.y; ++j) {
            for (int k = 0; k < grid.shape.z; ++k) {
                values(i, j, k) = multilinear(grid.position({i, j, k}));
            }
        }
    }
    return values;
}

void expect_exact(const Grid& grid) {
    const Field<double> values = sampled(grid);
    const Vec3 far = grid.far_corner();
    for (double u = 0; u <= 1; u += 0.125) {
        for (double v = 0; v <= 1; v += 0.25) {
            for (double w = 0; w <= 1; w += 0.1) {
                const Vec3 p{grid.origin.x + u * (far.x - grid.origin.x),
                             grid.origin.y + v * (far.y - grid.origin.y),
                             grid.origin.z + w * (far.z - grid.origin.z)};
                EXPECT_NEAR(interpolate(grid, values.view(), p), multilinear(p), 1e-12);
            }
        }
    }
    EXPECT_NEAR(interpolate(grid, values.view(), far), multilinear(far), 1e-12);
}

TEST(Interpolation, IsExactForMultilinearFunctionsIn3d) {
    expect_exact({{5, 4, 7}, {-1, 0.5, 2}, {0.3, 0.7, 0.2}});
}

TEST(Interpolation, IsExactForMultilinearFunctionsIn2d) {
    expect_exact({{9, 1, 6}, {3, 0.25, -2}, {0.11, 1, 0.5}});
}

TEST(Interpolation, IgnoresCornersOfWeightZero) {
    // An infinite time at a neighbour must not turn a node's value into NaN.
    const Grid grid{{3, 1, 3}, {}, {1, 1, 1}};
    Field<float> values(grid.shape, std::numeric_limits<float>::infinity());
    values(1, 0, 1) = 5;
    EXPECT_EQ(interpolate(grid, values.view(), {1, 0, 1}), 5);
    EXPECT_TRUE(std::isinf(interpolate(grid, values.view(), {1.5, 0, 1})));
}

TEST(Field, CopiesOwnTheirValues) {
    Field<float> a({2, 3, 4}, 1.5F);
    Field<float> b = a.copy();
    b(1, 2, 3) = 7;
    EXPECT_EQ(a(1, 2, 3), 1.5F);
    EXPECT_EQ(b.shape(), a.shape());
}

TEST(Field, ViewsSeeTheOwnersValues) {
    Field<float> a({2, 3, 4}, 0.0F);
    const FieldView<float> view = a;
    view(1, 0, 2) = 3;
    EXPECT_EQ(a[a.shape().offset(1, 0, 2)], 3);
    const FieldView<const float> reader = view;
    EXPECT_EQ(reader(Index3{1, 0, 2}), 3);
}

TEST(Field, ReleaseLeavesAnEmptyField) {
    Field<float> a({2, 1, 2}, 4.0F);
    const std::unique_ptr<float[]> memory = a.release();
    EXPECT_TRUE(a.empty());
    EXPECT_EQ(memory[3], 4);
}

#if defined(FERMAT_CHECKED)
TEST(FieldDeathTest, ViewsEndTheProgramBeyondTheirBounds) {
    Field<float> field({2, 1, 3}, 0);
    EXPECT_DEATH(field[6] = 1, "expected n < size");
    EXPECT_DEATH(field(1, 0, -1) = 1, "expected shape_.contains");
    const FieldView<const float> view = field;
    EXPECT_DEATH(static_cast<void>(view(2, 0, 0)), "expected shape_.contains");
}
#endif

}  // namespace
}  // namespace fermat
