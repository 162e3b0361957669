#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "core/error.hpp"
#include "executions.hpp"
#include "model/makers.hpp"
#include "rays/rays.hpp"

namespace fermat {
namespace {

RayOptions on_graph(GraphSolver solver) {
    RayOptions options;
    options.tracer = Tracer::graph;
    options.graph.solver = solver;
    return options;
}

TEST(GraphRays, EndAtTheirSourcesAndAreLateByTheStarOnly) {
    const Model model = gradient_model({{61, 1, 41}, {}, {0.1, 0.1, 0.1}}, 2, 0.5);
    const std::array sources{PointSource{{0.33, 0, 0.21}, 1.5}, PointSource{{5, 0, 4}, 0}};
    const std::array receivers{Vec3{6, 0, 0}, Vec3{0, 0, 0}, Vec3{3.37, 0, 2.05}};
    const auto pairs = all_pairs(sources.size(), receivers.size());
    const RaySet descended = trace_rays(model, survey_of(sources, receivers, pairs), {});
    for (const GraphSolver solver : {GraphSolver::dijkstra, GraphSolver::bellman_ford}) {
        const RaySet rays = trace_rays(model, survey_of(sources, receivers, pairs),
                                       on_graph(solver), test::on_cpu(2));
        ASSERT_EQ(rays.size(), pairs.size());
        for (std::size_t r = 0; r < rays.size(); ++r) {
            const auto path = rays.path(r);
            const auto& source = sources[static_cast<std::size_t>(pairs[r].source)];
            EXPECT_EQ(rays.rays[r].status, RayStatus::ok);
            EXPECT_EQ(path.front(), receivers[static_cast<std::size_t>(pairs[r].receiver)]);
            EXPECT_EQ(path.back(), source.position);
            const double time = rays.rays[r].time - source.start_time;
            EXPECT_NEAR(rays.rays[r].field_time, rays.rays[r].time, 1e-5);
            const double least = descended.rays[r].time - source.start_time;
            EXPECT_GT(time, 0.9995 * least);
            EXPECT_LT(time, 1.006 * least);
        }
    }
}

TEST(GraphRays, HaveAStatusInAirAndBehindIt) {
    Field<float> velocity({21, 1, 21}, 2.0F);
    for (int k = 0; k < 21; ++k) velocity(10, 0, k) = 0;
    const Model model({{21, 1, 21}, {}, {1, 1, 1}}, std::move(velocity));
    const std::array sources{PointSource{{2, 0, 2}}, PointSource{{10, 0, 5}}};
    const std::array receivers{Vec3{15, 0, 2}, Vec3{10, 0, 7}, Vec3{4, 0, 4}};
    const RaySet rays = trace_rays(model, survey_of(sources, receivers),
                                   on_graph(GraphSolver::dijkstra), test::on_cpu(2));
    ASSERT_EQ(rays.size(), 6u);
    EXPECT_EQ(rays.rays[0].status, RayStatus::unreachable);
    EXPECT_EQ(rays.rays[1].status, RayStatus::receiver_in_air);
    EXPECT_EQ(rays.rays[2].status, RayStatus::ok);
    EXPECT_EQ(rays.rays[4].status, RayStatus::source_in_air);
    EXPECT_TRUE(std::isinf(rays.rays[0].time));
}

}  // namespace
}  // namespace fermat
