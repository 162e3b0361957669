// One door: every solver, of the eikonal equation or on the graph, answers the same questions.
#include "times/times.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "executions.hpp"
#include "expect_error.hpp"
#include "model/analytic.hpp"
#include "model/makers.hpp"

namespace fermat {
namespace {

struct Case {
    std::string name;
    TimeMethod method;
    double tolerance;  ///< relative, of times; of gradients ten times as much
};

std::vector<Case> cases() {
    EikonalOptions fmm;
    fmm.solver = Solver::fmm;
    GraphOptions dijkstra;
    dijkstra.solver = GraphSolver::dijkstra;
    dijkstra.radius = {5, 5, 5};
    GraphOptions bellman_ford = dijkstra;
    bellman_ford.solver = GraphSolver::bellman_ford;
    return {{"fim", EikonalOptions{}, 1e-3},
            {"fmm", fmm, 1e-3},
            {"dijkstra", dijkstra, 5e-3},
            {"bellman-ford", bellman_ford, 5e-3}};
}

const Grid plane{{61, 1, 41}, {}, {0.1, 0.1, 0.1}};
const LinearVelocity exact{2, {0, 0, 0.5}};
const Model model = gradient_model(plane, 2, 0.5);
const PointSource source{{1, 0, 0.5}, 4};
const std::vector<Vec3> points{{5, 0, 3}, {2.03, 0, 1.11}, {0, 0, 4}, {6, 0, 0}};

TEST(Times, EverySolverHasTimeGradientAndNodes) {
    for (const Case& c : cases()) {
        SCOPED_TRACE(c.name);
        const TimeSolver solver(model, c.method, test::on_cpu());
        int fields = 0;
        solver.for_each_field(
            std::span(&source, 1), test::on_cpu(2), [&](std::size_t n, ArrivalField&& field) {
                ++fields;
                EXPECT_EQ(n, 0U);
                for (const Vec3 p : points) {
                    const double time = exact.time(source.position, p);
                    EXPECT_NEAR(field.time_at(p), 4 + time, c.tolerance * time);
                    // The length of the gradient is the slowness.
                    EXPECT_NEAR(norm(field.gradient_at(p)) * exact.velocity(p), 1,
                                10 * c.tolerance + 5e-3);
                }
                EXPECT_EQ(norm(field.gradient_at(source.position)), 0);
                const Field<float> nodes = field.on_nodes();
                EXPECT_NEAR(nodes(50, 0, 30), field.time_at(plane.position({50, 0, 30})), 1e-6);
                Field<float> written(plane.shape);
                field.write_nodes(written.view());
                EXPECT_TRUE(std::equal(nodes.begin(), nodes.end(), written.begin()));
            });
        EXPECT_EQ(fields, 1);
    }
}

TEST(Times, ReceiversAreSolvedFromTheFewerSide) {
    std::vector<PointSource> many;
    for (int n = 0; n < 9; ++n) many.push_back({{0.6 * n, 0, 0.3 * n}, 0.5 * n});
    const std::vector<Vec3> few(points.begin(), points.begin() + 2);
    for (const Case& c : cases()) {
        SCOPED_TRACE(c.name);
        const TimeSolver solver(model, c.method, test::on_cpu());
        const auto times = solver.receiver_times(many, few, test::on_cpu(2));
        solver.for_each_field(many, test::on_cpu(), [&](std::size_t s, const ArrivalField& field) {
            for (std::size_t r = 0; r < few.size(); ++r) {
                EXPECT_NEAR(times[s * few.size() + r], field.time_at(few[r]), 1e-3);
            }
        });
        const auto earliest = solver.first_arrivals(many, test::on_cpu());
        double least = INFINITY;
        for (const PointSource& p : many) {
            least =
                std::min(least, p.start_time + exact.time(p.position, plane.position({40, 0, 20})));
        }
        EXPECT_NEAR(earliest(40, 0, 20), least, c.tolerance * least);
        test::expect_error<InputError>(
            [&] {
                solver.receiver_times(many, std::vector<Vec3>{{99, 0, 0}}, test::on_cpu());
            },
            "receiver at", "99");
    }
}

}  // namespace
}  // namespace fermat
