#include <gtest/gtest.h>

#include <cmath>

#include "phases/layers.hpp"
#include "phases/phases.hpp"

namespace fermat {
namespace {

using test::crust;
using test::model_of;
using test::relief;
using test::uniform;

BranchRay ray_of(const LayeredMedium& medium, std::string_view phase, Vec3 source, Vec3 receiver,
                 const PhaseOptions& options = {}) {
    const std::vector<Vec3> from{source};
    const std::vector<Vec3> to{receiver};
    const std::vector<RayPair> pairs{{0, 0}};
    return trace_branch(medium, branch_of(medium, phase), from, to, pairs, options, {})
        .front()
        .front();
}

/// Exact time in v = v0 + g z.
double gradient_time(Vec3 a, Vec3 b, double v0, double g) {
    const double d = distance(a, b);
    return std::acosh(1 + g * g * d * d / (2 * (v0 + g * a.z) * (v0 + g * b.z))) / g;
}

TEST(Reflection, OneLayerIsAMirror) {
    const Grid grid{{101, 1, 41}, {0, 0, 0}, {1, 1, 1}};
    const LayeredMedium medium({Interface::flat("surface", 0), Interface::flat("moho", 30)},
                               {Layer{uniform(grid, 6)}, Layer{uniform(grid, 8)}});
    for (const double x : {10.0, 33.3, 80.0, 95.0}) {
        const BranchRay ray = ray_of(medium, "PmP", {5, 0, 2}, {x, 0, 0});
        ASSERT_EQ(ray.status, BranchStatus::ok);
        EXPECT_NEAR(ray.time, std::hypot(x - 5, 58) / 6, 1e-9);
        EXPECT_EQ(ray.maxima, 0);
    }
}

TEST(Reflection, DippingReflectorInAGradientMeetsTheClosedForm) {
    const Grid grid{{301, 1, 81}, {0, 0, 0}, {1, 1, 0.5}};
    const double g = 0.06;
    const Model layer = model_of(grid, [&](Vec3 p) { return 4 + g * p.z; });
    const auto depth = [](double x) { return 25 + 0.02 * x; };
    const LayeredMedium medium({Interface::flat("surface", 0),
                                relief("moho", grid, [&](double x, double) { return depth(x); })},
                               {Layer{layer}, Layer{uniform(grid, 8)}});
    for (const double x : {30.0, 90.0, 125.0, 145.0}) {
        const Vec3 a{12.5, 0, 0.1};
        const Vec3 b{x, 0, 0};
        // The least sum over the reflector, by golden section.
        const auto sum = [&](double q) {
            const Vec3 at{q, 0, depth(q)};
            return gradient_time(a, at, 4, g) + gradient_time(at, b, 4, g);
        };
        double low = 0, high = 300;
        for (int i = 0; i < 200; ++i) {
            const double m1 = low + 0.382 * (high - low), m2 = low + 0.618 * (high - low);
            (sum(m1) < sum(m2) ? high : low) = sum(m1) < sum(m2) ? m2 : m1;
        }
        const BranchRay ray = ray_of(medium, "PmP", a, b);
        ASSERT_TRUE(has_arrived(ray.status)) << "at " << x;
        // Beyond 130 km no ray is reflected; the wave follows the reflector.
        const bool exists = x < 140;
        EXPECT_EQ(ray.status == BranchStatus::ok, exists) << "at " << x;
        EXPECT_NEAR(ray.time, sum(0.5 * (low + high)), exists ? 2e-6 : 5e-3) << "at " << x;
    }
}

TEST(Reflection, SnellHoldsAtEveryJoint) {
    const LayeredMedium medium = crust();
    const BranchRay ray = ray_of(medium, "PmS", {20, 0, 1}, {120, 0, 0});
    ASSERT_EQ(ray.status, BranchStatus::ok);
    double p = -1;
    for (std::size_t leg = 0; leg < ray.legs.size(); ++leg) {
        const auto n = static_cast<std::size_t>(ray.segments);
        const Vec3 a = ray.places[leg * n];
        const Vec3 b = ray.places[(leg + 1) * n];
        const double v = medium.model(ray.legs[leg].layer, ray.legs[leg].wave).velocity()[0];
        const double here = (b.x - a.x) / distance(a, b) / v;
        if (p < 0) p = here;
        EXPECT_NEAR(here, p, 1e-6 * p);
    }
}

TEST(Reflection, HeadWaveBeginsAtTheCriticalDistance) {
    const Grid grid{{201, 1, 51}, {0, 0, 0}, {1, 1, 1}};
    const LayeredMedium medium({Interface::flat("surface", 0), Interface::flat("moho", 30)},
                               {Layer{uniform(grid, 6)}, Layer{uniform(grid, 8)}});
    const double cosine = std::sqrt(1 - 36.0 / 64.0);
    const double critical = 60 * (6.0 / 8.0) / cosine;
    EXPECT_EQ(ray_of(medium, "Pn", {10, 0, 0}, {10 + critical - 10, 0, 0}).status,
              BranchStatus::absent);
    const BranchRay ray = ray_of(medium, "Pn", {10, 0, 0}, {150, 0, 0});
    ASSERT_TRUE(has_arrived(ray.status)) << name_of(ray.status);
    EXPECT_NEAR(ray.time, 140 / 8.0 + 60 * cosine / 6, 1e-7);
}

TEST(Reflection, BowlHasThreeArrivalsBelowItsFocus) {
    const Grid grid{{201, 1, 81}, {0, 0, 0}, {0.5, 1, 0.5}};
    const LayeredMedium medium(
        {Interface::flat("surface", 0),
         relief("moho", grid, [](double x, double) { return 25 + 8 * std::cos((x - 50) / 15); })},
        {Layer{uniform(grid, 5)}, Layer{uniform(grid, 8)}});
    PhaseOptions all;
    all.arrivals = Arrivals::all;
    const std::vector<Vec3> from{{48, 0, 0}};
    const std::vector<Vec3> to{{52, 0, 0}};
    const std::vector<RayPair> pairs{{0, 0}};
    const auto rays =
        trace_branch(medium, branch_of(medium, "PmP"), from, to, pairs, all, {}).front();
    ASSERT_GE(rays.size(), 3U);
    for (const BranchRay& ray : rays) {
        ASSERT_TRUE(has_arrived(ray.status));
        const double q = ray.joints[0];
        const double z = 25 + 8 * std::cos((q - 50) / 15);
        const double slope = -8.0 / 15 * std::sin((q - 50) / 15);
        // Stationary along the reflector.
        const double d1 = std::hypot(q - 48, z), d2 = std::hypot(q - 52, z);
        EXPECT_NEAR((q - 48 + z * slope) / d1 + (q - 52 + z * slope) / d2, 0, 2e-3);
        EXPECT_NEAR(ray.time, (d1 + d2) / 5, 1e-4);
    }
    EXPECT_GT(std::max({rays[0].maxima, rays[1].maxima, rays[2].maxima}), 0);
}

TEST(Reflection, MultiplesAndDepthPhasesBounceAtTheSurface) {
    const Grid grid{{201, 1, 51}, {0, 0, 0}, {1, 1, 1}};
    const LayeredMedium medium({Interface::flat("surface", 0), Interface::flat("moho", 30)},
                               {Layer{uniform(grid, 6)}, Layer{uniform(grid, 8)}});
    const BranchRay twice = ray_of(medium, "PmPPmP", {10, 0, 0}, {100, 0, 0});
    ASSERT_EQ(twice.status, BranchStatus::ok);
    EXPECT_NEAR(twice.time, std::hypot(90, 120) / 6, 1e-8);
    const BranchRay up = ray_of(medium, "pPmP", {10, 0, 12}, {100, 0, 0});
    ASSERT_EQ(up.status, BranchStatus::ok);
    EXPECT_NEAR(up.time, std::hypot(90, 12 + 60) / 6, 1e-8);
}

TEST(Reflection, ResultsDoNotDependOnThreads) {
    const LayeredMedium medium = crust();
    std::vector<Vec3> to;
    for (int i = 0; i < 40; ++i) to.push_back({20 + 4.0 * i, 0, 0});
    const std::vector<Vec3> from{{10, 0, 1}, {60, 0, 10}};
    const auto pairs = all_pairs(from.size(), to.size());
    const Branch branch = branch_of(medium, "PmP");
    Execution one;
    one.threads = 1;
    Execution four;
    four.threads = 4;
    const auto a = trace_branch(medium, branch, from, to, pairs, {}, one);
    const auto b = trace_branch(medium, branch, from, to, pairs, {}, four);
    for (std::size_t i = 0; i < a.size(); ++i) {
        EXPECT_EQ(a[i].front().time, b[i].front().time);
        EXPECT_EQ(a[i].front().status, BranchStatus::ok);
    }
}

}  // namespace
}  // namespace fermat
