// What a device makes of a source from columns of nodes is what the host makes of every node.
#include "eikonal/metric/node_frames.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "bench/metric_media.hpp"
#include "eikonal/metric/node_medium.hpp"

namespace fermat {
namespace {

const Grid deep_box{{9, 7, 6}, {40, 178, 0}, {0.5, 0.5, 10}};

Place deep_place(Coordinates system) {
    CoordinateNumbers numbers;
    numbers.system = system;
    for (int axis = 0; axis < 3 && system == Coordinates::graded; ++axis) {
        for (int n = 0; n < deep_box.shape[axis]; ++n) {
            const double end = deep_box.shape[axis] - 1;
            numbers.axes[static_cast<std::size_t>(axis)].push_back(
                deep_box.coordinate(axis, end * std::pow(n / end, 1.2)));
        }
    }
    for (int i = 0; system == Coordinates::terrain && i < deep_box.shape.x; ++i) {
        for (int j = 0; j < deep_box.shape.y; ++j) {
            numbers.surface.push_back(4 * std::sin(0.9 * i) - 0.2 * j * j);
        }
    }
    return {deep_box, make_mapping(deep_box, numbers)};
}

class NodeFramesOf : public testing::TestWithParam<Coordinates> {};

TEST_P(NodeFramesOf, ColumnsGiveEveryNodeItsPlaceAndSlopes) {
    const Place place = deep_place(GetParam());
    const auto frames = node_frames(place, 2);
    ASSERT_TRUE(frames.has_value());
    for_each_node(deep_box.shape, [&](Index3 n) {
        const std::size_t column = static_cast<std::size_t>(n.x * deep_box.shape.y + n.y);
        const NodeFrame frame =
            frame_of(frames->columns[column], frames->rows[static_cast<std::size_t>(n.z)]);
        const Vec3 at = place.mapping().place(deep_box.position(n));
        const Mat3 jacobian = place.mapping().node_jacobian(deep_box, n);
        EXPECT_LT(distance(frame.place, at), 1e-12 * (norm(at) + 1));
        for (int axis = 0; axis < 3; ++axis) {
            const Vec3 along{jacobian(0, axis), jacobian(1, axis), jacobian(2, axis)};
            EXPECT_LT(distance(frame.along[axis], along), 1e-11 * norm(along)) << axis;
        }
    });
}

INSTANTIATE_TEST_SUITE_P(AllCoordinates, NodeFramesOf,
                         testing::Values(Coordinates::cartesian, Coordinates::graded,
                                         Coordinates::spherical, Coordinates::terrain));

void expect_numbers_of_every_node(const MetricMedium& medium) {
    const Model& model = medium.model;
    const Grid& grid = model.grid();
    const NodeMedium nodes(model, 1);
    const MetricFactor factor(model, model.place().inside(medium.source, "source"));
    const SourceNumbers made = nodes.fields_of(factor, 1);
    const NodeNumbers numbers = nodes.numbers(made, factor.position());
    const auto frames = node_frames(model.place(), 1);
    ASSERT_TRUE(frames.has_value());
    std::vector<char> starts(grid.shape.count());
    for (const StartNode& start : made.starts) starts[nodes.shape().offset(start.node)] = 1;
    const int first = grid.is_2d() ? 1 : 0;
    int compared = 0;
    for_each_node(grid.shape, [&](Index3 n) {
        const std::size_t node = grid.shape.offset(n);
        if (starts[node]) return;
        const NodeFrame frame =
            frame_of(frames->columns[node / static_cast<std::size_t>(grid.shape.z)],
                     frames->rows[static_cast<std::size_t>(n.z)]);
        const Vec3 d = frame.place - factor.place();
        const SourceNumber here = source_number(frame.along, factor.ellipse().at(d.x, d.y, d.z),
                                                numbers.mean[node], steps_along(grid));
        const auto value = [&](NodeNumber which) { return numbers.values[at(which)][node]; };
        EXPECT_NEAR(here.f2, value(NodeNumber::f2), 1e-6 * std::abs(here.f2));
        EXPECT_NEAR(here.gamma[first], value(NodeNumber::gamma_x), 1e-6);
        EXPECT_NEAR(here.gamma[1 - first], value(NodeNumber::gamma_y), 1e-6);
        EXPECT_NEAR(here.gamma[2], value(NodeNumber::gamma_z), 1e-6);
        ++compared;
    });
    EXPECT_GT(compared, 100);
}

TEST(NodeFrames, NumbersOfASourceAreThoseOfTheHost) {
    expect_numbers_of_every_node(power_law_block(9, 30, 50));
    expect_numbers_of_every_node(diffeomorphic_cube(9));
    expect_numbers_of_every_node(mountain(9, 0.5));
    expect_numbers_of_every_node(graded_section(17));
}

}  // namespace
}  // namespace fermat
