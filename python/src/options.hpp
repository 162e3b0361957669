#pragma once

#include <array>
#include <string>
#include <tuple>

#include "core/choice.hpp"
#include "core/device.hpp"
#include "eikonal/eikonal.hpp"
#include "graph/graph.hpp"

namespace fermat {
namespace python {

/// For what has no CUDA version: throws where it is asked for one.
inline void require_cpu(const std::string& device, const char* what) {
    on_cuda(parse_choice<Device>(device), std::string(what) + " computes on the CPU");
}

/// Radius along x, y, z (0, 0, 0: the default), star, reading, weights and queue.
using GraphArguments =
    std::tuple<std::array<int, 3>, std::string, std::string, std::string, std::string>;

inline bool is_graph_solver(const std::string& name) {
    for (const auto& [entry, value] : choices<GraphSolver>.entries) {
        if (entry == name) return true;
    }
    return false;
}

/// `solver` may be one of the eikonal equation's, where the tracer alone asks for the graph. The
/// graph itself checks them against its grid.
inline GraphOptions graph_options(const std::string& solver, const GraphArguments& arguments,
                                  const std::string& device) {
    const auto& [radius, star, reading, weights, queue] = arguments;
    GraphOptions options;
    if (is_graph_solver(solver)) options.solver = parse_choice<GraphSolver>(solver);
    options.radius = {radius[0], radius[1], radius[2]};
    options.edges = parse_choice<StarEdges>(star);
    options.reading = parse_choice<Reading>(reading);
    options.weights = parse_choice<EdgeWeights>(weights);
    options.queue = parse_choice<NodeQueue>(queue);
    on_cuda(options, parse_choice<Device>(device));
    return options;
}

inline EikonalOptions eikonal_options(const std::string& solver, int order,
                                      const std::string& device) {
    const EikonalOptions options{parse_choice<Solver>(solver), order};
    on_cuda(options, parse_choice<Device>(device));
    validate(options);
    return options;
}

}  // namespace python
}  // namespace fermat
