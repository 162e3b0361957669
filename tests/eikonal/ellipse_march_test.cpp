// Times in sections of long tilted ellipses against closed forms.
#include "eikonal/metric/ellipse_march.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <numbers>

#include "bench/metric_media.hpp"
#include "eikonal/metric/metric_solver.hpp"
#include "executions.hpp"

namespace fermat {
namespace {

constexpr double width = 8;

/// Waves are `ratio` times as fast along an axis, turned by `tilt` degrees from x, as across it.
struct Ellipse {
    double ratio;
    double tilt;

    /// From the frame in which waves are equally fast all ways, and back.
    Vec3 from_round(Vec3 p) const {
        const double z = p.z / ratio;
        return {cosine() * p.x - sine() * z, 0, sine() * p.x + cosine() * z};
    }
    Vec3 to_round(Vec3 p) const {
        return {cosine() * p.x + sine() * p.z, 0, ratio * (cosine() * p.z - sine() * p.x)};
    }
    Mat3 tensor() const {
        const double across = 1 / (ratio * ratio);
        const Vec3 fast{cosine(), 0, sine()};
        const Vec3 slow{-sine(), 0, cosine()};
        return outer(fast) + across * outer(slow) + outer({0, 1, 0});
    }

  private:
    double cosine() const { return std::cos(tilt * std::numbers::pi / 180); }
    double sine() const { return std::sin(tilt * std::numbers::pi / 180); }
};

Model model_of(const Ellipse& ellipse, int n, const std::function<double(Vec3)>& velocity) {
    const double h = width / (n - 1);
    Grid grid;
    grid.shape = {n, 1, n};
    grid.spacing = {h, h, h};
    const auto metric = std::make_shared<const Metric>(
        grid, CoordinateNumbers{}, tensors_of(grid, [&](Vec3) { return ellipse.tensor(); }));
    Field<float> values = velocity_of(grid, *metric, velocity);
    return Model(grid, std::move(values)).with_metric(metric);
}

struct Errors {
    double mean = 0;
    double largest = 0;
    double earliest = 0;  ///< the most by which a time is early
    int count = 0;
};
/// Relative, of nodes more than two steps from the source for which the truth is known (not NaN).
Errors errors_of(const Model& model, Vec3 source, const std::function<double(Vec3)>& exact) {
    const MetricField field =
        MetricSolver(model, {}, test::on_cpu()).solve({source, 0}, test::on_cpu());
    EXPECT_FALSE(field.first_order);
    Field<float> times(model.grid().shape);
    write_times(field, times.view(), 1);
    Errors errors;
    for_each_node(model.grid().shape, [&](Index3 n) {
        const Vec3 place = model.grid().position(n);
        const double truth = exact(place);
        if (distance(place, source) < 2 * model.grid().spacing.x || std::isnan(truth)) return;
        const double off = times(n) / truth - 1;
        errors.mean += std::abs(off);
        errors.largest = std::max(errors.largest, std::abs(off));
        errors.earliest = std::max(errors.earliest, -off);
        ++errors.count;
    });
    errors.mean /= errors.count;
    return errors;
}

double straight(const Ellipse& ellipse, Vec3 p, Vec3 q) {
    return distance(ellipse.to_round(p), ellipse.to_round(q)) / 2;
}

TEST(EllipseMarch, HomogeneousMediaAreExactWhateverTheRatio) {
    for (const double ratio : {3.5, 5.0, 10.0, 20.0}) {
        for (const double tilt : {10.0, 30.0, 100.0}) {
            const Ellipse ellipse{ratio, tilt};
            for (const int n : {26, 41}) {
                const Model model = model_of(ellipse, n, [](Vec3) { return 2.0; });
                ASSERT_TRUE(can_march_through_ellipses(model));
                ASSERT_TRUE(has_long_tilted_ellipses(model));
                for (const Vec3 source : {Vec3{4.03, 0, 4.01}, {1.03, 0, 2.01}, {7.9, 0, 0.02}}) {
                    const Errors errors = errors_of(
                        model, source, [&](Vec3 p) { return straight(ellipse, source, p); });
                    EXPECT_LT(errors.largest, 2e-5) << ratio << " to 1 at " << tilt << ", " << n;
                }
            }
        }
    }
}

/// In the round frame, where velocity grows along z, rays are circles about points at which it
/// is 0. Of those that leave the section the time is not known.
double along_circle(const Ellipse& ellipse, Vec3 source, Vec3 point, double v0, double gradient) {
    const double low = -v0 / gradient;
    const Vec3 a = ellipse.to_round(source) - Vec3{0, 0, low};
    const Vec3 b = ellipse.to_round(point) - Vec3{0, 0, low};
    if (std::abs(b.x - a.x) > 1e-9) {
        const double centre = (b.x * b.x + b.z * b.z - a.x * a.x - a.z * a.z) / (2 * (b.x - a.x));
        const double radius = std::hypot(a.x - centre, a.z);
        const double first = std::atan2(a.z, a.x - centre);
        const double last = std::atan2(b.z, b.x - centre);
        for (int n = 1; n < 50; ++n) {
            const double angle = first + (last - first) * n / 50;
            const Vec3 q = ellipse.from_round(
                {centre + radius * std::cos(angle), 0, low + radius * std::sin(angle)});
            if (std::min(q.x, q.z) < 0 || std::max(q.x, q.z) > width) return NAN;
        }
    }
    const Vec3 d = b - a;
    return std::acosh(1 + dot(d, d) / (2 * a.z * b.z)) / gradient;
}

TEST(EllipseMarch, VelocityThatVariesIsSecondOrder) {
    const Ellipse ellipse{10, 30};
    constexpr double gradient = 0.03;
    // The velocity is 2 in the corner that lies lowest in the round frame.
    const double v0 = 2 - gradient * ellipse.to_round({width, 0, 0}).z;
    const Vec3 source{3.03, 0, 2.01};
    const auto errors = [&](int n) {
        const Model model =
            model_of(ellipse, n, [&](Vec3 p) { return v0 + gradient * ellipse.to_round(p).z; });
        return errors_of(model, source,
                         [&](Vec3 p) { return along_circle(ellipse, source, p, v0, gradient); });
    };
    const Errors coarse = errors(31);
    const Errors fine = errors(61);
    EXPECT_GT(fine.count, 2000);
    EXPECT_LT(fine.mean, 1e-4);
    EXPECT_LT(fine.largest, 2e-3);
    EXPECT_GT(std::log2(coarse.mean / fine.mean), 1.7);
}

TEST(EllipseMarch, WavesGoRoundAir) {
    const Ellipse ellipse{5, 30};
    constexpr int n = 81;
    constexpr double wall = 4;
    const double h = width / (n - 1);
    const Model model = model_of(
        ellipse, n, [&](Vec3 p) { return std::abs(p.x - wall) < h / 4 && p.z < wall ? 0.0 : 2.0; });
    const Vec3 source{1.03, 0, 1.01};
    const Vec3 edge{wall, 0, wall};
    const Errors errors = errors_of(model, source, [&](Vec3 p) {
        if (std::abs(p.x - wall) < h / 4 && p.z < wall) return double{NAN};
        const double crossing = source.z + (wall - source.x) / (p.x - source.x) * (p.z - source.z);
        const bool hidden = p.x > wall && crossing < wall;
        return hidden ? straight(ellipse, source, edge) + straight(ellipse, edge, p)
                      : straight(ellipse, source, p);
    });
    EXPECT_LT(errors.mean, 5e-3);
    EXPECT_LT(errors.earliest, 3e-3);  // the edge lies between two nodes
}

TEST(EllipseMarch, OnlyLongEllipsesThatLeanAreMarched) {
    const auto marched = [](Ellipse ellipse) {
        const Model model = model_of(ellipse, 11, [](Vec3) { return 2.0; });
        return can_march_through_ellipses(model) && has_long_tilted_ellipses(model);
    };
    EXPECT_TRUE(marched({4, 30}));
    EXPECT_FALSE(marched({2, 30}));
    EXPECT_FALSE(marched({20, 0}));
    EXPECT_FALSE(can_march_through_ellipses(diffeomorphic_cube(11, 4, 0.05).model));
}

}  // namespace
}  // namespace fermat
