#pragma once

#include <tuple>

#include "core/choice.hpp"
#include "core/device.hpp"
#include "core/grid.hpp"
#include "core/option.hpp"

namespace fermat {

/// The method that finds shortest paths. docs/papers.md lists the papers that comments in this
/// folder mention by number.
enum class GraphSolver {
    dijkstra,      ///< nodes in the order of their times: the default
    bellman_ford,  ///< tiles relaxed until nothing changes (papers 1 and 2)
};
template <>
inline constexpr auto choices<GraphSolver> = choice_table<GraphSolver>(
    "solver", {{"dijkstra", GraphSolver::dijkstra}, {"bellman-ford", GraphSolver::bellman_ford}});

/// Where the times of edges come from.
enum class EdgeWeights {
    automatic,  ///< stored if the solver gains by it and they take at most a quarter of memory
    stored,     ///< computed once for all sources (paper 1)
    computed,   ///< computed when they are needed (paper 2)
    swapped,  ///< stored in the host's memory, from which a CUDA device fetches the part of a tile
              ///< whenever it visits it (paper 1's future work, for graphs that do not fit)
};
template <>
inline constexpr auto choices<EdgeWeights> =
    choice_table<EdgeWeights>("weights", {{"auto", EdgeWeights::automatic},
                                          {"stored", EdgeWeights::stored},
                                          {"computed", EdgeWeights::computed},
                                          {"swapped", EdgeWeights::swapped}});

/// The queue from which Dijkstra's method takes the next node.
enum class NodeQueue {
    buckets,  ///< buckets of equal width in time; only edges that may improve a node are relaxed
    heap,     ///< std::priority_queue, and every edge is relaxed, as in the papers
};
template <>
inline constexpr auto choices<NodeQueue> =
    choice_table<NodeQueue>("queue", {{"buckets", NodeQueue::buckets}, {"heap", NodeQueue::heap}});

/// Which nodes of the box round a node are connected to it by an edge.
enum class StarEdges {
    coprime,  ///< only offsets with no common divisor: longer ones repeat a direction
    full,     ///< all nodes of the box, for comparison
};
template <>
inline constexpr auto choices<StarEdges> =
    choice_table<StarEdges>("star", {{"coprime", StarEdges::coprime}, {"full", StarEdges::full}});

/// How slowness is interpolated between nodes.
enum class Reading {
    linear,   ///< multilinear, as everywhere in Fermat
    nearest,  ///< constant in the cell round each node (paper 2)
};
template <>
inline constexpr auto choices<Reading> =
    choice_table<Reading>("reading", {{"linear", Reading::linear}, {"nearest", Reading::nearest}});

/// Which tiles a pass of Bellman and Ford's method visits, on every device.
enum class TileVisits {
    automatic,  ///< ordered; marked for Relaxation::jacobi
    ordered,    ///< of those that a change can reach, the ones that the wave is about to cross
    marked,     ///< all that a change can reach: paper 2's update map
    none,       ///< all of them: without an update map, as in paper 1
};
template <>
inline constexpr auto choices<TileVisits> =
    choice_table<TileVisits>("visits", {{"auto", TileVisits::automatic},
                                        {"ordered", TileVisits::ordered},
                                        {"marked", TileVisits::marked},
                                        {"none", TileVisits::none}});

/// What a visit of Bellman and Ford's method does.
enum class Relaxation {
    tiles,   ///< a tile is relaxed until it rests, several times in a row
    jacobi,  ///< papers 1 and 2 to the letter: each node once per pass, from the times before it
};
template <>
inline constexpr auto choices<Relaxation> = choice_table<Relaxation>(
    "relaxation", {{"tiles", Relaxation::tiles}, {"jacobi", Relaxation::jacobi}});

struct GraphOptions {
    GraphSolver solver = GraphSolver::dijkstra;
    Index3 radius;  ///< of the star along each axis, in nodes (0 along y in 2-D); all 0:
                    ///< default_radius
    StarEdges edges = StarEdges::coprime;
    Reading reading = Reading::linear;
    EdgeWeights weights = EdgeWeights::automatic;
    NodeQueue queue = NodeQueue::buckets;
    TileVisits visits = TileVisits::automatic;
    Relaxation relaxation = Relaxation::tiles;
};
/// The table leaves out `solver`, which users choose together with the solvers of the eikonal
/// equation.
template <>
inline constexpr auto options_of<GraphOptions> = std::tuple{
    Option{"radius", &GraphOptions::radius, "of the graph's star, in nodes", Rule<Index3>{},
           "5 in 2-D, 3 in 3-D", 0.0},
    Option{"star", &GraphOptions::edges, "edges of the graph"},
    Option{"reading", &GraphOptions::reading, "of the model along the graph's edges"},
    Option{"weights", &GraphOptions::weights, "of the graph's edges"},
    Option{"queue", &GraphOptions::queue, "of solver dijkstra"},
    Option{"visits", &GraphOptions::visits, "of solver bellman-ford: tiles that a pass visits"},
    Option{"relaxation", &GraphOptions::relaxation,
           "of solver bellman-ford: jacobi is papers 1 and 2 to the letter"}};

/// The radius that is used if none is given. docs/graph-study.md shows the cost and accuracy of
/// others.
Index3 default_radius(const Grid& grid);

void validate(const GraphOptions& options, const Grid& grid);

/// Whether a graph with these options lies on the CUDA device. Throws InputError if `device`
/// demands CUDA or OpenGL and the solver has no version for it.
bool on_cuda(const GraphOptions& options, Device device);

}  // namespace fermat
