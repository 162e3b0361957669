#include "model/model.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "core/error.hpp"
#include "core/version.hpp"
#include "expect_error.hpp"
#include "model/model_cuda.hpp"

namespace fermat {
namespace {

using test::expect_error;
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float inf = std::numeric_limits<float>::infinity();

const Grid box{{4, 3, 8}, {}, {1, 1, 1}};
const Grid section{{4, 1, 8}, {}, {1, 1, 1}};

Model with_value_at(const Grid& grid, Index3 node, float value) {
    Field<float> velocity(grid.shape, 2.0F);
    velocity(node) = value;
    return Model(grid, std::move(velocity));
}

TEST(Model, NamesTheFirstBadNode) {
    for (const float bad : {-1.25F, nan, inf, -inf}) {
        expect_error<InputError>(
            [&] {
                with_value_at(box, {3, 0, 7}, bad);
            },
            "(3, 0, 7)", "0 for air");
        expect_error<InputError>([&] { with_value_at(section, {3, 0, 7}, bad); }, "(3, 7)");
    }
    expect_error<InputError>([] { with_value_at(box, {3, 0, 7}, -1.25F); }, "-1.25");
    Field<float> two_bad(box.shape, -1.0F);
    two_bad(0, 0, 0) = 1;
    expect_error<InputError>([&] { Model(box, std::move(two_bad)); }, "(0, 0, 1)");
}

TEST(Model, TakesZeroForAirButNotOnlyAir) {
    const Model model = with_value_at(box, {1, 1, 1}, 0);
    EXPECT_TRUE(model.has_air());
    EXPECT_TRUE(model.is_air({1, 1, 1}));
    EXPECT_FALSE(model.is_air({1, 1, 2}));
    EXPECT_FALSE(with_value_at(box, {1, 1, 1}, 1).has_air());
    expect_error<InputError>([] { Model(box, Field<float>(box.shape, 0.0F)); }, "all air");
}

TEST(Model, ShapeErrorsSayWhatWasExpectedAndWhatCame) {
    expect_error<InputError>(
        [] {
            Model(box, Field<float>({3, 2, 7}, 1.0F));
        },
        "(3, 2, 7)", "(4, 3, 8)", "nodes");
    expect_error<InputError>(
        [] {
            Model({{1, 1, 1}, {}, {1, 1, 1}}, Field<float>({1, 1, 1}, 1));
        },
        "along x");
}

TEST(Model, KeepsTheOwnerOfMemoryThatItDoesNotCopy) {
    auto values = std::make_shared<Field<float>>(box.shape, 2.0F);
    const float* const memory = values->data();
    const std::weak_ptr<Field<float>> watched = values;
    {
        const Model model(box, std::as_const(*values).view(), values);
        values.reset();
        EXPECT_EQ(model.velocity().data(), memory);
        EXPECT_FALSE(watched.expired());
        const Model other = model.copy();
        EXPECT_NE(other.velocity().data(), memory);
        EXPECT_EQ(other.velocity()(3, 2, 7), 2.0F);
    }
    EXPECT_TRUE(watched.expired());
}

TEST(CudaModel, IsASentenceInABuildWithoutCuda) {
    if (build::cuda != "no") GTEST_SKIP() << "CUDA is in this build";
    expect_error<InputError>(
        [] {
            CudaModel(box, {nullptr, box.shape});
        },
        "CUDA is not in this build");
    expect_error<InputError>(
        [] {
            CudaModel(box, {nullptr, section.shape});
        },
        "velocity has shape");
}

TEST(Model, SlownessIsMultilinearBetweenNodes) {
    const Model model = with_value_at(section, {1, 0, 1}, 4);
    EXPECT_DOUBLE_EQ(slowness_at(model, {1, 0, 1}), 0.25);
    EXPECT_DOUBLE_EQ(slowness_at(model, {1.5, 0, 1}), 0.375);
    EXPECT_DOUBLE_EQ(slowness_at(model, {1.5, 0, 1.5}), 0.4375);
    EXPECT_DOUBLE_EQ(slowness_at(model, section.far_corner()), 0.5);
}

TEST(Model, SlownessLeavesAirOut) {
    const Model model = with_value_at(section, {1, 0, 1}, 0);
    EXPECT_DOUBLE_EQ(slowness_at(model, {1.25, 0, 1}), 0.5);
    EXPECT_FALSE(in_air(model, {1.25, 0, 1}));
    EXPECT_TRUE(in_air(model, {1, 0, 1}));
}

}  // namespace
}  // namespace fermat
