#include "bench/measure.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "eikonal/eikonal.hpp"
#include "model/makers.hpp"

namespace fermat::bench {
namespace {

TEST(BenchMeasure, MedianIsTheMiddleOrTheMeanOfBothMiddles) {
    EXPECT_EQ(median({3}), 3);
    EXPECT_EQ(median({9, 1, 5}), 5);
    EXPECT_EQ(median({4, 100, 1, 2}), 3);
}

TEST(BenchMeasure, ErrorsAreThoseOfNodesAwayFromTheSourceThatHaveAClosedForm) {
    const Model model = constant_model({{11, 1, 11}, {}, {1, 1, 1}}, 2);
    const TimeField field = solve(model, {{5, 0, 5}});
    const auto doubled = [](Vec3 p) {
        const double r = distance(p, {5, 0, 5});
        if (p.z > 5) return std::numeric_limits<double>::quiet_NaN();
        return r < 3 ? 1e9 : r;  // twice the time
    };
    const RelativeErrors errors = node_errors(field, 2, doubled);
    EXPECT_NEAR(errors.mean, 0.5, 1e-5);
    EXPECT_NEAR(errors.max, 0.5, 1e-5);
}

TEST(BenchMeasure, ProbeSeesMemoryThatWasTakenAndGivenBack) {
    constexpr std::size_t bytes = std::size_t{64} << 20;
    const MemoryProbe probe;
    { const std::vector<char> block(bytes, 'x'); }
    if (!probe.grown_bytes()) GTEST_SKIP() << "this system does not tell the peak";
    EXPECT_GE(*probe.grown_bytes(), 0.9 * bytes);
    EXPECT_GE(probe.peak_bytes(), *probe.grown_bytes());
}

}  // namespace
}  // namespace fermat::bench
