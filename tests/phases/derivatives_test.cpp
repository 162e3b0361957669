#include "phases/derivatives.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "phases/layers.hpp"
#include "phases/phases.hpp"

namespace fermat {
namespace {

using test::model_of;
using test::relief;

/// Two layers with gradients and an undulating Moho; the nodes and depths may be shifted.
struct Crust {
    Grid grid;
    std::vector<Field<float>> velocity;
    std::vector<double> moho;

    explicit Crust(bool flat)
        : grid(flat ? Grid{{41, 1, 21}, {0, 0, 0}, {4, 1, 2}}
                    : Grid{{21, 11, 21}, {0, 0, 0}, {5, 5, 2}}) {
        const auto add = [&](const std::function<double(Vec3)>& v) {
            velocity.push_back(Field<float>(grid.shape));
            const Model model = model_of(grid, v);
            std::copy(model.velocity().begin(), model.velocity().end(), velocity.back().begin());
        };
        add([](Vec3 p) { return 5 + 0.04 * p.z + 0.003 * p.x; });
        add([](Vec3 p) { return 8 + 0.01 * (p.z - 30) + 0.001 * p.x; });
        const Interface surface = relief(
            "moho", grid, [](double x, double y) { return 28 + 2 * std::sin(x / 20 + y / 30); });
        moho = surface.depth();
    }
    LayeredMedium medium() const {
        return LayeredMedium(
            {Interface::flat("surface", 0), Interface("moho", columns_of(Place(grid)), moho)},
            {Layer{Model(grid, velocity[0].copy())}, Layer{Model(grid, velocity[1].copy())}});
    }
};

BranchRay ray_in(const LayeredMedium& medium, std::string_view phase, Vec3 source, Vec3 receiver) {
    PhaseOptions options;
    options.tolerance = 1e-9;
    const std::vector<Vec3> from{source};
    const std::vector<Vec3> to{receiver};
    const std::vector<RayPair> pairs{{0, 0}};
    return trace_branch(medium, branch_of(medium, phase), from, to, pairs, options, {})
        .front()
        .front();
}

class Derivatives : public ::testing::TestWithParam<bool> {};

TEST_P(Derivatives, AgreeWithDifferencesOfTimes) {
    Crust crust(GetParam());
    const double y = GetParam() ? 0 : 22;
    for (const auto* phase : {"PmP", "Pn"}) {
        const Vec3 source{6, y, 3};
        const Vec3 receiver{93, GetParam() ? 0 : 31.0, 0};
        const BranchRay ray = ray_in(crust.medium(), phase, source, receiver);
        ASSERT_TRUE(has_arrived(ray.status)) << phase << " " << name_of(ray.status);
        const BranchDerivative by = derivative_of(crust.medium(), ray);
        // By the largest derivatives of velocity and depth.
        const auto larger = [](const auto& a, const auto& b) {
            return std::fabs(a.value) < std::fabs(b.value);
        };
        const auto v = *std::max_element(by.velocity.begin(), by.velocity.end(), larger);
        auto& nodes = crust.velocity[static_cast<std::size_t>(v.part / 2)];
        const auto time = [&] { return ray_in(crust.medium(), phase, source, receiver).time; };
        const float was = nodes[static_cast<std::size_t>(v.number)];
        const float step = 0.02F;
        nodes[static_cast<std::size_t>(v.number)] = was + step;
        const double more = time();
        nodes[static_cast<std::size_t>(v.number)] = was - step;
        const double less = time();
        nodes[static_cast<std::size_t>(v.number)] = was;
        EXPECT_NEAR((more - less) / (2 * step), v.value, 0.02 * std::fabs(v.value)) << phase;

        const auto d = *std::max_element(by.depth.begin(), by.depth.end(), larger);
        double& depth = crust.moho[static_cast<std::size_t>(d.number)];
        const double shift = 0.01;
        depth += shift;
        const double deeper = time();
        depth -= 2 * shift;
        const double shallower = time();
        depth += shift;
        EXPECT_NEAR((deeper - shallower) / (2 * shift), d.value, 0.01 * std::fabs(d.value))
            << phase;

        const auto moved = [&](double dx) {
            return ray_in(crust.medium(), phase, source + Vec3{dx, 0, 0}, receiver).time;
        };
        EXPECT_NEAR((moved(0.01) - moved(-0.01)) / 0.02, by.source.x, 1e-4) << phase;
    }
}

INSTANTIATE_TEST_SUITE_P(Dimensions, Derivatives, ::testing::Values(true, false));

}  // namespace
}  // namespace fermat
