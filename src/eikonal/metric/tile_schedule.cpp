#include "eikonal/metric/tile_schedule.hpp"

#include <algorithm>
#include <limits>

#include "core/parallel.hpp"
#include "eikonal/metric/tile_lanes.hpp"

namespace fermat {
namespace {

constexpr unsigned all_faces = (1U << 6) - 1;
constexpr float not_due = std::numeric_limits<float>::infinity();

}  // namespace

MetricTiles::MetricTiles(const NodeNumbers& numbers, float* tau, int threads)
    : numbers_(numbers),
      tau_(tau),
      threads_(threads),
      setup_(make_metric_tiles(numbers)),
      store_(numbers, setup_.problem,
             {setup_.shot.shift[0], setup_.shot.shift[1], setup_.shot.shift[2]}),
      jumps_(std::make_unique<JumpSlopes>(numbers)) {
    restart();
    store_.put_numbers(threads);
    const double mean = medium_mean(numbers);
    for (int t = 0; t < threads; ++t) {
        workers_.push_back(std::make_unique<TileLanes>(store_, mean, *jumps_));
    }
}

MetricTiles::~MetricTiles() = default;

void MetricTiles::activate(int tile, unsigned faces, float key) {
    State& state = states_[static_cast<std::size_t>(tile)];
    if (state.visits >= fim_most_visits) return;
    if (state.faces == 0) {
        active_[static_cast<std::size_t>(setup_.problem.parity(tile))].push_back(tile);
        state.key = key;
    }
    state.faces |= faces;
    state.key = std::min(state.key, key);
}

/// Tiles of one parity that do not wait for others (fim_waits).
std::vector<int> MetricTiles::take_batch(int parity) {
    float first = not_due;
    for (const auto& list : active_) {
        for (const int tile : list) {
            first = std::min(first, states_[static_cast<std::size_t>(tile)].key);
        }
    }
    auto& list = active_[static_cast<std::size_t>(parity)];
    const auto later = std::partition(list.begin(), list.end(), [&](int tile) {
        const State& state = states_[static_cast<std::size_t>(tile)];
        return !fim_waits(state.visits, state.key, first, setup_.problem.crossing);
    });
    std::vector<int> batch(list.begin(), later);
    list.erase(list.begin(), later);
    std::sort(batch.begin(), batch.end());
    return batch;
}

template <bool Full, int Order, bool ByNeighbours>
MetricTiles::Settled MetricTiles::wave(Monitor& monitor, bool only_falls) {
    const MetricTileProblem& problem = setup_.problem;
    states_.assign(static_cast<std::size_t>(problem.tile_count()), {});
    for (const auto& list : setup_.active) {
        for (const unsigned tile : list) {
            activate(static_cast<int>(tile), TileQueue::by_itself, 0);
        }
    }
    const int strides[3] = {problem.tiles[1] * problem.tiles[2], problem.tiles[2], 1};
    const auto beyond = [&](int tile, int face) {
        return face % 2 ? tile + strides[face / 2] : tile - strides[face / 2];
    };
    Settled settled;
    std::vector<TileLanes::Outcome> outcomes;
    for (int parity = 0; !active_[0].empty() || !active_[1].empty(); parity ^= 1) {
        monitor.check();
        const std::vector<int> batch = take_batch(parity);
        outcomes.resize(batch.size());
        parallel_for(static_cast<std::int64_t>(batch.size()), threads_, [&](std::int64_t i) {
            const int tile = batch[static_cast<std::size_t>(i)];
            const State& state = states_[static_cast<std::size_t>(tile)];
            TileLanes::Task task;
            task.tile = tile;
            const bool by_faces = state.visits > 0 && !(state.faces & ~all_faces);
            task.through = by_faces ? state.faces : 0;
            task.way = metric_entry(store_.begin_of(tile), setup_.shot.at, state.faces);
            task.only_earlier = fim_only_falls(only_falls ? 1 : 2, state.visits);
            // In the wave of the wanted order every tile is visited, changed or not.
            for (int face = 0; face < 6 && !ByNeighbours && state.visits == 0; ++face) {
                const int other = beyond(tile, face);
                const bool exists = other >= 0 && other < problem.tile_count();
                if (exists && states_[static_cast<std::size_t>(other)].visits == 0) {
                    task.tell |= 1U << face;
                }
            }
            outcomes[static_cast<std::size_t>(i)] =
                workers_[static_cast<std::size_t>(thread_index())]
                    ->visit<Full, Order, ByNeighbours>(task);
        });
        settled.visits += static_cast<std::int64_t>(batch.size());
        for (std::size_t i = 0; i < batch.size(); ++i) {
            State& state = states_[static_cast<std::size_t>(batch[i])];
            const TileLanes::Outcome& outcome = outcomes[i];
            state.faces = 0;
            ++state.visits;
            settled.change = std::max(settled.change, outcome.change);
            const bool often = state.visits > static_cast<unsigned>(fim_free_visits);
            if (often) settled.swing = std::max(settled.swing, outcome.change);
            float earliest = not_due;
            for (int face = 0; face < 6; ++face) {
                const float key = outcome.earliest[static_cast<std::size_t>(face)];
                if (!(key < not_due)) continue;
                earliest = std::min(earliest, key);
                activate(beyond(batch[i], face), 1U << (face ^ 1), key);
            }
            if (!outcome.settled) {
                activate(batch[i], TileQueue::by_itself, fim_unsettled_key(earliest));
            }
        }
    }
    store_.get_times(tau_, threads_);
    return settled;
}

void MetricTiles::restart() {
    store_.put_times(numbers_.values[static_cast<std::size_t>(NodeNumber::tau)], threads_);
}

void MetricTiles::leave_out_jump_slopes() { jumps_->leave_out(); }

MetricTiles::Settled MetricTiles::first_order(Monitor& monitor) {
    return numbers_.full() ? wave<true, 1, true>(monitor) : wave<false, 1, true>(monitor);
}

MetricTiles::Settled MetricTiles::fall_to_first_order(Monitor& monitor) {
    return numbers_.full() ? wave<true, 1, false>(monitor, true)
                           : wave<false, 1, false>(monitor, true);
}

MetricTiles::Settled MetricTiles::settle(int order, Monitor& monitor) {
    if (numbers_.full()) {
        return order == 1 ? wave<true, 1, false>(monitor) : wave<true, 2, false>(monitor);
    }
    return order == 1 ? wave<false, 1, false>(monitor) : wave<false, 2, false>(monitor);
}

}  // namespace fermat
