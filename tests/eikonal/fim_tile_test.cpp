// Runs the eikonal algorithm of the GPU on the host: the same tiles, steps, passes and arithmetic,
// with the lanes of a warp one after another.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/block.hpp"
#include "eikonal/eikonal.hpp"
#include "eikonal/fim/tile_queue.hpp"
#include "eikonal/fim/tile_setup.hpp"
#include "eikonal/front.hpp"
#include "executions.hpp"
#include "model/analytic.hpp"
#include "model/makers.hpp"

namespace fermat {
namespace {

struct Outcome {
    std::vector<Field<float>> times;
    double visits_per_tile = 0;
    int passes = 0;
};

template <int Dim, int Order>
Outcome run_passes(const Model& model, TileSetup& setup, std::vector<Field<float>> tau,
                   LaneOrder order) {
    TileProblem& problem = setup.problem;
    const std::size_t entries = setup.shots.size() * static_cast<std::size_t>(problem.tile_count());
    for (std::size_t s = 0; s < setup.shots.size(); ++s) setup.shots[s].tau = tau[s].data();
    problem.velocity = model.velocity().data();
    problem.shots = setup.shots.data();
    problem.starts = setup.starts.data();
    problem.steps = setup.steps->nodes.data();

    std::vector<TileState> states(entries);
    std::vector<unsigned> lists[TileQueue::ring];
    std::vector<unsigned> counts(TileQueue::ring);
    std::vector<unsigned> taken(TileQueue::ring);
    std::vector<float> woken(TileQueue::ring * setup.shots.size(), INFINITY);
    std::vector<float> waiting(woken);
    TileQueue queue;
    queue.states = states.data();
    for (int i = 0; i < TileQueue::ring; ++i) {
        lists[i].resize(entries);
        queue.list[i] = lists[i].data();
    }
    queue.count = counts.data();
    queue.taken = taken.data();
    queue.woken_least = woken.data();
    queue.waiting_least = waiting.data();
    queue.shots = static_cast<int>(setup.shots.size());
    for (int parity = 0; parity < 2; ++parity) {
        for (const unsigned entry : setup.active[parity]) {
            states[entry].faces = TileQueue::by_itself;
            states[entry].key = 0;
            queue.push(parity, entry);
        }
    }
    Outcome outcome;
    TileStorage<Dim> storage;
    const HostBlock block(order);
    int pass = 0;
    for (; !queue.finished(pass); ++pass) {
        queue.prepare(block, pass);
        const int slot = pass % TileQueue::ring;
        for (unsigned n = 0; n < counts[slot]; ++n) {
            // The result must not depend on the order of the list.
            const unsigned at = order == LaneOrder::forward ? n : counts[slot] - 1 - n;
            take_tile<Dim, Order>(block, problem, queue, pass, lists[slot][at], storage);
        }
    }
    for (const TileState& state : states) outcome.visits_per_tile += state.visits;
    const double tiles = static_cast<double>(model.grid().node_count()) / tile_nodes<Dim>;
    outcome.visits_per_tile /= tiles * static_cast<double>(setup.shots.size());
    outcome.passes = pass;
    outcome.times = std::move(tau);
    return outcome;
}

Outcome solve_on_tiles(const Model& model, std::span<const Vec3> sources, int order,
                       LaneOrder lanes = LaneOrder::forward) {
    std::vector<FactoredSource> factored;
    std::vector<Field<float>> tau;
    for (const Vec3 source : sources) {
        factored.push_back(factor_source(model, source));
        tau.emplace_back(model.grid().shape, unreached<float>);
        for (const StartNode& start : factored.back().starts) {
            tau.back()(start.node) = static_cast<float>(start.tau);
        }
    }
    TileSetup setup = make_tile_setup(model.grid(), factored, order);
    const bool flat = model.grid().is_2d();
    const auto run = [&]<int Dim, int Order>() {
        return run_passes<Dim, Order>(model, setup, std::move(tau), lanes);
    };
    Outcome outcome = flat ? (order == 1 ? run.operator()<2, 1>() : run.operator()<2, 2>())
                           : (order == 1 ? run.operator()<3, 1>() : run.operator()<3, 2>());
    for (std::size_t s = 0; s < sources.size(); ++s) {
        for (float& value : outcome.times[s]) {
            if (!(value < reached_limit<float>)) value = INFINITY;
        }
        outcome.times[s] =
            to_times(TimeField{model.grid(), factored[s], 0, std::move(outcome.times[s])});
    }
    return outcome;
}

/// A front on tiles. A velocity of 0 keeps the times of its nodes.
Field<float> front_on_tiles(const Model& model, const Field<double>& times, int order) {
    const FactoredFront front = factor_front(model, times);
    std::vector<Field<float>> tau;
    tau.emplace_back(model.grid().shape, unreached<float>);
    for (const StartNode& start : front.source.starts) {
        tau.back()(start.node) = static_cast<float>(start.tau);
    }
    const Model held(model.grid(), held_velocity(model, front.source));
    TileSetup setup = make_tile_setup(model.grid(), std::span(&front.source, 1), order);
    const auto lanes = LaneOrder::forward;
    Outcome outcome = model.grid().is_2d() ? run_passes<2, 2>(held, setup, std::move(tau), lanes)
                                           : run_passes<3, 2>(held, setup, std::move(tau), lanes);
    return to_times(
        TimeField{model.grid(), front.source, front.start_time, std::move(outcome.times[0])});
}

double largest_difference(const Field<float>& a, const Field<float>& b) {
    double largest = 0;
    for (std::size_t n = 0; n < a.size(); ++n) {
        EXPECT_EQ(std::isinf(a[n]), std::isinf(b[n]));
        if (a[n] > 0 && std::isfinite(a[n])) {
            largest = std::max(largest, std::abs(static_cast<double>(b[n]) / a[n] - 1));
        }
    }
    return largest;
}

Field<float> reference(const Model& model, Vec3 source, int order) {
    EikonalOptions options;
    options.order = order;
    return to_times(solve(model, {source, 0}, options));
}

TEST(FimTile, StepsTakeEachNodeOnceAfterThoseBelowIt) {
    const auto check = []<int Dim>(TileShape<Dim> tile) {
        const TileSteps& steps = tile_steps<Dim>();
        for (unsigned outward = 0; outward < TileSteps::sets; ++outward) {
            std::vector<int> step_of(static_cast<std::size_t>(tile_nodes<Dim>), -1);
            for (int step = steps.begin[outward]; step < steps.begin[outward + 1]; ++step) {
                for (int lane = 0; lane < TileSteps::lanes; ++lane) {
                    const auto code =
                        steps.nodes[static_cast<std::size_t>(step * TileSteps::lanes + lane)];
                    if (code == TileSteps::idle) continue;
                    EXPECT_EQ(step_of[code], -1);
                    step_of[code] = step;
                }
            }
            for (int n = 0; n < tile_nodes<Dim>; ++n) {
                EXPECT_GE(step_of[static_cast<std::size_t>(n)], 0);
                for (int axis = 0; axis < 3; ++axis) {
                    const int here = tile.part(n, axis);
                    const int sense = SweepWay{0, outward}.sense<Dim>(axis, here);
                    if (sense == 0 || here - sense < 0) continue;
                    EXPECT_LT(step_of[static_cast<std::size_t>(n - sense * tile.stride(axis))],
                              step_of[static_cast<std::size_t>(n)]);
                }
            }
        }
        return steps;
    };
    EXPECT_LE(check(TileShape<3>{}).begin[1], 26);
    EXPECT_EQ(check(TileShape<2>{}).begin[1], 63);
}

TEST(FimTile, AgreesWithTheCpuSolverOnHardMedia) {
    for (const int dimensions : {2, 3}) {
        const int n = dimensions == 3 ? 37 : 101;
        const Grid grid{{n, dimensions == 3 ? n - 5 : 1, n + 3}, {}, {1, 1.3, 0.8}};
        const double y = dimensions == 3 ? 11.3 : 0;
        Field<float> maze(grid.shape);
        for (std::size_t m = 0; m < maze.size(); ++m) {
            const int k = static_cast<int>(m) % grid.shape.z;
            const int i = static_cast<int>(m) / (grid.shape.z * grid.shape.y);
            maze[m] = k % 9 == 5 && (k / 9 % 2 ? i > 3 : i < n - 4) ? 0.0F : 2.0F;
        }
        std::vector<Model> models;
        models.push_back(random_blocks_model(grid, {1, 10, {4, 4, 4}, 11}));
        models.push_back(random_blocks_model(grid, {1, 5, {1, 1, 1}, 3}));
        models.emplace_back(grid, std::move(maze));
        for (const Model& model : models) {
            for (const Vec3 source : {Vec3{0, 0, 0}, Vec3{17.4, y, 1.2}}) {
                const Outcome first = solve_on_tiles(model, std::span(&source, 1), 1);
                EXPECT_LE(largest_difference(reference(model, source, 1), first.times[0]), 1e-5);
                const Outcome second = solve_on_tiles(model, std::span(&source, 1), 2);
                EXPECT_LE(largest_difference(reference(model, source, 2), second.times[0]), 3e-3);
            }
        }
    }
}

TEST(FimTile, NeitherTheOrderOfLanesNorOfTilesMatters) {
    for (const int dimensions : {2, 3}) {
        const Grid grid{{50, dimensions == 3 ? 33 : 1, 41}, {}, {1, 1, 1}};
        const Model model = random_blocks_model(grid, {1, 5, {3, 3, 3}, 7});
        const std::vector<Vec3> sources{{3.2, 0, 4.5}, {30, 0, 20}, {49, 0, 40}};
        const Outcome a = solve_on_tiles(model, sources, 2, LaneOrder::forward);
        const Outcome b = solve_on_tiles(model, sources, 2, LaneOrder::backward);
        for (std::size_t s = 0; s < sources.size(); ++s) {
            EXPECT_EQ(largest_difference(a.times[s], b.times[s]), 0);
            const Outcome alone = solve_on_tiles(model, std::span(&sources[s], 1), 2);
            EXPECT_EQ(largest_difference(a.times[s], alone.times[0]), 0);
        }
    }
}

TEST(FimTile, SmoothMediaAreDoneInFewVisits) {
    for (const int dimensions : {2, 3}) {
        const int n = dimensions == 3 ? 65 : 257;
        const double h = 10.0 / (n - 1);
        const Grid grid{{n, dimensions == 3 ? n : 1, n}, {}, {h, h, h}};
        const Model model = gradient_model(grid, 2, 0.5);
        const Vec3 source{5, dimensions == 3 ? 5.0 : 0.0, 0.5};
        const Outcome outcome = solve_on_tiles(model, std::span(&source, 1), 2);
        EXPECT_LE(largest_difference(reference(model, source, 2), outcome.times[0]), 5e-6);
        EXPECT_LE(outcome.visits_per_tile, 3);
    }
}

TEST(FimTile, FrontsAgreeWithTheBlockSolver) {
    const RandomSmoothOptions rough{.velocity = 2, .amplitude = 0.3, .correlation = 6};
    for (const Grid& grid : {Grid{{70, 1, 50}, {}, {1, 1, 1}}, Grid{{33, 27, 30}, {}, {1, 1, 1}}}) {
        const Model model = random_smooth_model(grid, rough);
        Field<double> front(grid.shape, -1.0);
        for (int i = 0; i < grid.shape.x; ++i) {
            for (int j = 0; j < grid.shape.y; ++j) front(i, j, 9) = 2 + 0.1 * std::sin(0.3 * i + j);
        }
        Notes notes;
        const Field<float> blocks =
            to_times(solve_front<float>(model, front, {}, test::on_cpu(), notes));
        EXPECT_LT(largest_difference(blocks, front_on_tiles(model, front, 2)), 3e-6);
    }
}

}  // namespace
}  // namespace fermat
