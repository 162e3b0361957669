// Runs the back substitution of the GPU on the host: the same tiles, steps, passes and arithmetic,
// with the lanes of a warp one after another.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "core/block.hpp"
#include "eikonal/adjoint/back_queue.hpp"
#include "eikonal/adjoint/back_weigher.hpp"
#include "eikonal/eikonal.hpp"
#include "eikonal/fim/tile_setup.hpp"
#include "model/makers.hpp"
#include "one_by_one.hpp"

namespace fermat {
namespace {

struct Outcome {
    std::vector<double> lambda;
    double visits_per_tile = 0;
    double in_order = 0;  ///< part of the tiles
    int passes = 0;
    unsigned unsettled = 0;
};

/// The memory of a substitution.
struct Lists {
    explicit Lists(const TileProblem& problem)
        : entries(static_cast<std::size_t>(problem.tile_count())),
          marks(entries),
          leader(entries),
          pending(entries),
          ready(entries, BackOrder::none),
          counters(BackOrder::counter_words),
          latest(entries),
          states(entries),
          counts(TileQueue::ring),
          taken(TileQueue::ring),
          woken(TileQueue::ring, INFINITY),
          waiting(woken) {
        order.marks = marks.data();
        order.latest = latest.data();
        order.leader = leader.data();
        order.pending = pending.data();
        order.ready = ready.data();
        order.counters = counters.data();
        order.entries = static_cast<unsigned>(entries);
        std::copy(std::begin(problem.tiles), std::end(problem.tiles), order.tiles);
        queue.states = states.data();
        for (int i = 0; i < TileQueue::ring; ++i) {
            lists[i].resize(entries);
            queue.list[i] = lists[i].data();
        }
        queue.count = counts.data();
        queue.taken = taken.data();
        queue.woken_least = woken.data();
        queue.waiting_least = waiting.data();
    }

