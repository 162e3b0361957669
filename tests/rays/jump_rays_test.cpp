// Rays through rows of jumps: their time is least, whatever the roughness of the field.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "bench/earth_section.hpp"
#include "rays/metric_rays.hpp"
#include "rays/metric_row.hpp"
#include "survey/survey.hpp"

namespace fermat {
namespace {

constexpr double slow = 5;
constexpr double fast = 8;

/// Two layers, 20 by 4, that meet at a depth of 2.
Model two_layers(double above, double below) {
    const Grid grid{{101, 1, 21}, {}, {0.2, 1, 0.2}};
    CoordinateNumbers numbers;
    numbers.system = Coordinates::graded;
    for (int n = 0; n < 101; ++n) numbers.axes[0].push_back(0.2 * n);
    for (int n = 0; n < 21; ++n) numbers.axes[2].push_back(0.2 * n);
    numbers.jumps.assign(21, 1.0);
    numbers.jumps[10] = below / above;
    Field<float> velocity(grid.shape);
    for_each_node(grid.shape,
                  [&](Index3 n) { velocity(n) = static_cast<float>(n.z <= 10 ? above : below); });
    return Model(grid, std::move(velocity))
        .with_metric(std::make_shared<const Metric>(grid, numbers));
}

RaySet rays_of(const Model& model, Vec3 source, std::vector<Vec3> stations) {
    const PointSource at{source, 0};
    return trace_rays(model, survey_of(std::span(&at, 1), stations), {}, {});
}

/// A head wave from and to points 2 away from the row, at some distance.
void expect_head_wave(const Model& model, double depth) {
    const double cosine = std::sqrt(1 - (slow / fast) * (slow / fast));
    const RaySet rays = rays_of(model, {1, 0, depth}, {{15, 0, depth}, {12.13, 0, depth}});
    for (std::size_t r = 0; r < 2; ++r) {
        const double x = rays.path(r).front().x - 1;
        const double exact = x / fast + 4 * cosine / slow;
        ASSERT_EQ(rays.rays[r].status, RayStatus::ok);
        EXPECT_NEAR(rays.rays[r].time, exact, 2e-5 * exact);
        // It leaves the row at the critical angle.
        const double slope = 2 * (slow / fast) / cosine;
        double first = 20;
        double last = 0;
        for (const Vec3 p : rays.path(r)) {
            if (std::abs(p.z - 2) > 1e-3) continue;
            first = std::min(first, p.x);
            last = std::max(last, p.x);
        }
        EXPECT_NEAR(first, 1 + slope, 0.05);
        EXPECT_NEAR(last, 1 + x - slope, 0.05);
    }
}

TEST(JumpRays, HeadWavesRunAlongTheFasterSide) {
    expect_head_wave(two_layers(slow, fast), 0);
    expect_head_wave(two_layers(fast, slow), 4);
}

TEST(JumpRays, RefractedRaysKeepToSnell) {
    const Model model = two_layers(slow, fast);
    const RaySet rays = rays_of(model, {3.1, 0, 0.3}, {{4.5, 0, 3.9}, {2.2, 0, 2.3}});
    for (std::size_t r = 0; r < 2; ++r) {
        const auto path = rays.path(r);
        std::size_t at = 1;
        while (std::abs(path[at].z - 2) > 1e-9) ++at;
        const auto sine = [](Vec3 d) { return d.x / norm(d); };
        EXPECT_NEAR(sine(path[at] - path.front()) / fast, sine(path.back() - path[at]) / slow,
                    1e-4);
        const double exact =
            distance(path.front(), path[at]) / fast + distance(path[at], path.back()) / slow;
        EXPECT_NEAR(rays.rays[r].time, exact, 1e-6);
    }
}

TEST(JumpRays, TimesOfAk135AreThoseOfTheLayeredSphere) {
    const MetricMedium medium = earth_section(181);
    std::vector<Vec3> stations;
    for (int degree = 1; degree <= 25; ++degree) {
        stations.push_back(medium.source + Vec3{static_cast<double>(degree), 0, 0});
    }
    const RaySet rays = rays_of(medium.model, medium.source, stations);
    for (std::size_t r = 0; r < rays.size(); ++r) {
        const double exact = medium.time(stations[r]);
        ASSERT_EQ(rays.rays[r].status, RayStatus::ok);
        // At 15 degrees a wave from below 410 km overtakes: two come within 0.04 s.
        EXPECT_NEAR(rays.rays[r].time, exact, (r + 1 == 15 ? 2e-4 : 2e-5) * exact) << r + 1;
        EXPECT_NEAR(rays.rays[r].field_time, exact, 2e-4 * exact) << r + 1;
    }
}

/// Times along rays to random places are within 2e-4 of the field's.
void expect_times_of_the_field(const MetricMedium& medium, int count) {
    const Grid& grid = medium.model.grid();
    std::mt19937 random(7);
    std::uniform_real_distribution<double> part(0, 1);
    std::vector<Vec3> stations;
    for (int n = 0; n < count; ++n) {
        Vec3 q;
        for (int axis = 0; axis < 3; ++axis) {
            q[axis] = grid.coordinate(axis, part(random) * (grid.shape[axis] - 1));
        }
        stations.push_back(q);
    }
    const RaySet rays = rays_of(medium.model, medium.source, stations);
    for (const RayInfo& ray : rays.rays) {
        ASSERT_EQ(ray.status, RayStatus::ok);
        EXPECT_NEAR(ray.time, ray.field_time, 2e-4 * ray.field_time);
    }
}

TEST(JumpRays, TimesAlongRaysOfAk135AreThoseOfTheField) {
    expect_times_of_the_field(earth_section(181), 300);
}

TEST(JumpRays, InABlockOfAk135TheyAreToo) { expect_times_of_the_field(earth_block(25), 300); }

TEST(JumpRays, WhereTwoWavesArriveTogetherTheRayIsThatOfTheEarlier) {
    const MetricMedium medium = earth_block(25);
    // The wave below 20 km is 4.9 ms earlier than the one below 35 km, which was traced.
    const RaySet rays = rays_of(medium.model, medium.source, {{40.527154, 12.031323, 13.54359}});
    EXPECT_NEAR(rays.rays[0].time, 18.297226, 1e-4);
}

TEST(JumpRays, InThreeDimensionsBothWaysTakeTheSameTime) {
    const MetricMedium medium = earth_block(25);
    const std::vector<Vec3> stations = {{40.2, 10.3, 0}, {42.9, 12.7, 31}, {40.7, 11.9, 17},
                                        {41.5, 10.1, 0}, {42.2, 11.3, 64}, {41.4, 11.2, 42}};
    const RaySet there = rays_of(medium.model, medium.source, stations);
    for (std::size_t r = 0; r < stations.size(); ++r) {
        const RaySet back = rays_of(medium.model, stations[r], {medium.source});
        ASSERT_EQ(there.rays[r].status, RayStatus::ok);
        ASSERT_EQ(back.rays[0].status, RayStatus::ok);
        EXPECT_NEAR(there.rays[r].time, back.rays[0].time, 5e-6 * back.rays[0].time) << r;
        EXPECT_NEAR(there.rays[r].time, there.rays[r].field_time, 2e-4 * there.rays[r].time) << r;
    }
}

TEST(JumpRays, RowsOfSensitivityGiveTheirTime) {
    const Model model = two_layers(slow, fast);
    const RaySet rays = rays_of(model, {1, 0, 0}, {{15, 0, 0}, {7, 0, 3.1}});
    for (std::size_t r = 0; r < 2; ++r) {
        std::vector<RowEntry> row;
        append_metric_nodes(model, rays.path(r), row);
        double time = 0;
        for (const RowEntry& entry : row) {
            time += entry.value / model.velocity()[static_cast<std::size_t>(entry.column)];
        }
        EXPECT_NEAR(time, rays.rays[r].time, 1e-6 * time);
    }
}

}  // namespace
}  // namespace fermat
