// One door: every solver, of the eikonal equation or on the graph, answers the same questions.
#include "times/times.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "executions.hpp"
#include "expect_error.hpp"
#include "model/analytic.hpp"
#include "model/makers.hpp"
#include "model/metric_makers.hpp"

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

TEST(Times, DoublePrecisionGoesThroughTheSameDoor) {
    const TimeSolver solver(model, EikonalOptions{}, test::on_cpu(), Precision::full);
    ArrivalField field = solver.solve(source, test::on_cpu());
    ASSERT_NE(field.exact(), nullptr);
    EXPECT_EQ(field.eikonal(), nullptr);
    const std::vector<double> times =
        solver.receiver_times(std::span(&source, 1), points, test::on_cpu());
    for (std::size_t n = 0; n < points.size(); ++n) {
        EXPECT_EQ(times[n], field.time_at(points[n]));
        EXPECT_NEAR(times[n], 4 + exact.time(source.position, points[n]), 5e-3);
    }
    const Field<double> nodes = field.on_nodes<double>();
    const Field<double> earliest =
        solver.first_arrivals<double>(std::span(&source, 1), test::on_cpu());
    EXPECT_TRUE(std::equal(nodes.begin(), nodes.end(), earliest.begin()));
    EXPECT_TRUE(std::isfinite(field.gradient_on_nodes<double>()[0](50, 0, 30)));
    test::expect_error<InputError>([&] { field.on_nodes<float>(); }, "another precision");
    const Model sphere = spherical_model(model, 6371, false);
    test::expect_error<InputError>(
        [&] { TimeSolver(sphere, EikonalOptions{}, test::on_cpu(), Precision::full); },
        "spherical coordinates");
}

TEST(Times, AFrontGoesThroughTheSameDoor) {
    Field<double> front(plane.shape, std::nan(""));
    for (int i = 0; i < plane.shape.x; ++i) front(i, 0, 0) = 1;
    const TimeSolver solver(model, EikonalOptions{}, test::on_cpu());
    Notes notes;
    const ArrivalField field = solver.solve_front(front, test::on_cpu(), notes);
    // Straight down through v = 2 + 0.5 z.
    EXPECT_NEAR(field.time_at({3, 0, 4}), 1 + 2 * std::log(2.0), 5e-3);
}

TEST(Times, EventsInAirAndWithoutArrivalsHaveNoField) {
    Field<float> velocity(plane.shape, 2.0F);
    for (int i = 0; i < plane.shape.x; ++i) velocity(i, 0, 0) = velocity(i, 0, 1) = 0;
    const Model ground(plane, std::move(velocity));
    const Survey survey =
        survey_of(std::vector<PointSource>{{{1, 0, 0}, 0}, {{1, 0, 2}, 0}, {{2, 0, 2}, 0}}, points,
                  std::vector<RayPair>{{0, 0}, {1, 0}, {1, 3}});
    const TimeSolver solver(ground, EikonalOptions{}, test::on_cpu());
    std::vector<std::size_t> solved;
    solver.for_each_event(survey, by_event(survey), test::on_cpu(),
                          [&](std::size_t e, ArrivalField&&) { solved.push_back(e); });
    EXPECT_EQ(solved, std::vector<std::size_t>{1});
    const std::vector<double> times = arrival_times(ground, survey, {}, test::on_cpu());
    EXPECT_TRUE(std::isinf(times[0]));
    EXPECT_NEAR(times[1], std::hypot(4, 1) / 2, 1e-3);
    EXPECT_TRUE(std::isinf(times[2]));
}

TEST(Times, ShadersRefuseWhatTheyDoNotSolveInItsOwnWords) {
    const Model sphere = spherical_model(model, 6371, false);
    test::expect_error<InputError>(
        [&] { TimeSolver(sphere, EikonalOptions{}, test::on_cpu().on(Device::opengl)); },
        "device is 'opengl' (no shaders solve spherical coordinates: use cpu, or cuda)");
}

}  // namespace
}  // namespace fermat
