// Bent rays in models: closed forms, times that only fall, the same bits for every unit of parallel
// work, and air.
#include "rays/bending/rays.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

#include "bending_survey.hpp"
#include "core/block.hpp"
#include "core/error.hpp"
#include "core/parallel.hpp"
#include "executions.hpp"
#include "expect_error.hpp"
#include "model/analytic.hpp"
#include "model/makers.hpp"
#include "rays/bending/pair.hpp"
#include "rays/integrate.hpp"
#include "rays/rays.hpp"
#include "rays/sensitivity.hpp"

namespace fermat {
namespace {

using test::BentPairs;
using test::farthest;
using test::Places;
using test::random_pairs;

RaySet gather(const Model& model, const BentPairs& survey, const RayOptions& options,
              int threads = 2) {
    return trace_rays(model, survey_of(survey.sources, survey.receivers, survey.pairs), options,
                      test::on_cpu(threads));
}

RayOptions bending() {
    RayOptions options;
    options.tracer = Tracer::bending;
    return options;
}

void expect_same(const RaySet& a, const RaySet& b) {
    ASSERT_EQ(a.size(), b.size());
    EXPECT_EQ(a.first_point, b.first_point);
    EXPECT_EQ(a.points, b.points);
    for (std::size_t r = 0; r < a.size(); ++r) {
        EXPECT_EQ(a.rays[r].time, b.rays[r].time) << r;
        EXPECT_EQ(a.rays[r].start, b.rays[r].start) << r;
    }
}

// Rays in a constant gradient on a grid, whose slowness between nodes differs slightly from the
// closed form.
TEST(Bending, ConstantGradientOnAGrid) {
    const LinearVelocity medium{2, {0, 0, 0.5}};
    const Grid grid{{65, 65, 65}, {}, {0.15625, 0.15625, 0.15625}};
    const Model model = gradient_model(grid, 2, 0.5);
    const BentPairs survey = random_pairs({0, 0, 0}, {10, 10, 6}, 300, 2);
    const RaySet rays = gather(model, survey, bending());
    for (std::size_t n = 0; n < rays.size(); ++n) {
        const Vec3 source = survey.sources[n].position;
        const double exact = medium.time(source, survey.receivers[n]);
        ASSERT_EQ(rays.rays[n].status, RayStatus::ok);
        EXPECT_NEAR(rays.rays[n].time, exact, 3e-4 * exact);
        const auto arc = medium.ray(source, survey.receivers[n], 200);
        EXPECT_LT(farthest(rays.path(n), arc), 0.005 * rays.rays[n].length);
        // The time of the ray is the integral along its path, as for all tracers.
        EXPECT_NEAR(integrate_path(model, rays.path(n)).time, rays.rays[n].time, 1e-12 * exact);
    }
}

TEST(Bending, NeverSlowerThanTheStraightLine) {
    const Grid grid{{25, 21, 17}, {}, {0.5, 0.5, 0.5}};
    const Model model = random_blocks_model(grid, {1, 6, {2, 2, 2}, 5});
    const BentPairs survey = random_pairs({0, 0, 0}, {12, 10, 8}, 200, 3);
    for (const StartSet starts :
         {StartSet{RayStart::straight}, StartSet{RayStart::straight, RayStart::sides}}) {
        RayOptions options = bending();
        options.bending.starts = starts;
        const RaySet rays = gather(model, survey, options);
        for (std::size_t n = 0; n < rays.size(); ++n) {
            const Vec3 line[] = {survey.receivers[n], survey.sources[n].position};
            EXPECT_LE(rays.rays[n].time, integrate_path(model, line).time * (1 + 1e-12));
            EXPECT_EQ(rays.path(n).front(), line[0]);
            EXPECT_EQ(rays.path(n).back(), line[1]);
        }
    }
}

// A seeded ray is never slower than its seed; in this medium most seeds improve.
TEST(Bending, SeedsOnlyGetFaster) {
    const Grid grid{{33, 1, 25}, {}, {0.5, 0.5, 0.5}};
    const Model model = random_smooth_model(grid, {3, 0.4, 2, 9});
    BentPairs survey = random_pairs({0, 0, 0}, {16, 0, 12}, 100, 4);
    RayOptions options = bending();
    options.bending.starts = {RayStart::descent};
    const RaySet bent = gather(model, survey, options);
    options.tracer = Tracer::descent;
    const RaySet seeds = gather(model, survey, options);
    int faster = 0;
    for (std::size_t n = 0; n < bent.size(); ++n) {
        EXPECT_LE(bent.rays[n].time, seeds.rays[n].time);
        EXPECT_GT(bent.rays[n].time, 0.98 * seeds.rays[n].time);
        EXPECT_EQ(bent.rays[n].start, RayStart::descent);
        for (const Vec3 p : bent.path(n)) EXPECT_EQ(p.y, 0);
        faster += bent.rays[n].time < seeds.rays[n].time;
    }
    EXPECT_GT(faster, 50);
}

TEST(Bending, EveryWayOfSharingTheWorkGivesTheSameBits) {
    const Grid grid{{25, 25, 17}, {}, {0.5, 0.5, 0.5}};
    const Model model = checkerboard_model(gradient_model(grid, 3, 0.3), {{2, 2, INFINITY}, 0.1});
    Places places({0, 0, 0}, {12, 12, 8}, 5);
    BentPairs survey;
    for (int n = 0; n < 6; ++n) survey.sources.push_back({places.next(), 0.5 * n});
    for (int n = 0; n < 7; ++n) survey.receivers.push_back(places.next());
    survey.pairs = all_pairs(6, 7);
    std::reverse(survey.pairs.begin(), survey.pairs.end());
    const RaySet serial = gather(model, survey, bending(), 1);
    EXPECT_EQ(serial.rays.front().source, 0);
    EXPECT_EQ(serial.rays.front().receiver, 6);
    for (const int threads : {1, 2, 5}) {
        for (const auto& [name, tasks] : choices<BendingTasks>.entries) {
            RayOptions options = bending();
            options.bending.tasks = tasks;
            SCOPED_TRACE(name);
            expect_same(gather(model, survey, options, threads), serial);
        }
    }
}

// A team of threads inside a parallel loop has one thread only: a nested loop must not wait for
// threads that never come.
TEST(Bending, SectionsInsideAParallelLoopRunOnItsThread) {
    const Model model = gradient_model({{17, 9, 9}, {}, {1, 1, 1}}, 3, 0.3);
    const BentPairs survey{{{{1, 1, 1}, 0}}, {{15, 7, 1}}, {{0, 0}}};
    RayOptions options = bending();
    const RaySet serial = gather(model, survey, options, 1);
    options.bending.tasks = BendingTasks::sections;
    std::vector<RaySet> inside(3);
    parallel_for(3, 2, [&](std::int64_t n) {
        inside[static_cast<std::size_t>(n)] = gather(model, survey, options, 2);
    });
    for (const RaySet& rays : inside) expect_same(rays, serial);
}

// Without relaxation a ray is worse, and never better: the paper's own algorithm.
TEST(Bending, RelaxationsOnlyShortenTimes) {
    const Grid grid{{33, 33, 17}, {}, {0.5, 0.5, 0.5}};
    const Model model = checkerboard_model(gradient_model(grid, 3, 0.3), {{2, 2, INFINITY}, 0.1});
    const BentPairs survey{{{{1, 2, 6}, 0}}, {{15, 14, 0}, {9, 3, 0}}, all_pairs(1, 2)};
    RayOptions options = bending();
    options.bending.starts = {RayStart::straight};
    const RaySet relaxed = gather(model, survey, options);
    options.bending.relaxations = 0;
    const RaySet plain = gather(model, survey, options);
    for (std::size_t n = 0; n < plain.size(); ++n) {
        EXPECT_GT(plain.rays[n].time, relaxed.rays[n].time);
        EXPECT_LT(plain.rays[n].time, 1.01 * relaxed.rays[n].time);
    }
}

// Running the lanes of a block backward gives the same bits: no phase has a race.
TEST(Bending, PhasesHaveNoRaces) {
    const Grid grid{{17, 17, 17}, {}, {1, 1, 1}};
    const Model model = random_smooth_model(grid, {3, 0.3, 4, 2});
    Field<float> slowness(grid.shape);
    for (std::size_t n = 0; n < slowness.size(); ++n) slowness[n] = 1 / model.velocity()[n];
    const GridMedium<Space::host> medium(grid, model.velocity(), slowness.view(), false);
    const BendSettings settings{32};
    std::vector<std::vector<Vec3>> paths;
    for (const LaneOrder order : {LaneOrder::forward, LaneOrder::backward}) {
        std::vector<Vec3> vectors(BendSpace::vectors(32));
        std::vector<double> scalars(BendSpace::scalars(32));
        BendSpace space(vectors.data(), scalars.data(), 32);
        const StartSet all{RayStart::straight, RayStart::deep, RayStart::sides};
        bend_pair(HostBlock(order), medium, space, {1, 2, 0}, {14, 13, 9}, all, settings);
        paths.emplace_back(space.best, space.best + 33);
    }
    EXPECT_EQ(paths[0], paths[1]);
}

TEST(Bending, AirIsGoneRoundOrAStatus) {
    const Grid grid{{41, 1, 21}, {}, {0.5, 0.5, 0.5}};
    Field<float> velocity(grid.shape, 3);
    // A wall of air hangs at x = 10 down to z = 4, and a pocket of rock on the right is enclosed by
    // air.
    for (int k = 0; k <= 8; ++k) velocity(20, 0, k) = velocity(21, 0, k) = 0;
    for (int i = 34; i <= 40; ++i) {
        for (int k = 0; k <= 6; ++k) {
            if (i <= 35 || k >= 5) velocity(i, 0, k) = 0;
        }
    }
    const Model model(grid, std::move(velocity));
    BentPairs survey;
    survey.sources = {{{2, 0, 0}, 0}, {{10.25, 0, 1}, 0}};
    survey.receivers = {{16, 0, 0}, {19, 0, 1}, {10.25, 0, 2}, {6, 0, 1}};
    survey.pairs = all_pairs(2, 4);
    RayOptions options = bending();
    options.bending.starts = {RayStart::straight, RayStart::deep};
    const RaySet rays = gather(model, survey, options, 1);
    EXPECT_EQ(rays.rays[0].status, RayStatus::ok);
    EXPECT_EQ(rays.rays[0].start, RayStart::deep);
    EXPECT_EQ(rays.rays[1].status, RayStatus::unreachable);
    EXPECT_EQ(rays.rays[2].status, RayStatus::receiver_in_air);
    EXPECT_EQ(rays.rays[3].status, RayStatus::ok);
    for (std::size_t n = 4; n < 8; ++n) EXPECT_EQ(rays.rays[n].status, RayStatus::source_in_air);
    EXPECT_TRUE(std::isinf(rays.rays[1].time));
    EXPECT_EQ(rays.path(1).size(), 1U);
    EXPECT_LT(rays.rays[0].time, 1.15 * (std::hypot(8, 4.25) + std::hypot(6, 4.25)) / 3);
    for (const Vec3 p : rays.path(0)) EXPECT_FALSE(in_air(model, p));
}

TEST(Bending, DegeneratePairs) {
    const Grid grid{{9, 9, 9}, {}, {1, 1, 1}};
    const Model model = constant_model(grid, 4);
    BentPairs survey;
    survey.sources = {{{3, 3, 3}, 2}, {{0, 0, 0}, 0}};
    survey.receivers = {{3, 3, 3}, {3, 3, 5}, {8, 8, 8}, {3, 3, 3 + 1e-12}};
    survey.pairs = all_pairs(2, 4);
    const RaySet rays = gather(model, survey, bending());
    for (std::size_t n = 0; n < rays.size(); ++n) {
        const RayInfo& ray = rays.rays[n];
        const PointSource& source = survey.sources[static_cast<std::size_t>(ray.source)];
        const double way =
            distance(source.position, survey.receivers[static_cast<std::size_t>(ray.receiver)]);
        EXPECT_EQ(ray.status, RayStatus::ok);
        EXPECT_NEAR(ray.time, source.start_time + way / 4, 1e-9) << n;
        EXPECT_NEAR(ray.length, way, 1e-6);
        for (const Vec3 p : rays.path(n)) EXPECT_TRUE(is_finite(p));
    }
}

TEST(Bending, SensitivityGivesTheTimeBack) {
    const Grid grid{{21, 21, 11}, {}, {0.5, 0.5, 0.5}};
    const Model model = random_smooth_model(grid, {4, 0.2, 2, 3});
    const BentPairs survey = random_pairs({0, 0, 0}, {10, 10, 5}, 20, 6);
    const RaySet rays = gather(model, survey, bending());
    const SparseRows rows = sensitivity(model, rays, Basis::nodes);
    for (std::size_t n = 0; n < rays.size(); ++n) {
        double time = 0;
        for (auto i = rows.row_start[n]; i < rows.row_start[n + 1]; ++i) {
            const auto node = static_cast<std::size_t>(rows.column[static_cast<std::size_t>(i)]);
            time += rows.value[static_cast<std::size_t>(i)] / model.velocity()[node];
        }
        EXPECT_NEAR(time, rays.rays[n].time, 1e-9 * time);
    }
}

TEST(Bending, ManyPairsStream) {
    const Grid grid{{9, 9, 9}, {}, {1, 1, 1}};
    const Model model = gradient_model(grid, 3, 0.2);
    Places places({0, 0, 0}, {8, 8, 8}, 7);
    std::vector<PointSource> sources;
    std::vector<Vec3> receivers;
    for (int n = 0; n < 150; ++n) sources.push_back({places.next(), 0});
    for (int n = 0; n < 150; ++n) receivers.push_back(places.next());
    RayOptions options = bending();
    options.bending.starts = {RayStart::straight};
    options.bending.segment = 4;
    std::size_t calls = 0;
    std::size_t largest = 0;
    std::int32_t last = 0;
    for_each_event_rays(model, survey_of(sources, receivers), options, test::on_cpu(2),
                        [&](RaySet&& set) {
                            ++calls;
                            largest = std::max(largest, set.size());
                            EXPECT_GE(set.rays.front().source, last);
                            last = set.rays.back().source;
                            EXPECT_LT(set.rays.back().receiver, 150);
                        });
    EXPECT_EQ(calls, 2U);
    EXPECT_LE(largest, 16384U);
    EXPECT_EQ(last, 149);
}

TEST(Bending, AStopEndsIt) {
    const Model model = constant_model({{9, 9, 9}, {}, {1, 1, 1}}, 1);
    const std::vector<PointSource> sources(50, {{1, 1, 1}, 0});
    const std::vector<Vec3> receivers(50, {7, 7, 7});
    for (const BendingTasks tasks : {BendingTasks::pairs, BendingTasks::sections}) {
        std::atomic<int> asked = 0;
        Monitor monitor({}, [&] { return ++asked > 20; });
        RayOptions options = bending();
        options.bending.tasks = tasks;
        EXPECT_THROW(
            trace_rays(model, survey_of(sources, receivers), options, test::on_cpu(2, monitor)),
            Cancelled);
        EXPECT_LT(asked, 200);
    }
}

TEST(Bending, HostileInputIsASentence) {
    const Model model = constant_model({{9, 9, 9}, {}, {1, 1, 1}}, 1);
    const std::vector<PointSource> sources{{{1, 1, 1}, 0}};
    const std::vector<Vec3> receivers{{7, 7, 7}};
    const auto trace = [&](const BendingOptions& bend, std::vector<RayPair> pairs = {{0, 0}}) {
        RayOptions options = bending();
        options.bending = bend;
        trace_rays(model, survey_of(sources, receivers, pairs), options);
    };
    test::expect_error<InputError>([&] { trace({{}, 0, {}}); }, "no start is given");
    test::expect_error<InputError>([&] { trace({{RayStart::none}, 0, {}}); }, "start 'none'");
    test::expect_error<InputError>([&] { trace({{RayStart::straight}, -1, {}}); }, "segment is -1");
    test::expect_error<InputError>(
        [&] {
            trace({{RayStart::straight}, NAN, {}});
        },
        "segment is nan");
    test::expect_error<InputError>([&] { trace({}, {{0, 1}}); }, "pair (0, 1) names");
    test::expect_error<InputError>([&] { trace({}, {{-1, 0}}); }, "pair (-1, 0) names");
    const Survey job = survey_of(sources, receivers, {});
    const VelocityField bad{[](Vec3 p) { return p.x < 3 ? 1.0 : -2.0; }, {}, false};
    const std::vector<RayPair> pair{{0, 0}};
    for (const auto& [name, tasks] : choices<BendingTasks>.entries) {
        BendingOptions options;
        options.tasks = tasks;
        SCOPED_TRACE(name);
        test::expect_error<InputError>(
            [&] { bend_rays(bad, survey_of(sources, receivers, pair), options, test::on_cpu(3)); },
            "is -2 (must be finite and > 0, or 0 for air)");
    }
    const VelocityField small{[](Vec3) { return 1.0; }, {{0, 0, 0}, {5, 5, 5}}, false};
    test::expect_error<InputError>([&] { bend_rays(small, job, {}); }, "receiver 0 at (7, 7, 7)");
    const VelocityField fine{[](Vec3) { return 1.0; }, {}, false};
    test::expect_error<InputError>(
        [&] {
            bend_rays(fine, job, {{RayStart::descent}, 0, {}});
        },
        "start 'descent' needs a model on a grid");
    test::expect_error<InputError>([&] { DepthMedium({}, Profile::linear); }, "no profile point");
}

TEST(Bending, RefusesVelocityInCells) {
    const Grid grid{{5, 1, 5}, {}, {1, 1, 1}};
    const Model model = Model::of_cells(grid, Field<float>(grid.cell_shape(), 2.0F));
    const BentPairs survey{{{{0, 0, 0}, 0}}, {{4, 0, 4}}, {{0, 0}}};
    test::expect_error<InputError>([&] { gather(model, survey, bending()); }, "bending",
                                   "`to_nodes`");
}

}  // namespace
}  // namespace fermat
