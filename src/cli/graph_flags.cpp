#include "cli/graph_flags.hpp"

#include <cmath>

#include "cli/eikonal_flags.hpp"
#include "cli/flags.hpp"
#include "core/error.hpp"

namespace fermat::cli {
namespace {

std::string solver_names() { return names_of<Solver>() + ", " + names_of<GraphSolver>(); }

std::variant<Solver, GraphSolver> parse_solver(std::string_view flag, std::string_view text) {
    for (const auto& [name, value] : choices<Solver>.entries) {
        if (name == text) return value;
    }
    for (const auto& [name, value] : choices<GraphSolver>.entries) {
        if (name == text) return value;
    }
    throw InputError(flag_message(flag, text, "must be one of " + solver_names()));
}

}  // namespace

void add_solver_flags(CLI::App& app, SolverFlags& flags) {
    add_value(app, "--solver", "NAME", flags.solver,
              "method of the traveltimes: " + solver_names() +
                  " (on spheres, graded grids, below a ground that rows follow and in anisotropic "
                  "media: fim alone)",
              parse_solver)
        ->default_str("fim");
    add_option_flag(app, std::get<1>(options_of<EikonalOptions>), flags.eikonal.order, flags.axes);
    add_option_flags(app, flags.graph, flags.axes);
}

EikonalOptions eikonal_options(const SolverFlags& flags) {
    EikonalOptions options = flags.eikonal;
    if (flags.names_eikonal()) options.solver = std::get<Solver>(*flags.solver);
    validate(options);
    return options;
}

void check_graph_device(const SolverFlags& flags, const CommonOptions& common) {
    const GraphSolver solver =
        flags.names_graph() ? std::get<GraphSolver>(*flags.solver) : flags.graph.solver;
    if (solver == GraphSolver::bellman_ford) {
        if (common.device != Device::opengl) usable_device(common);
    } else {
        require_cpu(common, "--solver dijkstra");
    }
}

GraphOptions graph_options(const SolverFlags& flags, const Grid& grid) {
    GraphOptions options = flags.graph;
    if (flags.names_graph()) options.solver = std::get<GraphSolver>(*flags.solver);
    settle_axes(options, flags.axes, grid.is_2d());
    validate(options, grid);
    return options;
}

}  // namespace fermat::cli
