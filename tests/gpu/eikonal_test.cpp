// Compares fim and rays on a CUDA device with those on the CPU, in media with air, odd sizes and
// sources between nodes. The arithmetic is shared, so they differ only by rounding and by the order
// in which nodes are computed.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "cell_models.hpp"
#include "core/device.hpp"
#include "eikonal/eikonal.hpp"
#include "executions.hpp"
#include "model/makers.hpp"
#include "random_case.hpp"
#include "rays/rays.hpp"

namespace fermat {
namespace {

class GpuEikonal : public testing::Test {
  protected:
    void SetUp() override {
        if (device_count() == 0) GTEST_SKIP() << "this machine has no CUDA device";
    }
};

EikonalOptions of_order(int order) {
    EikonalOptions options;
    options.order = order;
    return options;
}

using test::random_case;
using test::RandomCase;

/// If the medium has air, about every ninth node is air.
test::CaseKind kind(bool air) { return {9, 400, 60, air ? 9 : 0}; }

double largest_difference(const Field<float>& a, const Field<float>& b) {
    double largest = 0;
    for (std::size_t n = 0; n < a.size(); ++n) {
        EXPECT_EQ(std::isinf(a[n]), std::isinf(b[n])) << n;
        if (std::isfinite(a[n]) && a[n] > 0) {
            largest = std::max(largest, std::abs(static_cast<double>(b[n]) / a[n] - 1));
        }
    }
    return largest;
}

TEST_F(GpuEikonal, TimesAreThoseOfTheCpu) {
    for (int seed = 0; seed < 40; ++seed) {
        const RandomCase c =
            random_case(static_cast<unsigned>(seed), 2 + seed % 2, kind(seed % 4 >= 2));
        for (const int order : {1, 2}) {
            const TimeField cpu = solve(c.model, {c.source, 0.5}, of_order(order), test::on_cpu(0));
            const TimeField gpu = solve(c.model, {c.source, 0.5}, of_order(order), test::on_gpu());
            EXPECT_EQ(cpu.factor.slowness, gpu.factor.slowness);
            // The second-order scheme is not monotone. Where wavefronts collide it has several
            // solutions, and another order of nodes may lead to another one.
            EXPECT_LE(largest_difference(cpu.tau, gpu.tau), order == 1 ? 1e-5 : 2e-2)
                << "seed " << seed << ", order " << order;
        }
    }
}

TEST_F(GpuEikonal, ABatchGivesTheBitsOfItsSourcesAlone) {
    const RandomCase c = random_case(7, 3, kind(true));
    std::vector<PointSource> sources;
    for (int n = 0; n < 9; ++n) {
        const Vec3 p = c.model.grid().position({n % c.model.grid().shape.x, n, 2});
        if (!in_air(c.model, p)) sources.push_back({p, 0.1 * n});
    }
    sources.push_back({c.source, 0});
    std::vector<Field<float>> together(sources.size());
    for_each_field(c.model, sources, of_order(2), test::on_gpu(),
                   [&](std::size_t n, TimeField&& field) { together[n] = std::move(field.tau); });
    for (std::size_t n = 0; n < sources.size(); ++n) {
        const TimeField alone = solve(c.model, sources[n], of_order(2), test::on_gpu());
        EXPECT_EQ(largest_difference(alone.tau, together[n]), 0) << n;
    }
}

TEST_F(GpuEikonal, RaysAreThoseOfTheCpu) {
    for (int seed = 0; seed < 12; ++seed) {
        const RandomCase c =
            random_case(100 + static_cast<unsigned>(seed), 2 + seed % 2, kind(seed % 4 >= 2));
        std::mt19937 random(static_cast<unsigned>(seed));
        const Vec3 far = c.model.grid().far_corner();
        const Vec3 origin = c.model.grid().origin;
        std::vector<Vec3> receivers;
        for (int n = 0; n < 300; ++n) {
            Vec3 p;
            for (int axis = 0; axis < 3; ++axis) {
                const double part = std::min(1.0, static_cast<double>(random() % 1100) / 1000);
                p[axis] = origin[axis] + part * (far[axis] - origin[axis]);
            }
            receivers.push_back(p);
        }
        const std::vector<PointSource> sources{{c.source, 1.5}};
        for (const Tracer tracer : {Tracer::descent, Tracer::cells}) {
            RayOptions options;
            options.tracer = tracer;
            options.eikonal = of_order(1);
            const auto pairs = all_pairs(1, receivers.size());
            const RaySet cpu =
                trace_rays(c.model, survey_of(sources, receivers, pairs), options, test::on_cpu(0));
            const RaySet gpu =
                trace_rays(c.model, survey_of(sources, receivers, pairs), options, test::on_gpu());
            ASSERT_EQ(cpu.size(), gpu.size());
            std::size_t alike = 0;
            for (std::size_t r = 0; r < cpu.size(); ++r) {
                // One that is late by nearly a thousandth may count as late on one of them only.
                EXPECT_EQ(has_arrived(cpu.rays[r].status), has_arrived(gpu.rays[r].status)) << r;
                EXPECT_EQ(cpu.rays[r].receiver, gpu.rays[r].receiver);
                if (!has_arrived(cpu.rays[r].status)) continue;
                EXPECT_TRUE(gpu.path(r).back() == cpu.path(r).back());
                EXPECT_NEAR(gpu.rays[r].field_time, cpu.rays[r].field_time,
                            1e-5 * cpu.rays[r].field_time);
                // In rough media a ray that grazes a corner may pass it on either side.
                alike += std::abs(gpu.rays[r].time - cpu.rays[r].time) < 1e-3 * cpu.rays[r].time;
            }
            const auto arrived = static_cast<std::size_t>(
                std::count_if(cpu.rays.begin(), cpu.rays.end(),
                              [](const RayInfo& ray) { return has_arrived(ray.status); }));
            // In every cell the ray turns by the gradient of that cell, which amplifies rounding.
            // So only the ends of rays can be compared.
            if (tracer == Tracer::cells) continue;
            EXPECT_GE(static_cast<double>(alike), 0.95 * static_cast<double>(arrived))
                << "seed " << seed;
        }
    }
}

/// If velocity varies smoothly between cells, the device solves on nodes. If it jumps, the CPU
/// solves.
TEST_F(GpuEikonal, TimesAndRaysInSmoothCellsAreThoseOfTheCpu) {
    for (int seed = 0; seed < 4; ++seed) {
        const Grid grid{{90, seed % 2 ? 31 : 1, 53}, {}, {1, 1.3, 0.8}};
        const Model model = test::of_cells(grid, [&](int i, int, int k) {
            return 2 + 0.05 * k + (seed < 2 ? 0.0 : 0.3 * std::sin(0.1 * i));
        });
        ASSERT_FALSE(model.jumping_cells().exist());
        const PointSource source{grid.position({7, 0, 7}) + Vec3{0.3, 0, 0.2}, 0.5};
        for (const int order : {1, 2}) {
            const TimeField cpu = solve(model, source, of_order(order), test::on_cpu(0));
            const TimeField gpu = solve(model, source, of_order(order), test::on_gpu());
            EXPECT_LE(largest_difference(cpu.tau, gpu.tau), order == 1 ? 1e-5 : 2e-2) << seed;
        }
        std::vector<Vec3> receivers;
        for (int n = 0; n < 60; ++n) receivers.push_back({1.5 * n, 0, 0.1 * n});
        const auto pairs = all_pairs(1, receivers.size());
        RayOptions options;
        options.eikonal = of_order(1);
        const RaySet cpu = trace_rays(model, survey_of(std::span(&source, 1), receivers, pairs),
                                      options, test::on_cpu(0));
        const RaySet gpu = trace_rays(model, survey_of(std::span(&source, 1), receivers, pairs),
                                      options, test::on_gpu());
        std::size_t alike = 0;
        std::size_t arrived = 0;
        for (std::size_t r = 0; r < cpu.size(); ++r) {
            EXPECT_EQ(cpu.rays[r].status, gpu.rays[r].status) << r;
            if (cpu.rays[r].status != RayStatus::ok) continue;
            ++arrived;
            alike += std::abs(gpu.rays[r].time - cpu.rays[r].time) < 1e-3 * cpu.rays[r].time;
        }
        EXPECT_GE(static_cast<double>(alike), 0.9 * static_cast<double>(arrived)) << seed;
    }
}

TEST(GpuEikonalAnywhere, WhatTheDeviceCannotDoIsASentence) {
    const Model model = constant_model({{9, 1, 9}, {}, {1, 1, 1}}, 2);
    EikonalOptions options;
    const Execution cuda = test::on_gpu();
    options.solver = Solver::fmm;
    EXPECT_THROW(solve(model, {{4, 0, 4}, 0}, options, cuda), InputError);
    options.solver = Solver::fim;
    EXPECT_THROW(solve<double>(model, {{4, 0, 4}, 0}, options, cuda), InputError);
    EXPECT_NO_THROW(solve<double>(model, {{4, 0, 4}, 0}, options));
    const Model jumping =
        test::of_cells({{9, 1, 9}, {}, {1, 1, 1}}, [](int, int, int k) { return k < 4 ? 2 : 5; });
    EXPECT_NO_THROW(solve(jumping, {{4, 0, 4}, 0}, options));
    EXPECT_THROW(solve(jumping, {{4, 0, 4}, 0}, options, cuda), InputError);
}

}  // namespace
}  // namespace fermat
