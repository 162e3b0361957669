// Bent rays in media without a grid (functions, profiles and layers) against closed forms.
#include "rays/velocity_media.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "bending_survey.hpp"
#include "executions.hpp"
#include "model/analytic.hpp"
#include "rays/rays.hpp"

namespace fermat {
namespace {

using test::BentPairs;
using test::farthest;
using test::random_pairs;

// Rays in a constant gradient that is given as a function are arcs with the exact times.
TEST(BendingMedia, ConstantGradientByAFunction) {
    const LinearVelocity medium{2, {0.05, -0.03, 0.5}};
    const BentPairs survey = random_pairs({0, 0, 0}, {10, 10, 10}, 1000, 1);
    const VelocityField field{[&](Vec3 p) { return medium.velocity(p); }, {}, false};
    const RaySet rays =
        bend_rays(field, survey.survey(), {{RayStart::straight}, 0, {}}, test::on_cpu(2));
    ASSERT_EQ(rays.size(), 1000U);
    for (std::size_t n = 0; n < rays.size(); ++n) {
        const Vec3 source = survey.sources[n].position;
        const Vec3 receiver = survey.receivers[n];
        const double exact = medium.time(source, receiver);
        EXPECT_NEAR(rays.rays[n].time, exact, 1e-4 * exact);
        const auto arc = medium.ray(source, receiver, 200);
        EXPECT_LT(farthest(rays.path(n), arc), 0.005 * medium.ray_length(source, receiver)) << n;
        EXPECT_EQ(rays.path(n).front(), receiver);
        EXPECT_EQ(rays.path(n).back(), source);
        EXPECT_EQ(rays.rays[n].field_time, rays.rays[n].time);
    }
}

TEST(BendingMedia, LayersBendByTheHeadWave) {
    const TwoLayers layers{2, 5, 1};
    const std::vector<DepthVelocity> profile{{0, 2}, {1, 5}};
    const DepthMedium medium(profile, Profile::layers, {{-100, -100, 0}, {100, 100, 50}});
    BentPairs survey;
    survey.sources = {{{0, 0, 0}, 0}};
    for (const double x : {1.0, 2.0, 8.0, 16.0}) {
        survey.receivers.push_back({x, 0.5 * x, 0});
        survey.pairs.push_back({0, static_cast<std::int32_t>(survey.receivers.size() - 1)});
    }
    const RaySet rays = bend_rays(medium, survey.survey(), {}, test::on_cpu());
    for (std::size_t n = 0; n < rays.size(); ++n) {
        const double exact = layers.first_arrival(norm(survey.receivers[n]));
        EXPECT_GE(rays.rays[n].time, exact * (1 - 1e-9));
        EXPECT_LE(rays.rays[n].time, exact * 1.01) << n;
    }
}

// In a profile, the ray parameter sin(angle)/v is constant along the ray (Snell).
TEST(BendingMedia, ProfileKeepsTheRayParameter) {
    const std::vector<DepthVelocity> profile{{0, 3}, {4, 5}, {10, 6.5}};
    const DepthMedium medium(profile, Profile::linear);
    BentPairs survey;
    survey.sources = {{{0, 0, 8}, 0}};
    survey.receivers = {{6, 8, 0.5}};
    survey.pairs = {{0, 0}};
    BendingOptions options;
    options.segment = 0.05;
    const RaySet rays = bend_rays(medium, survey.survey(), options, test::on_cpu());
    const auto path = rays.path(0);
    std::vector<double> parameter;
    for (std::size_t i = 8; i + 9 < path.size(); i += 8) {
        const Vec3 d = path[i + 1] - path[i];
        parameter.push_back(std::hypot(d.x, d.y) / norm(d) *
                            medium.slowness(0.5 * (path[i] + path[i + 1])));
    }
    const auto [low, high] = std::minmax_element(parameter.begin(), parameter.end());
    EXPECT_LT(*high / *low, 1.02);
}

TEST(BendingMedia, FunctionsMayHaveAirAndBounds) {
    const VelocityField field{[](Vec3 p) { return std::hypot(p.x - 5, p.z) < 1 ? 0.0 : 2.0; },
                              {{0, -9, 0}, {9, 9, 9}},
                              false};
    BentPairs survey;
    survey.sources = {{{1, 0, 0}, 0}};
    survey.receivers = {{9, 0, 0}, {5, 0, 0.5}};
    survey.pairs = all_pairs(1, 2);
    const RaySet rays = bend_rays(field, survey.survey(), {}, test::on_cpu(2));
    EXPECT_EQ(rays.rays[0].status, RayStatus::ok);
    EXPECT_GT(rays.rays[0].time, 4.0);
    EXPECT_LT(rays.rays[0].time, 4.5);
    EXPECT_EQ(rays.rays[1].status, RayStatus::receiver_in_air);
    for (const Vec3 p : rays.path(0)) EXPECT_TRUE(field.box.contains(p));
}

}  // namespace
}  // namespace fermat
