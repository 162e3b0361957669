// Several devices share the sources of a call, and give the bits of one. Tested with one device
// that is named twice.
#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "core/device.hpp"
#include "core/device_team.hpp"
#include "core/error.hpp"
#include "eikonal/eikonal.hpp"
#include "executions.hpp"
#include "model/makers.hpp"
#include "rays/rays.hpp"
#include "survey/survey.hpp"

namespace fermat {
namespace {

class GpuDevices : public testing::Test {
  protected:
    void SetUp() override {
        if (device_count() == 0) GTEST_SKIP() << "this machine has no CUDA device";
    }
    const Model model =
        random_blocks_model({{61, 41, 33}, {}, {0.1, 0.1, 0.1}}, {2, 5, {4, 4, 4}, 3});

    std::vector<PointSource> sources() const {
        std::vector<PointSource> all;
        for (int n = 0; n < 45; ++n) all.push_back({{0.12 * n, 0.08 * n, 0.05 * n}, 0.1 * n});
        return all;
    }
    std::vector<Vec3> receivers() const {
        std::vector<Vec3> all;
        for (int n = 0; n < 50; ++n) all.push_back({6 - 0.1 * n, 0.07 * n, 0.02 * n});
        return all;
    }
};

TEST_F(GpuDevices, TimesAreThoseOfOneDevice) {
    const std::vector<double> one =
        receiver_times(model, sources(), receivers(), {}, test::on_gpu());
    const DevicesScope twice({0, 0});
    EXPECT_EQ(devices_in_use(), (std::vector{0, 0}));
    EXPECT_EQ(receiver_times(model, sources(), receivers(), {}, test::on_gpu()), one);
}

TEST_F(GpuDevices, RaysAreThoseOfOneDeviceAndComeInTheirOrder) {
    const Survey survey = survey_of(sources(), receivers());
    RayOptions options;
    options.reciprocity = Reciprocity::off;
    const RaySet one = trace_rays(model, survey, options, test::on_gpu());
    const DevicesScope twice({0, 0});
    const RaySet two = trace_rays(model, survey, options, test::on_gpu());
    EXPECT_EQ(two.points, one.points);
    EXPECT_EQ(two.first_point, one.first_point);
    for (std::size_t r = 0; r < one.size(); ++r) EXPECT_EQ(two.rays[r].time, one.rays[r].time);
}

TEST_F(GpuDevices, AnErrorOnOneDeviceEndsTheOther) {
    const DevicesScope twice({0, 0});
    std::atomic<int> seen{0};
    const auto fail = [&] {
        for_each_field(model, sources(), {}, test::on_gpu(), [&](std::size_t, TimeField&&) {
            if (++seen == 3) throw ComputeError("the disk is full");
        });
    };
    EXPECT_THROW(fail(), ComputeError);
}

}  // namespace
}  // namespace fermat
