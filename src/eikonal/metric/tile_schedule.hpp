#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/field.hpp"
#include "core/monitor.hpp"
#include "eikonal/metric/metric_tile_setup.hpp"
#include "eikonal/metric/node_numbers.hpp"
#include "eikonal/metric/tile_store.hpp"

namespace fermat {

class JumpSlopes;
class TileLanes;

/// The solver of metrics on the CPU: tiles of 8^3 nodes that the wave reaches one after the other,
/// as `fim`. Where the wanted order alone could find a wrong solution, a wave of first order gives
/// every tile its octants, and a second wave visits every tile again. Tiles of one parity share no
/// face and are visited in parallel, so the result does not depend on the number of threads.
class MetricTiles {
  public:
    /// How one wave ended.
    struct Settled {
        std::int64_t visits = 0;
        float change = 0;  ///< the greatest relative change of a value
        /// The greatest change in tiles visited so often that their times may only fall
        /// (fim_free_visits): there second order swings between two solutions.
        float swing = 0;
    };

    /// `numbers` and `tau`, which gets the result of each wave, must outlive it.
    MetricTiles(const NodeNumbers& numbers, float* tau, int threads);
    ~MetricTiles();

    /// Begins again from the start nodes.
    void restart();
    /// First order, by the earlier neighbours: makes every reachable node reached.
    Settled first_order(Monitor& monitor);
    /// To be called after the numbers have changed (Thomsen's medium).
    void renew() { store_.put_numbers(threads_); }
    /// Makes later waves take differences of first order beside rows of jumps, where times did not
    /// settle otherwise.
    void leave_out_jump_slopes();
    /// Of order 1 or 2, by the octant that the characteristic comes from.
    Settled settle(int order, Monitor& monitor);
    /// A wave of order 1 with times that only fall, which always ends. Each is the time along a
    /// path, so that none falls too far.
    Settled fall_to_first_order(Monitor& monitor);

  private:
    struct State {
        float key = 0;       ///< earliest arrival that it has not seen
        unsigned faces = 0;  ///< of TileQueue
        unsigned visits = 0;
    };

    template <bool Full, int Order, bool ByNeighbours>
    Settled wave(Monitor& monitor, bool only_falls = ByNeighbours);
    void activate(int tile, unsigned faces, float key);
    std::vector<int> take_batch(int parity);

    const NodeNumbers& numbers_;
    float* tau_;
    int threads_;
    MetricTileSetup setup_;
    TileStore store_;
    std::unique_ptr<JumpSlopes> jumps_;
    std::vector<State> states_;
    std::array<std::vector<int>, 2> active_;
    std::vector<std::unique_ptr<TileLanes>> workers_;
};

}  // namespace fermat
