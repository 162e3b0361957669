#pragma once

#include <optional>
#include <variant>

#include "cli/app.hpp"
#include "cli/values.hpp"
#include "eikonal/eikonal.hpp"
#include "graph/graph.hpp"

namespace fermat::cli {

/// The method of the traveltimes: one of the eikonal equation's or one of the grid graph's, with
/// the flags of both.
struct SolverFlags {
    EikonalOptions eikonal;
    GraphOptions graph;
    AxisNumbers radius;
    std::optional<std::variant<Solver, GraphSolver>> solver;  ///< where one was named

    bool names_eikonal() const { return solver && std::holds_alternative<Solver>(*solver); }
    bool names_graph() const { return solver && std::holds_alternative<GraphSolver>(*solver); }
};

/// --solver with the names of both kinds, --order, and the graph's flags.
void add_solver_flags(CLI::App& app, SolverFlags& flags);

/// Throws InputError where --device asks for more than the graph's solver can do.
void check_graph_device(const SolverFlags& flags, const CommonOptions& common);

/// What the flags say, for a grid. Throws InputError that names the flag.
EikonalOptions eikonal_options(const SolverFlags& flags);
GraphOptions graph_options(const SolverFlags& flags, const Grid& grid);

}  // namespace fermat::cli
