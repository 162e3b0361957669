#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/choice.hpp"
#include "core/execution.hpp"
#include "core/field.hpp"
#include "core/option.hpp"
#include "graph/graph_view.hpp"
#include "graph/star_table.hpp"
#include "model/model.hpp"
#include "survey/point_source.hpp"

namespace fermat {

/// How shortest paths are found (design 4.2).
enum class GraphSolver {
    dijkstra,      ///< nodes in the order of their times: the default
    bellman_ford,  ///< tiles relaxed until nothing changes (papers 1 and 2)
};
template <>
inline constexpr auto choices<GraphSolver> = choice_table<GraphSolver>(
    "solver", {{"dijkstra", GraphSolver::dijkstra}, {"bellman-ford", GraphSolver::bellman_ford}});

/// Where the times of edges come from.
enum class EdgeWeights {
    automatic,  ///< stored where that serves the solver and takes a quarter of memory at most
    stored,     ///< made once, for all sources (paper 1)
    computed,   ///< when they are needed (paper 2)
};
template <>
inline constexpr auto choices<EdgeWeights> =
    choice_table<EdgeWeights>("weights", {{"auto", EdgeWeights::automatic},
                                          {"stored", EdgeWeights::stored},
                                          {"computed", EdgeWeights::computed}});

/// What gives Dijkstra's method the next node.
enum class NodeQueue {
    buckets,  ///< of equal width in time; only edges that may improve something are looked at
    heap,     ///< std::priority_queue, and every edge is looked at, as in the papers
};
template <>
inline constexpr auto choices<NodeQueue> =
    choice_table<NodeQueue>("queue", {{"buckets", NodeQueue::buckets}, {"heap", NodeQueue::heap}});

/// Which tiles a pass of Bellman and Ford's method visits.
enum class TileVisits {
    changed,  ///< those that a change can reach: paper 2's update map
    all,      ///< all of them, for comparison
};
template <>
inline constexpr auto choices<TileVisits> = choice_table<TileVisits>(
    "tile visits", {{"changed", TileVisits::changed}, {"all", TileVisits::all}});

struct GraphOptions {
    GraphSolver solver = GraphSolver::dijkstra;
    Index3 radius;  ///< of the star along each axis, in nodes (2-D: not y); none: default_radius
    StarEdges edges = StarEdges::coprime;
    Reading reading = Reading::linear;
    EdgeWeights weights = EdgeWeights::automatic;
    NodeQueue queue = NodeQueue::buckets;
    TileVisits visits = TileVisits::changed;
};
/// Without `solver`, which is one choice with the solvers of the eikonal equation, and `visits`.
template <>
inline constexpr auto options_of<GraphOptions> =
    std::tuple{Option{"radius", &GraphOptions::radius, "of the graph's star, in nodes",
                      Rule<Index3>{}, "5 in 2-D, 3 in 3-D", 0.0},
               Option{"star", &GraphOptions::edges, "edges of the graph"},
               Option{"reading", &GraphOptions::reading, "of the model along the graph's edges"},
               Option{"weights", &GraphOptions::weights, "of the graph's edges"},
               Option{"queue", &GraphOptions::queue, "of solver dijkstra"}};

/// The radius that is used where none is given: docs/graph-study.md says what others cost and give.
Index3 default_radius(const Grid& grid);

void validate(const GraphOptions& options, const Grid& grid);

/// Whether graphs of these options lie on the CUDA device. Throws InputError where `device` asks
/// for it and the solver is not written for it.
bool on_cuda(const GraphOptions& options, Device device);

/// A straight way between a point and a node.
struct Link {
    std::size_t place = 0;  ///< of the node in the graph's memory
    float time = 0;
};

/// Shortest times from one source. Arrays have the graph's memory shape, and `slack` behind it.
struct GraphField {
    Vec3 source;
    Vec3 source_index;  ///< the same as fractional node indices
    double start_time = 0;
    std::vector<float> times;  ///< after the start; infinite where no path leads
    std::vector<std::uint16_t> predecessor;
    std::int64_t relaxations = 0;  ///< edges looked at
    std::int64_t passes = 0;       ///< of Bellman and Ford's method
};

class CudaGraph;

/// The graph of a model: star, slowness and, where they are stored, the times of all edges. Made
/// once, it serves any number of sources, from several threads at once (paper 1's amortisation).
class Graph {
  public:
    Graph(const Model& model, const GraphOptions& options, const Execution& execution = {});

    const Grid& grid() const { return grid_; }
    const GraphOptions& options() const { return options_; }
    const StarTable& star() const { return star_; }
    const GraphView& view() const { return view_; }
    /// On the CPU.
    bool stores_weights() const { return view_.stored != nullptr; }
    /// The same graph on the CUDA device, where bellman_ford runs there; else null.
    CudaGraph* cuda() const { return cuda_.get(); }
    /// A lower bound of the slowness along any edge of nodes 8 n to 8 n + 7 of the memory.
    std::span<const float> least_slowness() const { return least_slowness_; }

    /// Ways from a point to the nodes round it, as far as the star reaches: one of no length where
    /// the point is a node. Empty in air.
    std::vector<Link> links(Vec3 point) const;

  private:
    Grid grid_;
    GraphOptions options_;
    StarTable star_;
    std::vector<float> slowness_;
    std::vector<float> least_slowness_;
    std::unique_ptr<float[]> stored_;
    GraphView view_;
    std::shared_ptr<CudaGraph> cuda_;
};

/// Shortest times of one source at every node. A graph that lies on the CUDA device is solved
/// there.
GraphField solve(const Graph& graph, const PointSource& source, const Execution& execution = {});

/// Solves every source by itself, in parallel over sources, and hands each field to `consume` with
/// its source's number: in any order, from any thread, one call at a time per thread. Memory beside
/// the graph is one field a thread, whatever the number of sources. On the CUDA device, batches of
/// sources are solved at once.
void for_each_field(const Graph& graph, std::span<const PointSource> sources,
                    const Execution& execution,
                    const std::function<void(std::size_t, const GraphField&)>& consume);

/// The earliest time of several sources at every node, each with its own start time.
Field<float> first_arrivals(const Graph& graph, std::span<const PointSource> sources,
                            const Execution& execution = {});

/// Times on the nodes, with the start time.
Field<float> node_times(const Graph& graph, const GraphField& field);

/// The shortest path from a point to the source.
struct GraphPath {
    double time = 0;           ///< with the start time; infinite where no path leads
    std::vector<Vec3> points;  ///< from the point to the source; the point alone where none leads
};
GraphPath graph_path(const Graph& graph, const GraphField& field, Vec3 point);

/// The time alone.
double time_at(const Graph& graph, const GraphField& field, Vec3 point);

}  // namespace fermat
