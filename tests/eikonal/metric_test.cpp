// First arrivals in curved coordinates and anisotropic media against closed forms.
#include <gtest/gtest.h>

#include <cstring>

#include "bench/earth_section.hpp"
#include "bench/metric_media.hpp"
#include "core/error.hpp"
#include "eikonal/metric/metric_solver.hpp"
#include "executions.hpp"
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
        const Vec3 user = medium.model.mapping().to_user(grid.position(n));
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

TEST(Metric, AnEdgeOfTheGroundCostsNoAccuracy) {
    // Errors were largest at the ridge, 8e-4 and of first order, with one slope for both its sides.
    const Errors coarse = errors_of(mountain(21, 1));
    const Errors fine = errors_of(mountain(41, 1));
    EXPECT_LT(fine.mean, 5e-6);
    EXPECT_LT(fine.max, 3e-5);
    EXPECT_GT(std::log2(coarse.max / fine.max), 1.8);
}

TEST(Metric, GradedSectionIsSecondOrder) {
    const double coarse = errors_of(graded_section(26)).mean;
    const double fine = errors_of(graded_section(51)).mean;
    EXPECT_LT(fine, 1e-5);
    EXPECT_GT(std::log2(coarse / fine), 1.8);
}

TEST(Metric, JumpsOfAnEarthModelStaySharp) {
    const MetricMedium medium = earth_section(181);
    const MetricSolver solver(medium.model, {}, test::on_cpu());
    const MetricField field = solver.solve({medium.source, 0}, test::on_cpu());
    double mean = 0;
    for (int degree = 1; degree <= 25; ++degree) {
        const double time = time_at(field, medium.source + Vec3{static_cast<double>(degree), 0, 0});
        mean += std::abs(time - ak135_arrivals[degree - 1]) / 25;
        // Waves along the Moho, beside a row of jumps, were late by 0.005 s per degree.
        EXPECT_NEAR(time, ak135_arrivals[degree - 1], 0.015);
    }
    EXPECT_LT(mean, 0.005);
}

TEST(Metric, TimesBesideJumpsSettleForSourcesNearThem) {
    const Grid grid{{17, 17, 17}, {}, {0.1, 0.1, 5}};
    CoordinateNumbers numbers;
    numbers.system = Coordinates::spherical;
    Field<float> velocity(grid.shape);
    for_each_node(grid.shape, [&](Index3 n) {
        velocity(n) = static_cast<float>(ak135_velocity(5.0 * n.z, false));
    });
    for (int k = 0; k < grid.shape.z; ++k) {
        numbers.jumps.push_back(ak135_velocity(5.0 * k, true) / ak135_velocity(5.0 * k, false));
    }
    const Model model =
        Model(grid, std::move(velocity)).with_metric(std::make_shared<const Metric>(grid, numbers));
    const MetricSolver solver(model, {}, test::on_cpu());
    for (const double depth : {0.0, 10.0, 12.0, 17.0, 20.0, 22.0, 30.0, 36.0}) {
        const MetricField field = solver.solve({{0.8, 0.8, depth}, 0}, test::on_cpu());
        // Straight up, within 3 % beside jumps.
        const double exact = std::min(depth, 20.0) / 5.8 + std::clamp(depth - 20, 0.0, 15.0) / 6.5 +
                             std::max(depth - 35, 0.0) / 8.04;
        EXPECT_NEAR(time_at(field, {0.8, 0.8, 0}), exact, 0.03 * exact + 1e-6) << depth;
    }
}

TEST(Metric, ThomsenMediaThatVaryAreThoseOfTheirEllipses) {
    // With epsilon = delta the slowness surface is an ellipse, so tensors give the same times.
    const Grid grid = unit_cube(25);
    const auto medium = [](Vec3 p) {
        const double e = 0.1 + 0.1 * p.x;
        const double tilt = 0.3 + 0.5 * p.y;
        return Thomsen{e, e, {std::sin(tilt), 0, std::cos(tilt)}};
    };
    AnisotropyValues by_thomsen;
    by_thomsen.kind = Anisotropy::thomsen;
    for (std::size_t c = 0; c < 5; ++c) by_thomsen.values[c] = Field<float>(grid.shape);
    for_each_node(grid.shape, [&](Index3 n) {
        const Thomsen t = medium(grid.position(n));
        const double values[] = {t.epsilon, t.delta, t.axis.x, t.axis.y, t.axis.z};
        for (std::size_t c = 0; c < 5; ++c) {
            by_thomsen.values[c](n) = static_cast<float>(values[c]);
        }
    });
    const AnisotropyValues by_tensors = tensors_of(grid, [&](Vec3 p) {
        return touching_ellipse(medium(p), {1, 0, 0});
    });
    Field<float> velocity(grid.shape);
    for_each_node(grid.shape,
                  [&](Index3 n) { velocity(n) = static_cast<float>(2 + grid.position(n).z); });
    const Model plain(grid, std::move(velocity));
    const auto times = [&](const AnisotropyValues& values) {
        AnisotropyValues copy;
        copy.kind = values.kind;
        for (std::size_t c = 0; c < 6; ++c) {
            if (!values.values[c].empty()) copy.values[c] = values.values[c].copy();
        }
        const auto metric =
            std::make_shared<const Metric>(grid, CoordinateNumbers{}, std::move(copy));
        return times_of({plain.with_metric(metric), {0.3, 0.6, 0.2}, {}});
    };
    const Field<float> one = times(by_thomsen);
    const Field<float> other = times(by_tensors);
    double worst = 0;
    for (std::size_t n = 0; n < one.size(); ++n) {
        worst = std::max(worst, static_cast<double>(std::abs(one[n] - other[n])));
    }
    EXPECT_LT(worst, 2e-4);
}

TEST(Metric, SecondOrderOfCoupledAxesIsThatOfDiagonalOnesBehindASlowBody) {
    // Waves meet behind the body. Cross terms of 1e-7 take the way of full tensors.
    const Grid grid = unit_cube(33);
    Field<float> velocity(grid.shape);
    for_each_node(grid.shape, [&](Index3 n) {
        const bool slow = distance(grid.position(n), {0.5, 0.5, 0.45}) < 0.2;
        velocity(n) = slow ? 1.0F : 2.0F;
    });
    const Model plain(grid, std::move(velocity));
    const auto times = [&](double cross) {
        const auto metric =
            std::make_shared<const Metric>(grid, CoordinateNumbers{}, tensors_of(grid, [&](Vec3) {
                                               Mat3 m = Mat3::diagonal(1.2, 1, 1);
                                               m(0, 1) = m(1, 0) = cross;
                                               return m;
                                           }));
        return times_of({plain.with_metric(metric), {0.5, 0.5, 0.05}, {}});
    };
    const Field<float> diagonal = times(0);
    const Field<float> full = times(1e-7);
    double mean = 0;
    double worst = 0;
    for (std::size_t n = 0; n < full.size(); ++n) {
        const double difference = std::abs(full[n] - diagonal[n]);
        mean += difference / static_cast<double>(full.size());
        worst = std::max(worst, difference);
    }
    EXPECT_LT(mean, 2e-4);
    EXPECT_LT(worst, 5e-3);
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
        "spherical coordinates (times by solver 'fim', rays by tracer 'descent', and inversion "
        "by 'gauss-newton' know "
        "it)");
}

}  // namespace
}  // namespace fermat
