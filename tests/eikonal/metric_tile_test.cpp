// Runs the solver of metrics of the GPU on the host: the same tiles, steps, passes and arithmetic,
// with the lanes of a warp one after another.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "bench/metric_media.hpp"
#include "core/block.hpp"
#include "eikonal/metric/metric_solver.hpp"
#include "eikonal/metric/metric_tile_setup.hpp"
#include "eikonal/metric/node_medium.hpp"
#include "executions.hpp"

namespace fermat {
namespace {

std::vector<Quad> diagonal_quads(const NodeNumbers& numbers) {
    const auto mean = static_cast<float>(medium_mean(numbers));
    std::vector<Quad> out(numbers.shape.count());
    for (std::size_t n = 0; n < out.size(); ++n) {
        out[n] = {numbers.values[at(NodeNumber::xx)][n], numbers.values[at(NodeNumber::yy)][n],
                  numbers.values[at(NodeNumber::zz)][n], relative_mean(mean, numbers.mean[n])};
    }
    return out;
}

std::vector<Quad> cross_quads(const NodeNumbers& numbers) {
    if (!numbers.full()) return {};
    std::vector<Quad> out(numbers.shape.count());
    for (std::size_t n = 0; n < out.size(); ++n) {
        const auto value = [&](NodeNumber number) { return numbers.values[at(number)][n]; };
        const SymmetricTensor<float> m{value(NodeNumber::xx), value(NodeNumber::yy),
                                       value(NodeNumber::zz), value(NodeNumber::xy),
                                       value(NodeNumber::xz), value(NodeNumber::yz)};
        out[n] = {value(NodeNumber::xy), value(NodeNumber::xz), value(NodeNumber::yz),
                  coupling_reach(m)};
    }
    return out;
}

std::vector<Quad> source_quads(const NodeNumbers& numbers) {
    std::vector<Quad> out(numbers.shape.count());
    for (std::size_t n = 0; n < out.size(); ++n) {
        out[n] = {
            numbers.values[at(NodeNumber::gamma_x)][n], numbers.values[at(NodeNumber::gamma_y)][n],
            numbers.values[at(NodeNumber::gamma_z)][n], numbers.values[at(NodeNumber::f2)][n]};
    }
    return out;
}

struct Outcome {
    Field<float> tau;
    double visits_per_tile = 0;
    int passes = 0;
};

struct Lists {
    explicit Lists(std::size_t tiles) : states(tiles) {
        queue.states = states.data();
        for (int i = 0; i < TileQueue::ring; ++i) {
            lists[i].resize(tiles);
            queue.list[i] = lists[i].data();
        }
        queue.count = counts.data();
        queue.taken = taken.data();
        queue.woken_least = woken.data();
        queue.waiting_least = waiting.data();
        queue.shots = 1;
    }
    std::vector<TileState> states;
    std::vector<unsigned> lists[TileQueue::ring];
    std::vector<unsigned> counts = std::vector<unsigned>(TileQueue::ring);
    std::vector<unsigned> taken = counts;
    std::vector<float> woken = std::vector<float>(TileQueue::ring, INFINITY);
    std::vector<float> waiting = woken;
    TileQueue queue;
};

template <bool Full, int Order, bool ByNeighbours>
void run_wave(const MetricTileSetup& setup, LaneOrder order, bool visit_all, Outcome& outcome) {
    MetricTileProblem problem = setup.problem;
    problem.visit_all = visit_all;
    Lists on(static_cast<std::size_t>(problem.tile_count()));
    for (int parity = 0; parity < 2; ++parity) {
        for (const unsigned entry : setup.active[parity]) {
            on.states[entry].faces = TileQueue::by_itself;
            on.states[entry].key = 0;
            on.queue.push(parity, entry);
        }
    }
    MetricTileStorage storage;
    const HostBlock block(order);
    int pass = 0;
    for (; !on.queue.finished(pass); ++pass) {
        on.queue.prepare(block, pass);
        const int slot = pass % TileQueue::ring;
        for (unsigned n = 0; n < on.counts[slot]; ++n) {
            // The result must not depend on the order of the list.
            const unsigned at = order == LaneOrder::forward ? n : on.counts[slot] - 1 - n;
            take_metric_tile<Full, Order, ByNeighbours>(block, problem, on.queue, pass,
                                                        on.lists[slot][at], storage);
        }
    }
    double visits = 0;
    for (const TileState& state : on.states) visits += state.visits;
    outcome.visits_per_tile +=
        visits * tile_nodes<3> / static_cast<double>(outcome.tau.shape().count());
    outcome.passes += pass;
}

/// With `two_waves`, second order starts from the first-order solution, as in long cells.
Outcome solve_on_tiles(const MetricMedium& medium, LaneOrder lanes = LaneOrder::forward,
                       bool two_waves = false) {
    const NodeMedium nodes(medium.model, 1);
    const MetricFactor factor(medium.model, medium.model.mapping().to_grid(medium.source));
    const SourceNumbers of = nodes.fields_of(factor, 1);
    const NodeNumbers numbers = nodes.numbers(of, factor.position());
    const std::vector<Quad> diagonal = diagonal_quads(numbers);
    const std::vector<Quad> cross = cross_quads(numbers);
    const std::vector<Quad> source = source_quads(numbers);
    Outcome outcome;
    outcome.tau = of.fields[static_cast<std::size_t>(NodeNumber::tau)].copy();
    MetricTileSetup setup = make_metric_tiles(numbers);
    setup.shot.tau = outcome.tau.data();
    setup.shot.source = source.data();
    setup.problem.diagonal = diagonal.data();
    setup.problem.cross = cross.empty() ? nullptr : cross.data();
    setup.problem.shots = &setup.shot;
    setup.problem.steps = setup.steps->nodes.data();
    if (numbers.full()) {
        if (two_waves) run_wave<true, 1, true>(setup, lanes, false, outcome);
        run_wave<true, 2, false>(setup, lanes, two_waves, outcome);
    } else {
        if (two_waves) run_wave<false, 1, true>(setup, lanes, false, outcome);
        run_wave<false, 2, false>(setup, lanes, two_waves, outcome);
    }
    return outcome;
}

double mean_error(const MetricMedium& medium, const Outcome& outcome) {
    const Grid& grid = medium.model.grid();
    const MetricFactor factor(medium.model, medium.model.mapping().to_grid(medium.source));
    double sum = 0;
    for_each_node(grid.shape, [&](Index3 n) {
        const Vec3 q = grid.position(n);
        const Mapping& mapping = medium.model.mapping();
        const double time = outcome.tau[grid.shape.offset(n)] * factor.time(mapping.place(q));
        sum += std::abs(time - medium.time(mapping.to_user(q)));
    });
    return sum / static_cast<double>(grid.node_count());
}

TEST(MetricTile, DiagonalTensorsAreSolvedInFewVisits) {
    const MetricMedium medium = power_law_block(41);
    const Outcome outcome = solve_on_tiles(medium);
    EXPECT_LT(mean_error(medium, outcome), 1.2e-5);
    EXPECT_LT(outcome.visits_per_tile, 3.5);
}

TEST(MetricTile, FullTensorsAreSolvedInFewVisits) {
    const MetricMedium medium = diffeomorphic_cube(41);
    const Outcome outcome = solve_on_tiles(medium);
    EXPECT_LT(mean_error(medium, outcome), 6e-5);
    EXPECT_LT(outcome.visits_per_tile, 3.5);
}

TEST(MetricTile, SecondOrderAfterFirstOrderVisitsEveryTile) {
    for (const bool full : {false, true}) {
        const MetricMedium medium = full ? diffeomorphic_cube(33) : power_law_block(33);
        const Outcome once = solve_on_tiles(medium);
        const Outcome twice = solve_on_tiles(medium, LaneOrder::forward, true);
        for (std::size_t n = 0; n < once.tau.size(); ++n) {
            ASSERT_NEAR(twice.tau[n] / once.tau[n], 1, full ? 2e-5 : 2e-6) << full << ' ' << n;
        }
    }
}

/// Rounding to the nearest made these times too early by 3.6e-7 of themselves.
TEST(MetricTile, RoundingErrorsDoNotAddUp) {
    const MetricMedium medium = power_law_block(161);
    const MetricSolver solver(medium.model, {}, test::on_cpu(0));
    const MetricField field = solver.solve({medium.source, 0}, test::on_cpu(0));
    const Mapping& mapping = medium.model.mapping();
    double sum = 0;
    double nodes = 0;
    for (int n = 0; n < 161; n += 4) {
        for (int m = 0; m < 161; m += 4) {
            const Vec3 q = medium.model.grid().position({n, m, (n + m) / 2});
            const double time = medium.time(mapping.to_user(q));
            sum += time_at(field, q) / time - 1;
            ++nodes;
        }
    }
    EXPECT_LT(std::abs(sum / nodes), 5e-8);
}

TEST(MetricTile, LanesOfAStepDoNotReadOneAnother) {
    for (const bool full : {false, true}) {
        const MetricMedium medium = full ? diffeomorphic_cube(21) : power_law_block(21);
        const Outcome forward = solve_on_tiles(medium, LaneOrder::forward);
        const Outcome backward = solve_on_tiles(medium, LaneOrder::backward);
        EXPECT_EQ(std::memcmp(forward.tau.data(), backward.tau.data(),
                              forward.tau.size() * sizeof(float)),
                  0);
    }
}

TEST(MetricTile, TheGridsEdgeAndAnOddShapeAreKept) {
    MetricMedium medium = power_law_block(19);
    Field<float> velocity(medium.model.grid().shape);
    std::copy(medium.model.velocity().begin(), medium.model.velocity().end(), velocity.begin());
    for_each_node(velocity.shape(), [&](Index3 n) {
        if (n.y == 13) velocity(n) = 0;
    });
    medium.model = medium.model.with_given(std::move(velocity));
    const Outcome outcome = solve_on_tiles(medium);
    for_each_node(medium.model.grid().shape, [&](Index3 n) {
        const float tau = outcome.tau[medium.model.grid().shape.offset(n)];
        EXPECT_EQ(tau < reached_limit<float>, n.y < 13) << n.x << ' ' << n.y << ' ' << n.z;
    });
}

}  // namespace
}  // namespace fermat
