// Layers in graded and terrain-following coordinates: samples and rays are those of closed forms
// and of plain grids. And what every ray must obey: Snell's law, and time along it.
#include "phases/mapped_layer.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "model/metric.hpp"
#include "phases/layers.hpp"
#include "phases/phases.hpp"

namespace fermat {
namespace {

const Grid section{{81, 1, 41}, {0, 0, 0}, {1, 1, 1}};

/// The ground rises from 0 to a height of 8 km along x, and z is depth below the datum.
CoordinateNumbers sloping() {
    CoordinateNumbers numbers;
    numbers.system = Coordinates::terrain;
    for (int i = 0; i < section.shape.x; ++i) numbers.surface.push_back(-0.1 * i);
    return numbers;
}
CoordinateNumbers graded() {
    CoordinateNumbers numbers;
    numbers.system = Coordinates::graded;
    for (int i = 0; i < section.shape.x; ++i) {
        const double t = i / 80.0;
        numbers.axes[0].push_back(80 * (0.7 * t + 0.3 * t * t));
    }
    for (int k = 0; k < section.shape.z; ++k) {
        const double t = k / 40.0;
        numbers.axes[2].push_back(40 * (0.6 * t + 0.4 * t * t));
    }
    return numbers;
}

/// A model in these coordinates whose velocity is a function of users' points.
Model mapped(const CoordinateNumbers& numbers, const std::function<double(Vec3)>& velocity) {
    const auto metric = std::make_shared<const Metric>(section, numbers);
    const auto mapping = make_mapping(section, numbers);
    return test::model_of(section, [&](Vec3 q) { return velocity(mapping->to_user(q)); })
        .with_metric(metric);
}

double linear_velocity(Vec3 p) { return 4 + 0.06 * p.z; }

BranchRay ray_between(const LayeredMedium& medium, std::string_view phase, Vec3 from, Vec3 to) {
    const std::vector<Vec3> ends{from, to};
    const std::vector<RayPair> pairs{{0, 1}};
    return trace_branch(medium, branch_of(medium, phase), ends, ends, pairs, {}, {})[0].front();
}

double linear_time(Vec3 a, Vec3 b) {
    const double d = distance(a, b);
    return std::acosh(1 + 0.0036 * d * d / (2 * linear_velocity(a) * linear_velocity(b))) / 0.06;
}

/// Reflected at a plane of one depth: by symmetry of the closed form, the least over x.
double reflected_time(Vec3 a, Vec3 b, double depth) {
    double low = a.x;
    double high = b.x;
    for (int i = 0; i < 200; ++i) {
        const double p = low + (high - low) / 3;
        const double q = high - (high - low) / 3;
        const auto at = [&](double x) {
            return linear_time(a, {x, 0, depth}) + linear_time({x, 0, depth}, b);
        };
        (at(p) < at(q) ? high : low) = at(p) < at(q) ? q : p;
    }
    const Vec3 at{0.5 * (low + high), 0, depth};
    return linear_time(a, at) + linear_time(at, b);
}

class Mapped : public ::testing::TestWithParam<bool> {
  protected:
    CoordinateNumbers numbers_ = GetParam() ? sloping() : graded();
    Model crust_ = mapped(numbers_, linear_velocity);
    LayeredMedium medium_{
        {GetParam() ? Interface("surface", columns_of(crust_.place()), numbers_.surface)
                    : Interface::flat("surface", 0),
         Interface::flat("moho", 27)},
        {{crust_, {}}, {mapped(numbers_, [](Vec3) { return 8.0; }), {}}}};
};

TEST_P(Mapped, SamplesAreThoseOfTheVelocity) {
    MappedLayer layer;
    layer.place = &crust_.place();
    layer.velocity = crust_.velocity().data();
    layer.step = 0.25;
    for (const Vec3 user : {Vec3{20.3, 0, 7.1}, Vec3{55.6, 0, 18.4}}) {
        const Vec3 place = crust_.mapping().place(crust_.place().grid_point(user));
        const LayerSample at = layer.at(place);
        const double v = linear_velocity(user);
        EXPECT_NEAR(at.slowness, 1 / v, 1e-6);
        EXPECT_NEAR(layer.slowness(place), 1 / v, 1e-6);
        EXPECT_NEAR(at.gradient.x, 0, 2e-6);
        EXPECT_NEAR(at.gradient.z, -0.06 / (v * v), 2e-6);
        EXPECT_NEAR(at.curvature.zz, 2 * 0.0036 / (v * v * v), 1e-5);
        EXPECT_NEAR(at.curvature.xz, 0, 1e-5);
        const LayerPlace where = layer.where(place);
        EXPECT_NEAR(where.user.x, user.x, 1e-9);
        EXPECT_NEAR(where.user.z, user.z, 1e-9);
    }
}

TEST_P(Mapped, RaysAreThoseOfClosedForms) {
    // On the slope, the ends lie on the ground at different heights.
    const auto ground = [&](double x) { return GetParam() ? -0.1 * x : 0.0; };
    const Vec3 from{8, 0, ground(8) + 0.5};
    for (const double x : {20.0, 37.0, 61.5}) {
        const Vec3 to{x, 0, ground(x)};
        const BranchRay pmp = ray_between(medium_, "PmP", from, to);
        ASSERT_EQ(pmp.status, BranchStatus::ok) << x;
        EXPECT_NEAR(pmp.time, reflected_time(from, to, 27), 3e-6 * pmp.time) << x;
        const BranchRay direct = ray_between(medium_, "Pg", from, to);
        if (x > 30) continue;  // where the arc stays below the ground
        ASSERT_EQ(direct.status, BranchStatus::ok) << x;
        EXPECT_NEAR(direct.time, linear_time(from, to), 3e-6 * direct.time) << x;
    }
}
INSTANTIATE_TEST_SUITE_P(Coordinates, Mapped, ::testing::Values(false, true));

TEST(MappedRays, GradedGridIsAPlainOne) {
    const auto velocity = [](Vec3 p) { return 4 + 0.05 * p.z + 0.01 * p.x; };
    const auto depth = [](double x, double) { return 25 + 0.05 * x; };
    const auto media = [&](const Model& crust, const Model& mantle) {
        return LayeredMedium({Interface::flat("surface", 0), test::relief("moho", section, depth)},
                             {{crust, {}}, {mantle, {}}});
    };
    const auto eight = [](Vec3) { return 8.0; };
    const LayeredMedium plain =
        media(test::model_of(section, velocity), test::model_of(section, eight));
    const LayeredMedium other = media(mapped(graded(), velocity), mapped(graded(), eight));
    for (const char* phase : {"PmP", "Pg", "PmPPmP"}) {
        const BranchRay a = ray_between(plain, phase, {10, 0, 1}, {58, 0, 0});
        const BranchRay b = ray_between(other, phase, {10, 0, 1}, {58, 0, 0});
        ASSERT_EQ(a.status, BranchStatus::ok) << phase;
        ASSERT_EQ(b.status, BranchStatus::ok) << phase;
        EXPECT_NEAR(a.time, b.time, 3e-6 * a.time) << phase;
    }
}

/// Angles in degrees by which a ray misses Snell's law (or that of reflection) at its joints: of
/// the slownesses on both sides, the parts along the interface must be equal.
std::vector<double> misses(const LayeredMedium& medium, const BranchRay& ray) {
    std::vector<double> out;
    const auto n = static_cast<std::size_t>(ray.segments);
    const auto slowness = [&](const Leg& leg, Vec3 at) {
        const Model& model = medium.model(leg.layer, leg.wave);
        return 1 / velocity_sample(model.grid(), model.velocity().data(), at).v;
    };
    for (std::size_t leg = 1; leg < ray.legs.size(); ++leg) {
        const Vec3* at = &ray.places[leg * n];
        // The direction at the joint, by a parabola through three points.
        const Vec3 in = 1.5 * at[0] - 2.0 * at[-1] + 0.5 * at[-2];
        const Vec3 on = -1.5 * at[0] + 2.0 * at[1] - 0.5 * at[2];
        const double sin = slowness(ray.legs[leg - 1], at[0]);
        const double son = slowness(ray.legs[leg], at[0]);
        const InterfaceValue z = medium.top_of(ray.legs[leg - 1].to).view().at(at[0].x, at[0].y);
        const Vec3 change = (sin / norm(in)) * in - (son / norm(on)) * on;
        for (const Vec3 along : {Vec3{1, 0, z.zx}, Vec3{0, 1, z.zy}}) {
            const double off = std::fabs(dot(change, along)) / norm(along) / std::min(sin, son);
            out.push_back(off * 180 / M_PI);
        }
    }
    return out;
}

TEST(Rays, ObeySnellsLawAndTakeTheirTime) {
    const Grid grid{{61, 41, 36}, {0, 0, 0}, {1, 1, 1}};
    const auto basement = [](double x, double y) { return 8 + 0.8 * std::sin(x / 7 + y / 9); };
    const auto moho = [](double x, double y) {
        return 27 + 1.5 * std::sin(x / 9) * std::cos(y / 11);
    };
    const auto layer = [&](double v, double g) {
        return Layer{
            test::model_of(grid, [=](Vec3 p) { return v + g * p.z + 0.1 * std::sin(p.x / 6); }),
            test::model_of(grid, [=](Vec3 p) { return 0.56 * (v + g * p.z); })};
    };
    const LayeredMedium medium(
        {Interface::flat("surface", 0), test::relief("basement", grid, basement),
         test::relief("moho", grid, moho)},
        {layer(3, 0.05), layer(5.5, 0.03), layer(8, 0)});
    for (const char* phase : {"PmP", "PmS", "P1P", "SmS"}) {
        const BranchRay ray = ray_between(medium, phase, {12, 13, 1}, {45, 31, 0});
        ASSERT_EQ(ray.status, BranchStatus::ok) << phase;
        for (const double off : misses(medium, ray)) EXPECT_LT(off, 0.1) << phase;
        double time = 0;
        for (std::size_t i = 0; i + 1 < ray.places.size(); ++i) {
            const Leg& leg = ray.legs[i / static_cast<std::size_t>(ray.segments)];
            const Model& model = medium.model(leg.layer, leg.wave);
            const Vec3 middle = 0.5 * (ray.places[i] + ray.places[i + 1]);
            time += distance(ray.places[i], ray.places[i + 1]) /
                    velocity_sample(model.grid(), model.velocity().data(), middle).v;
        }
        EXPECT_NEAR(time, ray.time, 1e-4 * ray.time) << phase;
    }
}

}  // namespace
}  // namespace fermat
