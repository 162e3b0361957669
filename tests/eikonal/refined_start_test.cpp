// Sources beside rows of jumps start on a finer grid.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "bench/earth_section.hpp"
#include "eikonal/metric/layered_section.hpp"
#include "eikonal/metric/metric_solver.hpp"
#include "eikonal/metric/refined_box.hpp"
#include "executions.hpp"

namespace fermat {
namespace {

TEST(RefinedStart, TheBoxIsTheSameMedium) {
    const MetricMedium medium = earth_block(25);
    const auto box = refined_box(medium.model, {41, 11, 12}, 6);
    ASSERT_TRUE(box.has_value());
    EXPECT_EQ(box->model.grid().shape, (Shape{25, 25, 17}));
    EXPECT_EQ(box->model.grid().position(box->inside({20, 22, 4})),
              medium.model.grid().position({20, 22, 4}));
    for (const double depth : {1.0, 19.9, 20.1, 22.0, 26.0, 34.0, 36.0, 39.0}) {
        const Vec3 q{41.03, 11.04, depth};
        EXPECT_NEAR(metric_slowness(box->model, q), metric_slowness(medium.model, q), 1e-7)
            << depth;
    }
    const Grid& fine = box->model.grid();
    EXPECT_NEAR(box->model.coordinates().jumps[8], 6.5 / 5.8, 1e-6);
    EXPECT_EQ(fine.spacing.z, 2.5);
}

TEST(RefinedStart, ThereIsNoBoxAwayFromJumps) {
    const MetricMedium medium = earth_block(25);
    EXPECT_FALSE(refined_box(medium.model, {41, 11, 100}, 6).has_value());
    EXPECT_FALSE(refined_box(power_law_block(17).model, {0, 0, 50}, 6).has_value());
}

TEST(RefinedStart, TimesStraightBelowASourceAreExact) {
    const MetricMedium medium = earth_section(181);
    const MetricSolver solver(medium.model, {}, test::on_cpu());
    const MetricField field = solver.solve({medium.source, 0}, test::on_cpu());
    for (const double depth : {10.0, 20.0, 25.0, 35.0, 40.0, 60.0}) {
        const double exact = std::min(depth, 20.0) / 5.8 + std::clamp(depth - 20, 0.0, 15.0) / 6.5 +
                             std::max(depth - 35, 0.0) / 8.042;
        // Without the finer grid 0.0058 s late at 25 km and 0.0016 s early at 60 km.
        EXPECT_NEAR(time_at(field, {0.5, 0, depth}), exact, 1.5e-4 * exact + 1e-5) << depth;
    }
}

TEST(RefinedStart, SourcesInThreeDimensionsAreOfSecondOrder) {
    const MetricMedium medium = earth_block(25);
    const MetricSolver solver(medium.model, {}, test::on_cpu());
    // Without the finer grid the times of those at 8 to 12 km did not settle.
    for (const double depth : {8.0, 9.0, 10.0, 12.0, 17.0, 20.0}) {
        Vec3 source = medium.source;
        source.z = depth;
        const MetricField field = solver.solve({source, 0}, test::on_cpu());
        EXPECT_FALSE(field.coarse_beside_jumps || field.first_order) << depth;
        const Vec3 below{source.x, source.y, 80};
        const double exact = std::max(20 - depth, 0.0) / 5.8 + 15 / 6.5 + 45 / 8.042;
        EXPECT_NEAR(time_at(field, below), exact, 5e-4 * exact) << depth;
    }
}

TEST(RefinedStart, ASectionServesLayersAndABoxOthers) {
    const MetricMedium medium = earth_block(25);
    const auto round = layered_surroundings(medium.model, medium.source, 8);
    ASSERT_TRUE(round.has_value());
    const auto section = layered_section(medium.model, medium.source, *round);
    ASSERT_TRUE(section.has_value());
    EXPECT_TRUE(section->model.grid().is_2d());
    EXPECT_EQ(section->model.grid().spacing.z, 1.25);
    for (const double depth : {1.0, 19.9, 20.1, 34.0, 36.0}) {
        EXPECT_NEAR(metric_slowness(section->model, {0.1, 0, depth}),
                    metric_slowness(medium.model, {41, 11, depth}), 1e-7)
            << depth;
    }
    const Mapping& mapping = medium.model.mapping();
    const Vec3 north = medium.source + Vec3{0.7, 0, 0};
    EXPECT_NEAR(section->point(round->angle_to(mapping.place(north)), 12).x, 0.7, 1e-9);

    // A faster node 12 nodes away makes the medium other than layered, and times hardly other.
    Field<float> velocity(medium.model.grid().shape);
    std::copy(medium.model.velocity().begin(), medium.model.velocity().end(), velocity.begin());
    velocity(38, 24, 2) *= 1.001F;
    const Model other = medium.model.with_given(std::move(velocity));
    EXPECT_FALSE(layered_surroundings(other, medium.source, 8).has_value());
    const auto solved = [&](const Model& model) {
        const MetricSolver solver(model, {}, test::on_cpu());
        MetricField field = solver.solve({medium.source, 0}, test::on_cpu());
        EXPECT_FALSE(field.coarse_beside_jumps || field.first_order);
        return field;
    };
    const MetricField by_section = solved(medium.model);
    const MetricField by_box = solved(other);
    double mean = 0;
    for_each_node(medium.model.grid().shape,
                  [&](Index3 n) { mean += std::abs(by_box.tau(n) / by_section.tau(n) - 1); });
    EXPECT_LT(mean / static_cast<double>(by_box.tau.size()), 2e-3);
}

TEST(RefinedStart, SameBitsForAnyNumberOfThreads) {
    const MetricMedium medium = earth_block(25);
    const auto tau = [&](int threads) {
        const Execution execution = test::on_cpu().with_threads(threads);
        return MetricSolver(medium.model, {}, execution).solve({medium.source, 0}, execution).tau;
    };
    const Field<float> one = tau(1);
    const Field<float> many = tau(3);
    EXPECT_EQ(std::memcmp(one.data(), many.data(), one.size() * sizeof(float)), 0);
}

}  // namespace
}  // namespace fermat
