// Rays in curved coordinates and anisotropic media: they all arrive, and their times are those of
// the field.
#include <gtest/gtest.h>

#include <random>

#include "bench/metric_media.hpp"
#include "expect_error.hpp"
#include "rays/metric_rays.hpp"
#include "survey/survey.hpp"

namespace fermat {
namespace {

Survey survey_in(const MetricMedium& medium, int stations) {
    const Grid& grid = medium.model.grid();
    std::mt19937 random(7);
    std::uniform_real_distribution<double> part(0, 1);
    std::vector<Vec3> places;
    for (int n = 0; n < stations; ++n) {
        Vec3 q;
        for (int axis = 0; axis < 3; ++axis) {
            // Every third station lies on a face.
            const double u = n % 9 == axis ? (n % 2) : part(random);
            q[axis] = grid.coordinate(axis, u * (grid.shape[axis] - 1));
        }
        places.push_back(medium.model.mapping().to_user(q));
    }
    const PointSource source{medium.source, 0};
    return survey_of(std::span(&source, 1), places);
}

void expect_rays(const MetricMedium& medium, double relative, double exactly = 1e-3) {
    const RaySet rays = trace_rays(medium.model, survey_in(medium, 200), {}, {});
    ASSERT_EQ(rays.size(), 200U);
    for (std::size_t n = 0; n < rays.size(); ++n) {
        const RayInfo& ray = rays.rays[n];
        ASSERT_EQ(ray.status, RayStatus::ok) << n;
        EXPECT_NEAR(ray.time, ray.field_time, relative * ray.field_time + 1e-7) << n;
        EXPECT_LT(distance(rays.path(n).back(), medium.source), 1e-9);
        EXPECT_NEAR(ray.time, medium.time(rays.path(n).front()), exactly * ray.time + 1e-7) << n;
    }
}

TEST(MetricRays, ArriveInASphere) { expect_rays(power_law_block(31), 2e-4); }
TEST(MetricRays, ArriveAcrossTheDateLine) { expect_rays(power_law_block(17, 180), 1e-3); }
TEST(MetricRays, ArriveInADiffeomorphicMedium) { expect_rays(diffeomorphic_cube(41), 4e-4); }
TEST(MetricRays, ArriveInThomsensMedium) { expect_rays(thomsen_cube(21), 2e-4); }
// Also beside the sharp ridge itself.
TEST(MetricRays, ArriveBelowSteepSlopes) { expect_rays(mountain(41, 1), 2e-4, 2.5e-4); }
TEST(MetricRays, ArriveInAGradedSection) { expect_rays(graded_section(51), 4e-4); }

TEST(MetricRays, OtherTracersAreRefused) {
    const MetricMedium medium = power_law_block(5);
    RayOptions options;
    options.tracer = Tracer::cells;
    test::expect_error<InputError>(
        [&] { trace_rays(medium.model, survey_in(medium, 1), options, {}); },
        "tracer 'cells' knows isotropic velocity on a Cartesian grid only");
}

}  // namespace
}  // namespace fermat
