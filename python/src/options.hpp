#pragma once

#include <array>
#include <string>
#include <tuple>

#include "core/choice.hpp"
#include "core/error.hpp"
#include "core/version.hpp"
#include "eikonal/eikonal.hpp"
#include "graph/graph.hpp"

namespace fermat::python {

enum class Device { automatic, cpu, cuda };

}  // namespace fermat::python

namespace fermat {

template <>
inline constexpr auto choices<python::Device> =
    choice_table<python::Device>("device", {{"auto", python::Device::automatic},
                                            {"cpu", python::Device::cpu},
                                            {"cuda", python::Device::cuda}});

namespace python {

/// Throws unless this build computes there.
inline void require_device(const std::string& name) {
    if (parse_choice<Device>(name) != Device::cuda) return;
    throw ComputeError(build::cuda == "no"
                           ? "CUDA is not in this build (configure with -DFERMAT_CUDA=ON)"
                           : "this computation has no CUDA version (use device='cpu')");
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

/// `solver` may be one of the eikonal equation's, where the tracer alone asks for the graph.
inline GraphOptions graph_options(const std::string& solver, const GraphArguments& arguments,
                                  const Grid& grid, int threads, const std::string& device) {
    require_device(device);
    const auto& [radius, star, reading, weights, queue] = arguments;
    GraphOptions options;
    if (is_graph_solver(solver)) options.solver = parse_choice<GraphSolver>(solver);
    options.radius = {radius[0], radius[1], radius[2]};
    options.edges = parse_choice<StarEdges>(star);
    options.reading = parse_choice<Reading>(reading);
    options.weights = parse_choice<EdgeWeights>(weights);
    options.queue = parse_choice<NodeQueue>(queue);
    options.threads = threads;
    validate(options, grid);
    return options;
}

inline EikonalOptions eikonal_options(const std::string& solver, int order, int threads,
                                      const std::string& device) {
    const EikonalOptions options{parse_choice<Solver>(solver), order, threads,
                                 parse_choice<Device>(device)};
    on_cuda(options);
    validate(options);
    return options;
}

}  // namespace python
}  // namespace fermat
