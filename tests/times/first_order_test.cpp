// Where second order does not settle, a source is solved to first order, and every door counts it.
// Isotropic models settle (ground_march_test.cpp); these have tensors, which are the identity.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "executions.hpp"
#include "location/locate.hpp"
#include "model/metric.hpp"
#include "model/metric_makers.hpp"
#include "rays/rays.hpp"
#include "times/times.hpp"
#include "tomography/synthetic.hpp"

namespace fermat {
namespace {

constexpr double velocity = 2;

Model above(const Grid& grid, std::vector<double> surface) {
    CoordinateNumbers numbers;
    numbers.system = Coordinates::terrain;
    numbers.surface = std::move(surface);
    const Model model = Model(grid, Field<float>(grid.shape, static_cast<float>(velocity)))
                            .with_metric(std::make_shared<const Metric>(grid, numbers));
    return elliptical_model(model, Mat3::identity());
}

/// A ridge with slopes of 45 degrees on a plain.
Model ridge() {
    const Grid grid{{81, 1, 41}, {}, {0.1, 0.1, 0.1}};
    std::vector<double> surface;
    for (int i = 0; i < grid.shape.x; ++i) {
        surface.push_back(-3 + std::min(1.0, std::abs(0.1 * i - 4)));
    }
    return above(grid, std::move(surface));
}

/// Ground as maps have it: heights that wander, with an RMS slope of 30 to 100 %.
std::vector<double> wandering(int columns, double slope, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<double> surface(static_cast<std::size_t>(columns), 0.0);
    double squares = 0;
    for (std::size_t i = 1; i < surface.size(); ++i) {
        surface[i] = 0.9 * surface[i - 1] + (static_cast<double>(random() % 2001) - 1000) * 1e-4;
        squares += (surface[i] - surface[i - 1]) * (surface[i] - surface[i - 1]) * 100;
    }
    for (double& z : surface) z *= slope / std::sqrt(squares / (columns - 1));
    return surface;
}

Model rough_section(double slope) {
    const Grid grid{{81, 1, 41}, {}, {0.1, 0.1, 0.1}};
    return above(grid, wandering(81, slope, 5));
}

Model rough_block() {
    const Grid grid{{21, 21, 11}, {}, {0.1, 0.1, 0.1}};
    std::vector<double> surface;
    const auto along = wandering(21, 0.7, 1);
    const auto across = wandering(21, 0.7, 2);
    for (const double x : along) {
        for (const double y : across) surface.push_back(x + y);
    }
    return above(grid, std::move(surface));
}

/// A point some rows below the ground of a column.
Vec3 below(const Model& model, int i, int j, int k) {
    return model.mapping().to_user(model.grid().position({i, j, k}));
}

int told(const Notes& notes, const std::string& count) {
    int found = 0;
    for (const std::string& sentence : notes.sentences()) {
        found += sentence.rfind("times of " + count + " of first order", 0) == 0;
        EXPECT_EQ(sentence.find("refine"), sentence.npos) << sentence;
    }
    return found;
}

TEST(FirstOrder, FieldsOnSteepAndRoughGroundAreSolvedAndCounted) {
    std::vector<std::pair<Model, Vec3>> cases = {{ridge(), {4, 0, -1.2}}};
    for (const double slope : {0.3, 0.6, 1.0}) {
        const Model model = rough_section(slope);
        cases.push_back({model, below(model, 40, 0, 3)});
    }
    const Model block = rough_block();
    cases.push_back({block, below(block, 10, 10, 3)});
    for (const auto& [model, source] : cases) {
        const TimeSolver solver(model, EikonalOptions{}, test::on_cpu());
        EXPECT_TRUE(solver.notes().sentences().empty());
        const PointSource at{source, 0};
        const Field<float> times = solver.first_arrivals(std::span(&at, 1), test::on_cpu());
        EXPECT_EQ(told(solver.notes(), "1 source are"), 1);
        // No node is much earlier than along the straight line, and none deep below the ground,
        // round whose edges the wave must go, is much later.
        const Grid& grid = model.grid();
        for (int i = 0; i < grid.shape.x; ++i) {
            for (int k = 0; k < grid.shape.z; ++k) {
                const Vec3 place = below(model, i, grid.shape.y / 2, k);
                const double line = distance(place, source) / velocity;
                const double time = times(i, grid.shape.y / 2, k);
                ASSERT_TRUE(std::isfinite(time));
                ASSERT_GT(time, 0.97 * line - 1e-3) << i << ' ' << k;
                const bool deep = k >= grid.shape.z / 2;
                ASSERT_LT(time, (deep ? 1.1 : 3) * line + 0.05) << i << ' ' << k;
            }
        }
    }
}

TEST(FirstOrder, FirstOrderItselfEndsWithoutASentence) {
    for (unsigned seed = 0; seed < 10; ++seed) {
        const Grid grid{{81, 1, 41}, {}, {0.1, 0.1, 0.1}};
        const Model model = above(grid, wandering(81, 1.0, seed));
        EikonalOptions options;
        options.order = 1;
        const TimeSolver solver(model, options, test::on_cpu());
        const PointSource at{below(model, 7, 0, 0), 0};
        EXPECT_NO_THROW(solver.first_arrivals(std::span(&at, 1), test::on_cpu()));
        EXPECT_TRUE(solver.notes().sentences().empty());
    }
}

TEST(FirstOrder, TheSameForAnyNumberOfThreads) {
    const Model model = rough_section(1);
    const PointSource at{below(model, 40, 0, 3), 0};
    const TimeSolver solver(model, EikonalOptions{}, test::on_cpu());
    const Field<float> one = solver.first_arrivals(std::span(&at, 1), test::on_cpu(1));
    const Field<float> three = solver.first_arrivals(std::span(&at, 1), test::on_cpu(3));
    for (std::size_t n = 0; n < one.size(); ++n) ASSERT_EQ(one[n], three[n]);
}

TEST(FirstOrder, EveryDoorCountsItsSources) {
    const Model model = rough_section(0.6);
    std::vector<PointSource> sources;
    std::vector<Vec3> receivers;
    for (const int i : {20, 40, 60}) sources.push_back({below(model, i, 0, 5), 0});
    for (int i = 4; i < 80; i += 8) receivers.push_back(below(model, i, 0, 0));
    const Survey survey = survey_of(sources, receivers);

    const TimeSolver solver(model, EikonalOptions{}, test::on_cpu());
    const auto times = solver.receiver_times(sources, receivers, test::on_cpu());
    EXPECT_EQ(told(solver.notes(), "3 sources are"), 1);

    Notes of_rays;
    const RaySet rays = trace_rays(model, survey, {}, test::on_cpu(), &of_rays);
    EXPECT_EQ(told(of_rays, "3 sources are"), 1);
    for (std::size_t n = 0; n < rays.size(); ++n) {
        EXPECT_EQ(rays.rays[n].status, RayStatus::ok);
        EXPECT_NEAR(rays.rays[n].field_time, times[n], 1e-6);
    }

    const SyntheticPicks made = synthetic_picks(model, survey, {0.01, 1}, {}, test::on_cpu());
    EXPECT_EQ(told(made.notes, "3 sources are"), 1);

    Notes of_location;
    const Catalogue found = locate(model, made.picks, {}, nullptr, test::on_cpu(), &of_location);
    EXPECT_EQ(told(of_location, "10 sources are"), 1);
    EXPECT_EQ(found.events.size(), 3U);
}

}  // namespace
}  // namespace fermat
