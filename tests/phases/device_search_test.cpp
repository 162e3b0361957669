// The search that a device makes of a pair, run here on the host: its rays are those of
// trace_branch, and what it cannot do it leaves to the host.
#include "phases/device_search.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <vector>

#include "layers.hpp"
#include "phases/device_paths.hpp"
#include "phases/leg_media.hpp"
#include "phases/phases.hpp"
#include "phases/start_lattice.hpp"

namespace fermat {
namespace {

/// What a device is sent, kept on the host.
template <class LayerT, class SurfaceT>
struct HostReflections {
    HostReflections(const LayeredMedium& medium, const Legs& legs) : lattice(medium, legs) {
        std::vector<LayerKind> kinds;
        for (const Leg& leg : legs) {
            kinds.push_back(kind_of(medium.model(leg.layer, leg.wave)));
            layers.push_back(layer_of<LayerT>(medium, leg, kinds.back(), 0));
            if (leg.to >= 0) surfaces.push_back(surface_of<SurfaceT>(medium, leg.to));
            of_legs.push_back(rules_of(medium, leg));
        }
        path.layers = layers.data();
        path.surfaces = surfaces.data();
        path.legs = static_cast<int>(legs.size());
        set_plane(medium, path);
        rules = {of_legs.data(), medium.grid(),          smallest_cell(medium),
                 1e-6,           fewest_segments(kinds), legs.size() == 2 ? 64 : 32};
        if (lattice.slowness_of_legs().empty()) return;
        sum = {lattice.lattice(),
               lattice.pivot_places().data(),
               {lattice.slowness_of_legs().front(), lattice.slowness_of_legs().back()}};
    }
    DeviceRay find(Vec3 source, Vec3 receiver) {
        return find_earliest<few_points>(path, rules, LatticeStarts{sum}, {source, receiver},
                                         points.data());
    }

    /// By starts that the host has found, as of ways with several joints.
    DeviceRay find_by_tables(Vec3 source, Vec3 receiver) {
        const auto starts =
            starts_on_device(lattice, lattice.from_source(source), lattice.from_receiver(receiver));
        std::vector<double> joints;
        std::vector<double> times;
        for (const PathStart& start : starts) {
            times.push_back(start.time);
            joints.insert(joints.end(), start.joints.begin(), start.joints.end());
        }
        const GivenStarts given{joints.data(), times.data(), lattice.joint_count()};
        const DevicePair pair{source, receiver, static_cast<std::int32_t>(times.size()), 0};
        return find_earliest<many_points>(path, rules, given, pair, points.data());
    }

    StartLattice lattice;
    std::vector<LayerT> layers;
    std::vector<SurfaceT> surfaces;
    std::vector<LegRules> of_legs;
    PathMedium<LayerT, SurfaceT> path;
    PathRules rules;
    ChordSum sum;
    std::vector<Vec3> points = std::vector<Vec3>(many_points);
};

LayeredMedium hilly(const std::function<double(Vec3)>& velocity) {
    const Grid grid{{41, 41, 31}, {0, 0, 0}, {1.5, 1.5, 1}};
    const auto depth = [](double x, double y) {
        return 22 + 1.5 * std::sin(x / 9) * std::cos(y / 11);
    };
    return LayeredMedium({Interface::flat("surface", 0), test::relief("moho", grid, depth)},
                         {{test::model_of(grid, velocity), {}}, {test::uniform(grid, 8), {}}});
}

std::vector<Vec3> grid_of_receivers() {
    std::vector<Vec3> out;
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j) out.push_back({6.0 + 9 * i, 7.0 + 9 * j, 0.1 * i});
    }
    return out;
}

class DeviceSearch : public ::testing::TestWithParam<int> {};

