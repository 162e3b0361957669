#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

#include "model/metric_makers.hpp"
#include "phases/layers.hpp"
#include "phases/phases.hpp"

namespace fermat {
namespace {

using test::model_of;
using test::relief;

std::vector<BranchRay> rays_of(const LayeredMedium& medium, std::string_view phase,
                               const std::vector<Vec3>& from, const std::vector<Vec3>& to) {
    std::vector<RayPair> pairs;
    for (std::size_t n = 0; n < from.size(); ++n) {
        pairs.push_back({static_cast<std::int32_t>(n), static_cast<std::int32_t>(n)});
    }
    std::vector<BranchRay> out;
    for (auto& rays : trace_branch(medium, branch_of(medium, phase), from, to, pairs, {}, {})) {
        out.push_back(std::move(rays.front()));
    }
    return out;
}

/// Property: a path and its reverse have the same status and time.
void expect_reciprocity(const LayeredMedium& medium, std::string_view phase,
                        const std::vector<Vec3>& from, const std::vector<Vec3>& to) {
    const std::vector<BranchRay> there = rays_of(medium, phase, from, to);
    const std::vector<BranchRay> back = rays_of(medium, phase, to, from);
    int arrived = 0;
    for (std::size_t n = 0; n < from.size(); ++n) {
        const Vec3 a = from[n];
        const Vec3 b = to[n];
        const std::string pair = std::string(phase) + " from " + std::to_string(a.x) + ", " +
                                 std::to_string(a.y) + ", " + std::to_string(a.z) + " to " +
                                 std::to_string(b.x) + ", " + std::to_string(b.y) + ", " +
                                 std::to_string(b.z);
        EXPECT_EQ(name_of(there[n].status), name_of(back[n].status)) << pair;
        if (!has_arrived(there[n].status) || !has_arrived(back[n].status)) continue;
        EXPECT_NEAR(there[n].time, back[n].time, 1e-9 * back[n].time) << pair;
        ++arrived;
    }
    EXPECT_GT(arrived, static_cast<int>(from.size()) / 4) << phase;
}

/// Three layers below a refraction line: a fault in one interface, a hill in the other.
LayeredMedium faulted_section() {
    const Grid grid{{95, 1, 31}, {0, 0, 0}, {1, 1, 1}};
    const auto layer = [&](double v, double across, double down) {
        return Layer{
            model_of(grid, [=](Vec3 p) { return v + across * std::sin(p.x / 11) + down * p.z; })};
    };
    const auto first = [](double x, double) { return 4 + 1.2 * std::sin(x / 9); };
    const auto second = [](double x, double) {
        return 12 + 2.5 * std::tanh((x - 40) / 1.5) - 3 * std::exp(-std::pow((x - 70) / 8, 2));
    };
    return LayeredMedium(
        {Interface::flat("surface", 0), relief("1", grid, first), relief("2", grid, second)},
        {layer(0.5, 0.03, 0), layer(1.5, 0.1, 0), layer(3, 0.2, 0.001)});
}

/// Ends of random pairs: the first half on top of a box, the others anywhere in it.
struct Ends {
    std::vector<Vec3> from;
    std::vector<Vec3> to;
};
Ends random_ends(int count, Vec3 low, Vec3 high) {
    std::mt19937 random(1);
    const auto between = [&](double a, double b) {
        return std::uniform_real_distribution<double>(a, b)(random);
    };
    Ends out;
    for (int n = 0; n < count; ++n) {
        const double deep = n < count / 2 ? low.z : high.z;
        for (std::vector<Vec3>* ends : {&out.from, &out.to}) {
            const double x = between(low.x, high.x);
            const double y = between(low.y, high.y);
            ends->push_back({x, y, between(low.z, deep)});
        }
    }
    return out;
}

TEST(Reciprocity, HeadWavesAndReflectionsOfAFaultedSectionAreTheSameFromEitherEnd) {
    const LayeredMedium medium = faulted_section();
    const Ends ends = random_ends(300, {0, 0, 0}, {94, 0, 2});
    for (const char* phase : {"P", "P1", "P2", "P1P", "P2P"}) {
        expect_reciprocity(medium, phase, ends.from, ends.to);
    }
}

TEST(Reciprocity, BuriedEndsInOtherLayersAgree) {
    const LayeredMedium medium = faulted_section();
    const Ends ends = random_ends(300, {0, 0, 0}, {94, 0, 9});
    expect_reciprocity(medium, "P", ends.from, ends.to);
}

TEST(Reciprocity, HeadWavesBelowAVolume) {
    const Grid grid{{31, 31, 15}, {0, 0, 0}, {2, 2, 2}};
    const auto layer = [&](double v) {
        return Layer{
            model_of(grid, [=](Vec3 p) { return v + 0.1 * v * std::sin(p.x / 9 + p.y / 14); })};
    };
    const LayeredMedium medium(
        {Interface::flat("surface", 0),
         relief("1", grid,
                [](double x, double y) { return 8 + 2 * std::tanh((x + 0.3 * y - 35) / 4); })},
        {layer(1.5), layer(4)});
    const Ends ends = random_ends(60, {0, 0, 0}, {60, 60, 1});
    for (const char* phase : {"P", "P1"}) {
        expect_reciprocity(medium, phase, ends.from, ends.to);
    }
}

TEST(Reciprocity, WavesThroughAMohoThatDipsOnASphere) {
    const Grid grid{{21, 21, 16}, {40, 5, 0}, {0.25, 0.25, 5}};
    const auto layer = [&](double v) {
        const Model base =
            model_of(grid, [=](Vec3 p) { return v + 0.2 * std::sin(2 * p.x + p.y) + 0.01 * p.z; });
        return Layer{spherical_model(base, 6371, false)};
    };
    std::vector<double> depths;
    const Lattice at{40, 5, 0.25, 0.25, 21, 21};
    for (int i = 0; i < at.nx; ++i) {
        for (int j = 0; j < at.ny; ++j) {
            depths.push_back(32 + 4 * std::tanh(2 * (at.x(i) - 42.5)) + 0.5 * (at.y(j) - 7.5));
        }
    }
    const LayeredMedium medium({Interface::flat("surface", 0), Interface("moho", at, depths)},
                               {layer(6), layer(8)});
    const Ends ends = random_ends(60, {40, 5, 0}, {45, 10, 10});
    for (const char* phase : {"P", "PmP"}) {
        expect_reciprocity(medium, phase, ends.from, ends.to);
    }
}

}  // namespace
}  // namespace fermat
