#pragma once

#include <optional>
#include <variant>

#include "cli/app.hpp"
#include "cli/option_flags.hpp"
#include "cli/values.hpp"
#include "eikonal/eikonal.hpp"
#include "graph/options.hpp"

namespace fermat::cli {

/// The solver of the traveltimes, of the eikonal equation or on the grid graph, with the flags of
/// both.
struct SolverFlags {
    EikonalOptions eikonal;
    GraphOptions graph;
    AxisFlags axes;
    std::optional<std::variant<Solver, GraphSolver>> solver;  ///< empty if none was given

    bool names_eikonal() const { return solver && std::holds_alternative<Solver>(*solver); }
    bool names_graph() const { return solver && std::holds_alternative<GraphSolver>(*solver); }
};

/// Adds --solver with the names of both kinds, --order, and the flags of the graph.
void add_solver_flags(CLI::App& app, SolverFlags& flags);

/// Throws InputError if --device asks for a device that the graph's solver does not support.
void check_graph_device(const SolverFlags& flags, const CommonOptions& common);

/// The options that the flags give, for a grid. Throws InputError that names the flag.
EikonalOptions eikonal_options(const SolverFlags& flags);
GraphOptions graph_options(const SolverFlags& flags, const Grid& grid);

}  // namespace fermat::cli
