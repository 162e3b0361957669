// Absurd spacings are refused before any work. Bending works with points so close that the square
// of their distance is 0, and with a model whose memory was changed after it was made.
#include "rays/rays.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "executions.hpp"
#include "expect_error.hpp"
#include "graph/graph.hpp"
#include "model/makers.hpp"

namespace fermat {
namespace {

using test::expect_error;

Grid square(double h) { return {{9, 1, 9}, {}, {h, h, h}}; }

RaySet bend(const Model& model, Vec3 source, Vec3 receiver) {
    RayOptions options;
    options.tracer = Tracer::bending;
    const std::vector<PointSource> sources{{source, 0}};
    const std::vector<Vec3> receivers{receiver};
    return trace_rays(model, survey_of(sources, receivers), options, test::on_cpu());
}

TEST(AbsurdSpacings, AbsurdSpacingsAreRefused) {
    for (const double h : {1e-300, 1e-200, 1e-100, 1e-31, 1e31, 1e160, 1e300}) {
        expect_error<InputError>([&] { constant_model(square(h), 2); }, "spacing along x",
                                 "between 1e-30 and 1e+30", "units of length");
    }
    EXPECT_NO_THROW(constant_model(square(1e-30), 2));
    EXPECT_NO_THROW(constant_model(square(1e30), 2));
}

TEST(AbsurdSpacings, BentRaysAndShortestPathsAreRightAtTheLimits) {
    for (const double h : {1e-30, 1e30}) {
        const Model model = constant_model(square(h), 2);
        const Vec3 source{h, 0, h};
        const Vec3 receiver{7 * h, 0, 5 * h};
        const double time = distance(source, receiver) / 2;
        EXPECT_NEAR(bend(model, source, receiver).rays[0].time, time, 1e-5 * time);
        const Graph graph(model, {});
        const GraphField field = solve(graph, {source, 0});
        EXPECT_NEAR(time_at(graph, field, receiver), time, 1e-5 * time);
    }
}

TEST(AbsurdSpacings, TimesThatSinglePrecisionDoesNotHoldAreRefused) {
    expect_error<InputError>([] { Graph(constant_model(square(1e-30), 1e8), {}); },
                             "times of the graph", "other units");
    expect_error<InputError>([] { Graph(constant_model(square(1e30), 1e-8), {}); },
                             "times of the graph", "other units");
}

TEST(AbsurdSpacings, PointsCloserThanSquaresCanTellAreOne) {
    const Model model = constant_model(square(1), 2);
    for (const double x : {1e-170, 1e-160, 1e-155, 1e-100, 1e-30, 1e-12}) {
        const RaySet rays = bend(model, {0, 0, 0}, {x, 0, 0});
        EXPECT_EQ(rays.rays[0].status, RayStatus::ok);
        EXPECT_NEAR(rays.rays[0].time, x / 2, 1e-6 * x + 1e-160) << x;
    }
}

TEST(AbsurdSpacings, AModelChangedThroughAnOlderViewIsTold) {
    const Grid grid = square(1);
    for (const float bad : {std::numeric_limits<float>::quiet_NaN(), -1.0F, 0.0F}) {
        const auto memory = std::make_shared<std::vector<float>>(grid.node_count(), 2.0F);
        const Model model(grid, FieldView<const float>(memory->data(), grid.shape), memory);
        EXPECT_EQ(bend(model, {0, 0, 0}, {8, 0, 8}).rays[0].status, RayStatus::ok);
        (*memory)[40] = bad;
        expect_error<InputError>([&] { bend(model, {0, 0, 0}, {8, 0, 8}); }, "velocity");
    }
}

}  // namespace
}  // namespace fermat
