#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/error.hpp"
#include "expect_error.hpp"
#include "model/makers.hpp"

namespace fermat {
namespace {

using test::expect_error;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// FNV-1a hash of the bit patterns: any changed bit changes it.
std::uint64_t checksum(const Model& model) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const float v : model.velocity()) {
        hash = (hash ^ std::bit_cast<std::uint32_t>(v)) * 0x100000001b3U;
    }
    return hash;
}

const Grid box{{40, 30, 20}, {}, {0.5, 0.5, 0.5}};
const Grid section{{200, 1, 100}, {}, {1, 1, 1}};

TEST(RandomSmooth, TheSameSeedGivesTheSameBitsOnEveryMachine) {
    const RandomSmoothOptions options{
        .velocity = 3, .amplitude = 0.3, .correlation = 2.5, .seed = 7};
    EXPECT_EQ(checksum(random_smooth_model(box, options)), 17620212153599976241U);
    const RandomSmoothOptions flat{.velocity = 2, .amplitude = 0.2, .correlation = 8, .seed = 1};
    EXPECT_EQ(checksum(random_smooth_model(section, flat)), 7538673589964121883U);
}

TEST(RandomSmooth, AnotherSeedGivesAnotherMedium) {
    const Model a = random_smooth_model(section, {.correlation = 5, .seed = 1});
    const Model b = random_smooth_model(section, {.correlation = 5, .seed = 2});
    EXPECT_NE(checksum(a), checksum(b));
}

TEST(RandomSmooth, StaysInItsBoundReachesItAndHasItsMean) {
    for (const Grid& grid : {box, section}) {
        const Model model = random_smooth_model(
            grid, {.velocity = 4, .amplitude = 0.3, .correlation = 3, .seed = 3});
        double sum = 0;
        double farthest = 0;
        for (const float v : model.velocity()) {
            sum += v;
            farthest = std::max(farthest, std::abs(v - 4.0));
        }
        EXPECT_NEAR(farthest, 1.2, 1e-6);
        EXPECT_NEAR(sum / static_cast<double>(grid.node_count()), 4, 1e-6);
    }
}

/// Autocorrelation along x at a lag in nodes, over a periodic grid.
double autocorrelation(const Model& model, double mean, int lag) {
    const Shape s = model.grid().shape;
    double product = 0;
    double square = 0;
    for (int i = 0; i < s.x; ++i) {
        for (int j = 0; j < s.y; ++j) {
            for (int k = 0; k < s.z; ++k) {
                const double a = model.velocity()(i, j, k) - mean;
                const double b = model.velocity()((i + lag) % s.x, j, k) - mean;
                product += a * b;
                square += a * a;
            }
        }
    }
    return product / square;
}

TEST(RandomSmooth, AutocorrelationFallsToOneOverEAtTheCorrelationLength) {
    // The spacings differ, but the correlation length is equal along both axes.
    const Grid grid{{600, 1, 300}, {}, {0.5, 1, 1}};
    double near = 0;
    double at_length = 0;
    double far = 0;
    constexpr int seeds = 8;
    for (int seed = 1; seed <= seeds; ++seed) {
        const Model model = random_smooth_model(grid, {.velocity = 2,
                                                       .amplitude = 0.2,
                                                       .correlation = 10,
                                                       .seed = static_cast<std::uint64_t>(seed)});
        near += autocorrelation(model, 2, 10) / seeds;
        at_length += autocorrelation(model, 2, 20) / seeds;
        far += autocorrelation(model, 2, 80) / seeds;
    }
    EXPECT_NEAR(near, std::exp(-0.25), 0.04);
    EXPECT_NEAR(at_length, std::exp(-1), 0.04);
    EXPECT_NEAR(far, 0, 0.04);
}

TEST(RandomSmooth, ACorrelationLongerThanASideMakesItConstantAlongThatSide) {
    const Grid thin{{100, 1, 5}, {}, {1, 1, 1}};
    const Model model = random_smooth_model(thin, {.correlation = 20});
    for (int i = 0; i < 100; ++i) {
        EXPECT_FLOAT_EQ(model.velocity()(i, 0, 0), model.velocity()(i, 0, 4));
    }
    EXPECT_NE(model.velocity()(0, 0, 0), model.velocity()(50, 0, 0));
}

TEST(RandomSmooth, RefusesWhatCannotBeMade) {
    expect_error<InputError>([] { random_smooth_model(box, {.correlation = 0.5}); }, "0.5",
                             "at least 1");
    expect_error<InputError>([] { random_smooth_model(box, {.correlation = 50}); }, "50",
                             "at most 19.5");
    expect_error<InputError>([] { random_smooth_model(box, {.correlation = nan}); }, "nan");
    expect_error<InputError>([] { random_smooth_model(box, {.velocity = -1}); }, "-1");
    expect_error<InputError>([] { random_smooth_model(box, {.amplitude = 1}); }, "amplitude is 1");
    expect_error<InputError>([] { random_smooth_model({}, {}); }, "along x");
}

TEST(RandomBlocks, TheSameSeedGivesTheSameBitsOnEveryMachine) {
    EXPECT_EQ(checksum(random_blocks_model(box, {.block = {5, 4, 3}, .seed = 11})),
              17727594970769639361U);
    EXPECT_NE(checksum(random_blocks_model(box, {.block = {5, 4, 3}, .seed = 12})),
              17727594970769639361U);
}

TEST(RandomBlocks, AreConstantInsideAndSpanTheRange) {
    const Model model = random_blocks_model(section, {.v_min = 1, .v_max = 10, .block = {4, 0, 5}});
    float low = 100;
    float high = 0;
    for (int i = 0; i < 200; ++i) {
        for (int k = 0; k < 100; ++k) {
            const float v = model.velocity()(i, 0, k);
            EXPECT_EQ(v, model.velocity()(i / 4 * 4, 0, k / 5 * 5));
            low = std::min(low, v);
            high = std::max(high, v);
        }
    }
    EXPECT_GE(low, 1);
    EXPECT_LE(high, 10);
    EXPECT_LT(low, 1.1F);
    EXPECT_GT(high, 9.9F);
}

TEST(RandomBlocks, RefusesBadRangesAndBlocks) {
    expect_error<InputError>([] { random_blocks_model(box, {.v_min = 3, .v_max = 2}); }, "v_max");
    expect_error<InputError>([] { random_blocks_model(box, {.v_min = 0}); }, "v_min is 0");
    expect_error<InputError>([] { random_blocks_model(box, {.v_max = nan}); }, "v_max is nan");
    expect_error<InputError>([] { random_blocks_model(box, {.block = {4, 0, 4}}); }, "along y");
}

}  // namespace
}  // namespace fermat
