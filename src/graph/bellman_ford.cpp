#include "graph/bellman_ford.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <vector>

#include "core/block.hpp"
#include "core/parallel.hpp"
#include "graph/prepare.hpp"
#include "graph/tile.hpp"

namespace fermat {
namespace {

/// The number of nodes along z that are relaxed at once.
constexpr int run = 32;
static_assert(run <= slack);
/// The largest number of relaxation rounds in a visit. A wave that crosses a tile needs a few.
constexpr int most_rounds = 8;

/// A tile is at least as wide as the star, so a change reaches the neighbouring tiles and no
/// others.
Shape tile_size(const GraphView& graph) {
    const bool flat = graph.shape.y == 1;
    const Shape least = flat ? Shape{16, 1, run} : Shape{4, 4, run};
    return {std::max(least.x, graph.border.x), std::max(least.y, graph.border.y),
            std::max(least.z, graph.border.z)};
}

/// The times of the edges of a tile, computed once per visit in runs of nodes, in the order in
/// which relax_once reads them.
class VisitWeights {
  public:
    void make(const GraphView& graph, const Tile& tile) {
        const int runs = ceil_divide(tile.size.z, run);
        lanes_ = tile.size.x * tile.size.y * runs;
        weights_.resize(static_cast<std::size_t>(graph.edges) * lanes_ * run);
        for (int lane = 0; lane < lanes_; ++lane) {
            const int z = lane % runs * run;
            const int row = lane / runs;
            const std::size_t place =
                graph.at({tile.first.x + row / tile.size.y, tile.first.y + row % tile.size.y,
                          tile.first.z + z});
            for (int e = 0; e < graph.edges; ++e) {
                computed_weights<run>(graph, place, e, weights_.data() + offset(e, lane));
            }
        }
    }

    const float* row(int edge, std::size_t /*place*/, int lane, float* /*buffer*/) const {
        return weights_.data() + offset(edge, lane);
    }

  private:
    std::size_t offset(int edge, int lane) const {
        return (static_cast<std::size_t>(edge) * lanes_ + lane) * run;
    }

    int lanes_ = 0;
    std::vector<float> weights_;
};

/// The working memory of one thread.
struct Workspace {
    std::vector<float> times[2];
    std::vector<std::uint16_t> predecessor;
    std::vector<RowChange> rows;
    std::array<int, most_rounds> changed{};
    VisitWeights weights;
    std::vector<std::int32_t> step;
};

/// The result of a visit.
struct Outcome {
    std::array<float, directions> earliest;
    int rounds = 0;
};

/// Tiles whose pending changes lie within this time of the first are visited in the same pass. It
/// is half the time that a wave needs to cross a tile. A smaller window leaves threads idle; a
/// larger one causes needless visits.
float window_of(const GraphView& graph, Shape tile) {
    const double side = std::min(tile.x * graph.spacing.x, tile.z * graph.spacing.z);
    return static_cast<float>(0.5 * side * mean_slowness(graph));
}

class TileSolver {
  public:
    TileSolver(const Graph& graph, int threads, GraphField& field)
        : graph_(graph),
          view_(graph.view()),
          field_(field),
          next_(field.times),
          threads_(threads),
          size_(tile_size(view_)),
          tiles_{ceil_divide(view_.shape.x, size_.x), ceil_divide(view_.shape.y, size_.y),
                 ceil_divide(view_.shape.z, size_.z)},
          window_(window_of(view_, size_)),
          pending_(tiles_.count(), never),
          outcome_(tiles_.count()),
          spaces_(static_cast<std::size_t>(threads_)) {}

    void run(std::span<const Link> links, Monitor& monitor) {
        for (const Link& link : links) {
            const Index3 n = view_.node(link.place);
            std::array<float, directions> all;
            all.fill(link.time);
            tell(tiles_.offset(n.x / size_.x, n.y / size_.y, n.z / size_.z), all);
        }
        for (std::vector<std::size_t> chosen = choose(); !chosen.empty(); chosen = choose()) {
            monitor.check();
            pass(chosen);
            ++field_.passes;
        }
    }

  private:
    static constexpr float never = std::numeric_limits<float>::infinity();

    Index3 tile_index(std::size_t t) const {
        const auto z = static_cast<std::size_t>(tiles_.z);
        const auto y = static_cast<std::size_t>(tiles_.y);
        return {static_cast<int>(t / (y * z)), static_cast<int>(t / z % y),
                static_cast<int>(t % z)};
    }

    /// Marks the neighbours of a tile in the update map, each with the earliest change it can see.
    void tell(std::size_t tile, const std::array<float, directions>& earliest) {
        const Index3 t = tile_index(tile);
        for (int d = 0; d < directions; ++d) {
            const Index3 n{t.x + d / 9 - 1, t.y + d / 3 % 3 - 1, t.z + d % 3 - 1};
            const bool inside = n.x >= 0 && n.x < tiles_.x && n.y >= 0 && n.y < tiles_.y &&
                                n.z >= 0 && n.z < tiles_.z;
            if (!inside || earliest[static_cast<std::size_t>(d)] == never) continue;
            const std::size_t number = tiles_.offset(n);
            if (pending_[number] == never) active_.push_back(number);
            pending_[number] = std::min(pending_[number], earliest[static_cast<std::size_t>(d)]);
        }
    }

