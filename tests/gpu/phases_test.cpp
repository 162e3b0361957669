// Reflections on a CUDA device are those of the CPU: the same statuses, and times to rounding.
#include <gtest/gtest.h>

#include <cmath>

#include "../phases/layers.hpp"
#include "core/device.hpp"
#include "core/error.hpp"
#include "phases/phases.hpp"

namespace fermat {
namespace {

class CudaPhases : public ::testing::Test {
  protected:
    void SetUp() override {
        if (device_count() == 0) GTEST_SKIP() << "no CUDA device";
    }
};

/// Rays of both devices, compared. Returns how many arrived.
int compare(const LayeredMedium& medium, std::span<const Vec3> sources,
            std::span<const Vec3> receivers, const char* phase = "PmP") {
    const Branch branch = branch_of(medium, phase);
    const auto pairs = all_pairs(sources.size(), receivers.size());
    const Execution cpu{0, Device::cpu};
    const Execution cuda{0, Device::cuda};
    const auto a = trace_branch(medium, branch, sources, receivers, pairs, {}, cpu);
    const auto b = trace_branch(medium, branch, sources, receivers, pairs, {}, cuda);
    int arrived = 0;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const BranchRay& one = a[i].front();
        const BranchRay& other = b[i].front();
        EXPECT_EQ(one.status, other.status) << i;
        if (!has_arrived(one.status)) continue;
        ++arrived;
        EXPECT_NEAR(one.time, other.time, 1e-6 * one.time) << i;
        EXPECT_NEAR(one.length, other.length, 1e-4 * one.length) << i;
        EXPECT_EQ(one.places.size(), one.legs.size() * static_cast<std::size_t>(one.segments) + 1);
        EXPECT_EQ(one.places.front(), other.places.front());
        EXPECT_EQ(one.places.back(), other.places.back());
    }
    return arrived;
}

TEST_F(CudaPhases, ReflectionsInACubeAreThoseOfTheCpu) {
    const Grid grid{{41, 41, 31}, {0, 0, 0}, {1.5, 1.5, 1}};
    const auto depth = [](double x, double y) {
        return 22 + 1.5 * std::sin(x / 9) * std::cos(y / 11);
    };
    std::vector<Vec3> receivers;
    for (int i = 0; i < 12; ++i) {
        for (int j = 0; j < 12; ++j) receivers.push_back({3 + 4.5 * i, 4 + 4.5 * j, 0});
    }
    const std::vector<Vec3> sources{{20, 31, 3}, {45, 12, 10}};
    const std::function<double(Vec3)> media[] = {
        [](Vec3) { return 6.0; }, [](Vec3 p) { return 5 + 0.05 * p.z; },
        [](Vec3 p) { return 5 + 0.05 * p.z + 0.2 * std::sin(p.x / 8) * std::cos(p.y / 7); }};
    for (const auto& velocity : media) {
        const LayeredMedium medium(
            {Interface::flat("surface", 0), test::relief("moho", grid, depth)},
            {{test::model_of(grid, velocity), {}}, {test::uniform(grid, 8), {}}});
        EXPECT_GT(compare(medium, sources, receivers), 200);
    }
}

TEST_F(CudaPhases, RaysAlongAnInterfaceComeFromTheCpu) {
    const Grid grid{{61, 21, 31}, {0, 0, 0}, {2, 2, 1}};
    const LayeredMedium medium({Interface::flat("surface", 0), Interface::flat("moho", 8)},
                               {{test::model_of(grid, [](Vec3 p) { return 4 + 0.3 * p.z; }), {}},
                                {test::uniform(grid, 9), {}}});
    std::vector<Vec3> receivers;
    for (int i = 0; i < 20; ++i) receivers.push_back({10 + 5.0 * i, 20, 0});
    const std::vector<Vec3> sources{{5, 20, 0}};
    compare(medium, sources, receivers);
}

TEST_F(CudaPhases, ConversionsAndRaysThroughLayersAreThoseOfTheCpu) {
    const LayeredMedium medium = test::basin_over_crust();
    std::vector<Vec3> receivers;
    for (int i = 0; i < 12; ++i) {
        for (int j = 0; j < 12; ++j) receivers.push_back({3 + 4.5 * i, 4 + 4.5 * j, 0});
    }
    const std::vector<Vec3> sources{{20, 31, 3}, {45, 12, 12}};
    for (const char* phase : {"PmP", "PmS", "SmS"}) {
        EXPECT_GT(compare(medium, sources, receivers, phase), 200) << phase;
    }
}

TEST_F(CudaPhases, ReflectionsOfASectionAreThoseOfTheCpu) {
    std::vector<Vec3> receivers;
    for (int i = 0; i < 100; ++i) receivers.push_back({30 + 1.5 * i, 0, 0});
    const std::vector<Vec3> sources{{20, 0, 0}};
    EXPECT_GT(compare(test::crust(), sources, receivers), 90);
    EXPECT_GT(compare(test::crust(), sources, receivers, "PmS"), 60);
}

TEST_F(CudaPhases, AllArrivalsAreRefusedInASentence) {
    const LayeredMedium medium = test::crust();
    const std::vector<Vec3> ends{{20, 0, 0}, {150, 0, 0}};
    const std::vector<RayPair> pair{{0, 1}};
    PhaseOptions all;
    all.arrivals = Arrivals::all;
    EXPECT_THROW(
        trace_branch(medium, branch_of(medium, "PmP"), ends, ends, pair, all, {0, Device::cuda}),
        InputError);
}

}  // namespace
}  // namespace fermat