    std::size_t entries;
    std::vector<unsigned> marks, leader, pending, ready, counters;
    std::vector<float> latest;
    std::vector<TileState> states;
    std::vector<unsigned> lists[TileQueue::ring];
    std::vector<unsigned> counts, taken;
    std::vector<float> woken, waiting;
    BackOrder order;
    TileQueue queue;
};

/// How tiles that are ready at the same time are taken.
enum class Turn { first, last };

template <int Dim, int Order, class Real>
Outcome on_tiles(const Model& model, const BasicTimeField<Real>& field, const SourceStarts& starts,
                 std::span<const double> asked, bool everywhere, LaneOrder lanes, Turn turn) {
    TileSetup setup = make_tile_setup(model.grid(), std::span(&starts.factored(), 1), Order);
    TileProblem& tiles = setup.problem;
    tiles.shots = setup.shots.data();
    tiles.starts = setup.starts.data();
    tiles.steps = setup.steps->nodes.data();
    tiles.velocity = model.velocity().data();
    Lists lists(tiles);
    const BackOrder& order = lists.order;
    const TileQueue& queue = lists.queue;
    const std::size_t entries = lists.entries;
    const std::vector<Real> b(asked.begin(), asked.end());
    std::vector<Real> lambda(entries * tile_nodes<Dim>, Real(0));
    std::vector<AxisWeight<Real>> weights(Dim * lambda.size());
    std::vector<Real> by_slowness(lambda.size());
    std::vector<Real> incoming(TileFaces<Dim>::at(static_cast<unsigned>(entries), 6 - 2 * Dim),
                               NAN);
    BackShot<Real> shot{
        field.tau.data(), field.factor.slowness, weights.data(),  by_slowness.data(),
        b.data(),         lambda.data(),         incoming.data(), 0};
    const HostBlock block(lanes);
    WeighStorage<Dim, Real> taus;
    for (unsigned tile = 0; tile < entries; ++tile) {
        BackWeigher<Dim, Order, Real, HostBlock> weigher(block, tiles, setup.shots[0], shot,
                                                         static_cast<int>(tile), taus);
        const auto found = weigher.weigh(everywhere);
        order.marks[tile] = found.marks;
        order.latest[tile] = found.latest;
        shot.latest = std::max(shot.latest, found.latest);
    }
    Outcome out;
    const BackProblem<Real> problem{tiles, &shot, everywhere, 4, &out.unsettled};
    auto storage = std::make_unique<BackStorage<Dim, Real>>();
    for (unsigned entry = 0; entry < entries; ++entry) order.begin(entry);
    while (order.taken() < order.pushed()) {
        if (turn == Turn::last) {
            std::swap(order.ready[order.taken()], order.ready[order.pushed() - 1]);
        }
        take_back_group<Dim, Real>(block, problem, order, queue, order.ready[order.taken()++],
                                   *storage);
    }
    EXPECT_EQ(order.finished(), order.pushed());
    for (unsigned entry = 0; entry < entries; ++entry) {
        out.in_order +=
            order.marks[entry] & BackMark::done ? 1.0 / static_cast<double>(entries) : 0;
        start_back_tile(problem, order, queue, entry);
    }
    int pass = 0;
    for (; !queue.finished(pass); ++pass) {
        queue.prepare(block, pass);
        const int slot = pass % TileQueue::ring;
        for (unsigned n = 0; n < queue.count[slot]; ++n) {
            const unsigned at = lanes == LaneOrder::forward ? n : queue.count[slot] - 1 - n;
            take_back_tile<Dim, Real>(block, problem, order, queue, pass, queue.list[slot][at],
                                      *storage);
        }
    }
    for (const TileState& state : lists.states) out.visits_per_tile += state.visits;
    out.visits_per_tile *= tile_nodes<Dim> / static_cast<double>(asked.size());
    out.passes = pass;
    for (int o = 0; o < tiles.shape[0]; ++o) {
        for (int l = 0; l < tiles.shape[1]; ++l) {
            for (int r = 0; r < tiles.shape[2]; ++r) {
                const int node[3] = {o, l, r};
                out.lambda.push_back(
                    lambda[place_in_tiles<Dim>(tiles, setup.shots[0].shift, node)]);
            }
        }
    }
    return out;
}

struct Case {
    Model model;
    Vec3 source;
    bool everywhere;
};

template <int Dim, int Order, class Real>
void compare(const Case& c, double tolerance) {
    EikonalOptions options;
    options.order = Order;
    const auto field = solve<Real>(c.model, {c.source, 0}, options, {.threads = 1});
    const NodeSlowness slowness(c.model);
    const SourceStarts starts(c.model, slowness, c.source);
    std::mt19937 random(5);
    std::uniform_real_distribution<double> uniform(0.5, 1);
    std::vector<double> asked(field.tau.size(), 0.0);
    for (std::size_t n = 0; n < asked.size(); ++n) {
        const bool wanted = c.everywhere || n % 977 == 13;
        const double value = uniform(random);
        if (wanted && std::isfinite(field.tau[n])) asked[n] = static_cast<float>(value);
    }
    const NodeScheme<Real, Dim, Order> scheme(field.view(), slowness, starts);
    const std::vector<double> reference = test::one_by_one(scheme, field, starts, asked);
    const Outcome forward = on_tiles<Dim, Order, Real>(c.model, field, starts, asked, c.everywhere,
                                                       LaneOrder::forward, Turn::first);
    const Outcome backward = on_tiles<Dim, Order, Real>(c.model, field, starts, asked, c.everywhere,
                                                        LaneOrder::backward, Turn::last);
    EXPECT_EQ(forward.lambda, backward.lambda);
    EXPECT_EQ(forward.unsettled, 0U);
    double largest = 0;
    double size = 0;
    for (std::size_t n = 0; n < reference.size(); ++n) {
        largest = std::max(largest, std::abs(forward.lambda[n] - reference[n]));
        size = std::max(size, std::abs(reference[n]));
    }
    EXPECT_LE(largest, tolerance * size) << "visits " << forward.visits_per_tile;
}

TEST(BackTile, FindsWhatTheCpuFinds) {
    for (const bool everywhere : {true, false}) {
        const Grid square{{101, 1, 87}, {}, {1, 1, 0.8}};
        const Grid box{{37, 33, 41}, {}, {1, 1.3, 0.8}};
        const Case flat{
            random_blocks_model(square, {1, 5, {4, 4, 4}, 3}), {17.4, 0, 1.2}, everywhere};
        const Case full{
            random_blocks_model(box, {1, 5, {4, 4, 4}, 3}), {17.4, 11.3, 1.2}, everywhere};
        compare<2, 2, double>(flat, 1e-12);
        compare<2, 1, double>(flat, 1e-12);
        compare<3, 2, double>(full, 1e-12);
        compare<3, 1, double>(full, 1e-12);
        compare<2, 2, float>(flat, 1e-5);
        compare<3, 2, float>(full, 1e-5);
    }
}

}  // namespace
}  // namespace fermat
