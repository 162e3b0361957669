// Bending on a CUDA device gives the rays of the CPU up to rounding: both use the same formulas.
#include <gtest/gtest.h>

#include <cmath>

#include "bench/costa_rica.hpp"
#include "core/device.hpp"
#include "core/error.hpp"
#include "executions.hpp"
#include "expect_error.hpp"
#include "model/makers.hpp"
#include "rays/bending/rays.hpp"
#include "rays/integrate.hpp"
#include "rays/rays.hpp"

namespace fermat {
namespace {

class CudaBending : public ::testing::Test {
  protected:
    void SetUp() override {
        if (device_count() == 0) GTEST_SKIP() << "no CUDA device";
    }
};

RaySet on_device(const Model& model, const Survey& survey, const BendingOptions& options = {}) {
    RaySet all;
    bend_rays_cuda(model, survey, options, silent_monitor(), [&](RaySet&& set) {
        for (std::size_t r = 0; r < set.size(); ++r) all.append(set.rays[r], set.path(r));
    });
    return all;
}

RaySet on_cpu(const Model& model, const Survey& survey) {
    RayOptions options;
    options.tracer = Tracer::bending;
    return trace_rays(model, survey, options, test::on_cpu(0));
}

// If two branches of a ray are nearly equal, rounding may choose the other one. Few rays are so,
// and their times differ little.
TEST_F(CudaBending, AgreesWithTheCpuOnTheSet) {
    const bench::LocalSurvey local = bench::costa_rica_survey({300, 129, 20000, 1});
    const RaySet device = on_device(local.model, local.survey);
    const RaySet cpu = on_cpu(local.model, local.survey);
    ASSERT_EQ(device.size(), cpu.size());
    std::size_t apart = 0;
    for (std::size_t n = 0; n < cpu.size(); ++n) {
        const RayInfo& a = device.rays[n];
        const RayInfo& b = cpu.rays[n];
        ASSERT_EQ(a.status, RayStatus::ok);
        ASSERT_EQ(a.source, b.source);
        ASSERT_EQ(a.receiver, b.receiver);
        ASSERT_EQ(device.path(n).front(), cpu.path(n).front());
        ASSERT_EQ(device.path(n).back(), cpu.path(n).back());
        apart += std::abs(a.time / b.time - 1) > 1e-5;
        EXPECT_NEAR(a.time / b.time, 1, 0.02);
        EXPECT_NEAR(integrate_path(local.model, device.path(n)).time, a.time, 1e-9 * a.time);
    }
    EXPECT_LT(apart, cpu.size() / 50);
}

TEST_F(CudaBending, StatusesAndDegeneratePairs) {
    const Grid grid{{41, 1, 21}, {}, {0.5, 0.5, 0.5}};
    Field<float> velocity(grid.shape, 3);
    for (int k = 0; k <= 8; ++k) velocity(20, 0, k) = velocity(21, 0, k) = 0;
    const Model model(grid, std::move(velocity));
    const std::vector<PointSource> sources{{{2, 0, 0}, 1.5}, {{10.25, 0, 1}, 0}};
    const std::vector<Vec3> receivers{{16, 0, 0}, {10.25, 0, 2}, {2, 0, 0}};
    const std::vector<RayPair> pairs = all_pairs(2, 3);
    const RaySet device = on_device(model, survey_of(sources, receivers, pairs));
    const RaySet cpu = on_cpu(model, survey_of(sources, receivers, pairs));
    for (std::size_t n = 0; n < cpu.size(); ++n) {
        EXPECT_EQ(device.rays[n].status, cpu.rays[n].status) << n;
        EXPECT_EQ(device.path(n).size(), cpu.path(n).size()) << n;
        if (cpu.rays[n].status == RayStatus::ok) {
            EXPECT_NEAR(device.rays[n].time, cpu.rays[n].time, 1e-5 * cpu.rays[n].time) << n;
        }
    }
    test::expect_error<InputError>(
        [&] {
            on_device(model, survey_of(sources, receivers, pairs), {{RayStart::descent}, 0, {}});
        },
        "start 'descent' is made on the CPU");
}

}  // namespace
}  // namespace fermat