    /// Chooses the tiles of the next pass: those of the update map that the wave is about to cross.
    /// Visits far ahead of the wave would be needless, because the times there will still improve.
    std::vector<std::size_t> choose() {
        std::vector<std::size_t> chosen;
        if (active_.empty()) return chosen;
        if (graph_.options().visits == TileVisits::none) {
            active_.clear();
            std::fill(pending_.begin(), pending_.end(), never);
            chosen.resize(tiles_.count());
            std::iota(chosen.begin(), chosen.end(), std::size_t{0});
            return chosen;
        }
        if (graph_.options().visits == TileVisits::marked) {
            for (const std::size_t tile : active_) pending_[tile] = never;
            std::swap(chosen, active_);
            return chosen;
        }
        float first = never;
        for (const std::size_t tile : active_) first = std::min(first, pending_[tile]);
        std::vector<std::size_t> waiting;
        for (const std::size_t tile : active_) {
            if (pending_[tile] <= first + window_) {
                chosen.push_back(tile);
                pending_[tile] = never;
            } else {
                waiting.push_back(tile);
            }
        }
        active_ = std::move(waiting);
        return chosen;
    }

    Tile tile_at(std::size_t tile) const {
        const Index3 t = tile_index(tile);
        Tile result;
        result.first = {t.x * size_.x, t.y * size_.y, t.z * size_.z};
        result.size = {std::min(size_.x, view_.shape.x - result.first.x),
                       std::min(size_.y, view_.shape.y - result.first.y),
                       std::min(size_.z, view_.shape.z - result.first.z)};
        return result;
    }

    void visit(std::size_t number, Workspace& space) {
        Tile tile = tile_at(number);
        const Shape memory = tile_memory(view_, tile.size);
        for (int side = 0; side < 2; ++side) {
            space.times[side].resize(memory.count() + slack);
            tile.times[side] = space.times[side].data();
        }
        space.predecessor.resize(tile.size.count());
        tile.predecessor = space.predecessor.data();
        space.rows.resize(tile.size.count());
        tile.rows = space.rows.data();
        tile.changed = space.changed.data();
        space.step.clear();
        for (const Index3& o : graph_.star().offset) {
            space.step.push_back((o.x * memory.y + o.y) * memory.z + o.z);
        }
        tile.step = space.step.data();
        const TileTimes all{field_.times.data(), next_.data(), field_.predecessor.data()};
        Outcome& outcome = outcome_[number];
        const auto relax = [&](const auto& weights) {
            return visit_tile<::fermat::run>(HostBlock(), view_, weights, all, tile, most_rounds,
                                             outcome.earliest.data());
        };
        if (graph_.stores_weights()) {
            outcome.rounds = relax(GraphWeights<::fermat::run>{view_});
        } else {
            space.weights.make(view_, tile);
            outcome.rounds = relax(space.weights);
        }
    }

    void copy_back(std::size_t number) {
        const Tile tile = tile_at(number);
        for (int i = 0; i < tile.size.x; ++i) {
            for (int j = 0; j < tile.size.y; ++j) {
                const std::size_t row =
                    view_.at({tile.first.x + i, tile.first.y + j, tile.first.z});
                std::copy_n(next_.data() + row, tile.size.z, field_.times.data() + row);
            }
        }
    }

    void pass(const std::vector<std::size_t>& chosen) {
        const auto count = static_cast<std::int64_t>(chosen.size());
        parallel_for(count, threads_, [&](std::int64_t n) {
            visit(chosen[static_cast<std::size_t>(n)],
                  spaces_[static_cast<std::size_t>(thread_index())]);
        });
        parallel_for(count, threads_,
                     [&](std::int64_t n) { copy_back(chosen[static_cast<std::size_t>(n)]); });
        for (const std::size_t tile : chosen) {
            tell(tile, outcome_[tile].earliest);
            field_.relaxations += static_cast<std::int64_t>(tile_at(tile).size.count()) *
                                  view_.edges * outcome_[tile].rounds;
        }
    }

    const Graph& graph_;
    const GraphView& view_;
    GraphField& field_;
    std::vector<float> next_;
    int threads_;
    Shape size_;
    Shape tiles_;
    float window_;
    /// The update map: the earliest change that each tile has not seen yet.
    std::vector<float> pending_;
    std::vector<std::size_t> active_;  ///< tiles with a pending change
    std::vector<Outcome> outcome_;
    std::vector<Workspace> spaces_;
};

}  // namespace

void bellman_ford(const Graph& graph, std::span<const Link> links, int threads, GraphField& field,
                  Monitor& monitor) {
    TileSolver(graph, threads, field).run(links, monitor);
}

}  // namespace fermat
