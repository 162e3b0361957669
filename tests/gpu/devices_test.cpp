// Several devices share the sources of a call, and give the bits of one. Tested with one device
// that is named twice.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <mutex>
#include <utility>
#include <vector>

#include "core/device.hpp"
#include "core/device_team.hpp"
#include "core/error.hpp"
#include "eikonal/adjoint/adjoint.hpp"
#include "eikonal/eikonal.hpp"
#include "executions.hpp"
#include "graph/graph.hpp"
#include "model/makers.hpp"
#include "rays/rays.hpp"
#include "survey/survey.hpp"
#include "tomography/adjoint/pick_gradient.hpp"

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

TEST_F(GpuDevices, GradientsAreThoseOfOneDevice) {
    const AdjointSurvey survey(model, {}, sources(), receivers(), {});
    TimeObjective objective;
    objective.receivers = [](std::size_t source, std::span<const double> times,
                             std::span<double> by) {
        for (std::size_t r = 0; r < times.size(); ++r) {
            by[r] = std::isfinite(times[r]) ? times[r] + static_cast<double>(source) : 0;
        }
    };
    const AdjointGradient one = adjoint(survey, objective, test::on_gpu());
    for (const std::vector<int>& devices : {std::vector{0, 0}, std::vector{0, 0, 0, 0, 0}}) {
        const DevicesScope scope(devices);
        const AdjointGradient found = adjoint(survey, objective, test::on_gpu());
        for (std::size_t n = 0; n < one.slowness.size(); ++n) {
            ASSERT_EQ(found.slowness[n], one.slowness[n]) << n;
        }
        EXPECT_EQ(found.start_times, one.start_times);
        EXPECT_EQ(found.unsettled, one.unsettled);
        for (std::size_t n = 0; n < one.sources.size(); ++n) {
            EXPECT_EQ(norm(found.sources[n] - one.sources[n]), 0) << n;
        }
        for (std::size_t r = 0; r < one.receivers.size(); ++r) {
            EXPECT_EQ(norm(found.receivers[r] - one.receivers[r]), 0) << r;
        }
    }
}

TEST_F(GpuDevices, GradientsOfPicksAreThoseOfOneDevice) {
    Survey survey = survey_of(sources(), receivers());
    const auto pull = [](std::size_t pick, double time) {
        return time - 0.01 * static_cast<double>(pick);
    };
    for (const std::size_t repeats : {1U, 20U}) {  // fewer lots than devices, and more
        Survey many = survey;
        for (std::size_t n = 1; n < repeats; ++n) {
            for (const Event& event : survey.events) many.events.push_back(event);
            for (Arrival arrival : survey.arrivals) {
                arrival.event = arrival.event + static_cast<std::int32_t>(n * survey.events.size());
                many.arrivals.push_back(arrival);
            }
        }
        const PickGradient one = pick_gradient(model, many, pull, {}, test::on_gpu());
        const DevicesScope twice({0, 0});
        const PickGradient two = pick_gradient(model, many, pull, {}, test::on_gpu());
        EXPECT_EQ(two.samples, one.samples);
        EXPECT_EQ(two.time, one.time);
    }
}

TEST_F(GpuDevices, ShortestPathsAreThoseOfOneDevice) {
    for (const Relaxation relaxation : {Relaxation::tiles, Relaxation::jacobi}) {
        GraphOptions options;
        options.solver = GraphSolver::bellman_ford;
        options.relaxation = relaxation;
        options.radius = {2, 2, 2};
        const auto fields = [&] {
            const Graph graph(model, options, test::on_gpu());
            std::mutex one_at_a_time;
            std::vector<std::vector<float>> all(sources().size());
            for_each_field(graph, sources(), test::on_gpu(),
                           [&](std::size_t n, GraphField&& field) {
                               const std::lock_guard lock(one_at_a_time);
                               all[n] = std::move(field.times);
                           });
            return all;
        };
        const auto one = fields();
        const DevicesScope twice({0, 0});
        EXPECT_EQ(fields(), one) << name_of(relaxation);
    }
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
