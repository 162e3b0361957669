// First arrivals in curved coordinates and anisotropic media against closed forms.
#include <gtest/gtest.h>

#include <cstring>

#include "bench/metric_media.hpp"
#include "core/error.hpp"
#include "eikonal/metric/metric_solver.hpp"
#include "expect_error.hpp"

namespace fermat {
namespace {

using test::expect_error;

struct Errors {
    double mean = 0;
    double max = 0;
};

Field<float> times_of(const MetricMedium& medium, int threads = 1, int order = 2) {
    Execution execution;
    execution.threads = threads;
    EikonalOptions options;
    options.order = order;
    const MetricSolver solver(medium.model, options, execution);
    const MetricField field = solver.solve({medium.source, 0}, execution);
    Field<float> times(medium.model.grid().shape);
    write_times(field, times.view());
    return times;
}

Errors errors_of(const MetricMedium& medium, int order = 2) {
    const Grid& grid = medium.model.grid();
    const Field<float> times = times_of(medium, 1, order);
    Errors errors;
    for_each_node(grid.shape, [&](Index3 n) {
        const Vec3 user = medium.model.metric()->mapping().to_user(grid.position(n));
        const double error = std::abs(times(n) - medium.time(user));
        errors.mean += error / static_cast<double>(grid.node_count());
        errors.max = std::max(errors.max, error);
    });
    return errors;
}

TEST(Metric, TimesInASphereAreThoseOfThePowerLaw) {
    // Times reach 65 s, so single precision alone makes 4e-6 s.
    const Errors errors = errors_of(power_law_block(41));
    EXPECT_LT(errors.mean, 1e-5);
    EXPECT_LT(errors.max, 1e-4);
}

TEST(Metric, SphereAcrossTheDateLineAndNearAPole) {
    EXPECT_LT(errors_of(power_law_block(31, 180)).mean, 2e-5);
    EXPECT_LT(errors_of(power_law_block(31, 0, 85.9)).mean, 2e-5);
}

TEST(Metric, SecondOrderInADiffeomorphicMedium) {
    const double coarse = errors_of(diffeomorphic_cube(21)).mean;
    const double fine = errors_of(diffeomorphic_cube(41)).mean;
    EXPECT_LT(fine, 6e-5);
    EXPECT_GT(std::log2(coarse / fine), 1.9);
}

TEST(Metric, StrongAnisotropyConverges) {
    EXPECT_LT(errors_of(diffeomorphic_cube(41, 4, 0.05)).mean, 3e-4);
}

TEST(Metric, HomogeneousMediaAreExact) {
    EXPECT_LT(errors_of(diffeomorphic_cube(31, 1.5, 0)).max, 1e-6);
    EXPECT_LT(errors_of(thomsen_cube(21)).max, 1e-6);
    EXPECT_LT(errors_of(mountain(31, 0)).max, 1e-6);
}

TEST(Metric, GradientBelowSteepSlopes) { EXPECT_LT(errors_of(mountain(41, 1)).mean, 5e-5); }

TEST(Metric, GradedSectionIsSecondOrder) {
    const double coarse = errors_of(graded_section(26)).mean;
    const double fine = errors_of(graded_section(51)).mean;
    EXPECT_LT(fine, 1e-5);
    EXPECT_GT(std::log2(coarse / fine), 1.8);
}

TEST(Metric, FirstOrderIsFirstOrder) {
    const double coarse = errors_of(diffeomorphic_cube(16), 1).mean;
    const double fine = errors_of(diffeomorphic_cube(31), 1).mean;
    EXPECT_GT(std::log2(coarse / fine), 0.7);
}

TEST(Metric, SameBitsForAnyNumberOfThreads) {
    const MetricMedium medium = power_law_block(64);
    const Field<float> one = times_of(medium, 1);
    const Field<float> many = times_of(medium, 3);
    EXPECT_EQ(std::memcmp(one.data(), many.data(), one.size() * sizeof(float)), 0);
}

TEST(Metric, NoWaveEntersAirOrPassesAWall) {
    MetricMedium medium = power_law_block(17);
    const Shape shape = medium.model.grid().shape;
    Field<float> velocity(shape);
    std::copy(medium.model.velocity().begin(), medium.model.velocity().end(), velocity.begin());
    for (int i = 0; i < shape.x; ++i) {
        for (int k = 0; k < shape.z; ++k) velocity(i, 12, k) = 0;
    }
    medium.model = medium.model.with_given(std::move(velocity));
    const Field<float> times = times_of(medium);
    for_each_node(shape, [&](Index3 n) {
        EXPECT_EQ(std::isfinite(times(n)), n.y < 12) << n.x << ' ' << n.y << ' ' << n.z;
    });
}

TEST(Metric, GradientHasTheLengthOfTheSlowness) {
    const MetricMedium medium = power_law_block(31);
    const MetricSolver solver(medium.model, {}, {});
    const MetricField field = solver.solve({medium.source, 0}, {});
    for (const Vec3 p : {Vec3{2, 1.5, 60}, Vec3{-2.2, -1, 150}, Vec3{1.4, 2.7, 3}}) {
        const double slowness = norm(frame_gradient(field, p));
        EXPECT_NEAR(slowness * PowerLawSphere().velocity(p.z), 1, 2e-4);
    }
}

TEST(Metric, BadInputIsNamed) {
    const Grid grid = unit_cube(3);
    CoordinateNumbers numbers;
    const auto make = [&] { Metric(grid, numbers); };
    numbers.system = Coordinates::spherical;
    numbers.radius = 0.5;
    expect_error<InputError>(make, "depths go to 1 (must stay above the centre, at 0.5)");
    numbers = {};
    numbers.system = Coordinates::graded;
    numbers.axes = {{{0, 1, 2}, {0, 1, 1}, {0, 1, 2}}};
    expect_error<InputError>(
        make, "coordinate 2 of axis y is 1 (must be finite and exceed the one before it)");
    numbers = {};
    numbers.system = Coordinates::terrain;
    numbers.surface = {0, 0, 0, 0, 1.5, 0, 0, 0, 0};
    expect_error<InputError>(make,
                             "the surface folds the grid: its depth in column 4 is 1.5 (must be "
                             "above the lowest row, at 1)");
    EXPECT_THROW(Metric(grid, {}, tensors_of(grid, [](Vec3) { return Mat3::diagonal(1, -1, 1); })),
                 InputError);
    EXPECT_THROW(Metric(grid, {}, thomsen_of(grid, {0.1, -0.9, {0, 0, 1}})), InputError);
    const MetricMedium medium = power_law_block(5);
    EXPECT_THROW(MetricSolver(medium.model, {}, {}).solve({{50, 0, 0}, 0}, {}), InputError);
    expect_error<InputError>(
        [&] {
            solve(medium.model, {medium.source, 0});
        },
        "this computation knows isotropic velocity on a Cartesian grid only, and this model has "
        "spherical coordinates (times by solver 'fim' on the CPU and rays by tracer 'descent' know "
        "it)");
}

}  // namespace
}  // namespace fermat