TEST_P(DeviceSearch, FindsTheRaysOfTheHost) {
    const std::function<double(Vec3)> media[] = {
        [](Vec3) { return 6.0; }, [](Vec3 p) { return 5 + 0.05 * p.z; },
        [](Vec3 p) { return 5 + 0.05 * p.z + 0.2 * std::sin(p.x / 8) * std::cos(p.y / 7); }};
    const LayeredMedium medium = hilly(media[GetParam()]);
    const Branch branch = branch_of(medium, "PmP");
    const std::vector<Vec3> sources{{20, 31, 3}};
    const std::vector<Vec3> receivers = grid_of_receivers();
    const auto pairs = all_pairs(1, receivers.size());
    const auto expected = trace_branch(medium, branch, sources, receivers, pairs, {}, {});
    const Legs legs = legs_of(branch, medium, 0, 0).front();
    HostReflections<PlainLayer, PlainSurface> device(medium, legs);
    int found = 0;
    for (std::size_t i = 0; i < receivers.size(); ++i) {
        const DeviceRay ray = device.find(sources[0], receivers[i]);
        if (ray.segments == 0) continue;
        ++found;
        const BranchRay& one = expected[i].front();
        EXPECT_EQ(one.status, BranchStatus::ok);
        EXPECT_NEAR(ray.time, one.time, 1e-9 * one.time);
        EXPECT_EQ(ray.segments, one.segments);
        EXPECT_NEAR(ray.length, one.length, 1e-6 * one.length);
        const auto middle = static_cast<std::size_t>(ray.segments);
        EXPECT_LT(distance(device.points[middle], one.places[middle]), 1e-5);
    }
    EXPECT_GT(found, 25);
}
INSTANTIATE_TEST_SUITE_P(Media, DeviceSearch, ::testing::Values(0, 1, 2));

/// Rays of the device's search with given starts beside those of the host. Returns how many.
int compare_given(const LayeredMedium& medium, const char* phase, Vec3 source,
                  const std::vector<Vec3>& receivers) {
    const Branch branch = branch_of(medium, phase);
    const auto pairs = all_pairs(1, receivers.size());
    const std::vector<Vec3> sources{source};
    const auto expected = trace_branch(medium, branch, sources, receivers, pairs, {}, {});
    int found = 0;
    for (std::size_t i = 0; i < receivers.size(); ++i) {
        const BranchRay& one = expected[i].front();
        HostReflections<PlainLayer, PlainSurface> device(medium, one.legs);
        const DeviceRay ray = device.find_by_tables(source, receivers[i]);
        if (ray.segments == 0) continue;
        ++found;
        EXPECT_EQ(one.status, BranchStatus::ok) << phase << i;
        EXPECT_NEAR(ray.time, one.time, 2e-6 * one.time) << phase << i;
        EXPECT_NEAR(ray.length, one.length, 1e-4 * one.length) << phase << i;
    }
    return found;
}

TEST(DeviceSearchOfManyLegs, FindsConversionsAndRaysThroughLayers) {
    const LayeredMedium medium = test::basin_over_crust();
    const Vec3 source{20, 31, 3};
    EXPECT_GT(compare_given(medium, "PmP", source, grid_of_receivers()), 25);
    EXPECT_GT(compare_given(medium, "PmS", source, grid_of_receivers()), 25);
    // From below the basin, up through it.
    EXPECT_GT(compare_given(medium, "PmP", {20, 31, 12}, grid_of_receivers()), 20);
}

TEST(DeviceSearchOfManyLegs, FindsReflectionsOfASection) {
    std::vector<Vec3> receivers;
    for (int i = 0; i < 15; ++i) receivers.push_back({30 + 10.0 * i, 0, 0});
    EXPECT_GT(compare_given(test::crust(), "PmP", {20, 0, 0}, receivers), 10);
}

// A reflector above which a wave cannot pass straight: the path follows it, which is for the host.
TEST(DeviceSearchLimits, LeavesWhatFollowsAnInterfaceToTheHost) {
    const Grid grid{{61, 21, 31}, {0, 0, 0}, {2, 2, 1}};
    const LayeredMedium medium({Interface::flat("surface", 0), Interface::flat("moho", 8)},
                               {{test::model_of(grid, [](Vec3 p) { return 4 + 0.3 * p.z; }), {}},
                                {test::uniform(grid, 9), {}}});
    const Branch branch = branch_of(medium, "PmP");
    const Legs legs = legs_of(branch, medium, 0, 0).front();
    HostReflections<PlainLayer, PlainSurface> device(medium, legs);
    EXPECT_EQ(device.find({5, 20, 0}, {115, 20, 0}).segments, 0);
    EXPECT_GT(device.find({50, 20, 0}, {60, 20, 0}).segments, 0);
    const std::vector<Vec3> ends{{5, 20, 0}, {115, 20, 0}};
    const std::vector<RayPair> pair{{0, 1}};
    const auto host = trace_branch(medium, branch, ends, ends, pair, {}, {});
    EXPECT_NE(host[0].front().status, BranchStatus::ok);
}

}  // namespace
}  // namespace fermat
