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
    add_value(app, "--solver", "NAME", flags.solver, "method of the traveltimes: " + solver_names(),
              parse_solver)
        ->default_str("fim");
    add_whole(app, "--order", "N", flags.eikonal.order, "of the differences: 1 or 2", 1, 2)
        ->default_str("2");
    add_value(app, "--radius", "R", flags.radius,
              "of the graph's star, in nodes: R or RX,RY,RZ (RX,RZ in 2-D) (default: 5 in 2-D, 3 "
              "in 3-D)",
              parse_axes);
    add_choice(app, "--star", flags.graph.edges, "edges of the graph");
    add_choice(app, "--reading", flags.graph.reading, "of the model along the graph's edges");
    add_choice(app, "--weights", flags.graph.weights, "of the graph's edges");
    add_choice(app, "--queue", flags.graph.queue, "of --solver dijkstra");
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
        usable_device(common);
    } else {
        require_cpu(common, "--solver dijkstra");
    }
}

GraphOptions graph_options(const SolverFlags& flags, const Grid& grid) {
    GraphOptions options = flags.graph;
    if (flags.names_graph()) options.solver = std::get<GraphSolver>(*flags.solver);
    if (flags.radius.given()) {
        const Vec3 radius = to_axes(flags.radius, grid.is_2d(), 0);
        for (int axis = 0; axis < 3; ++axis) {
            if (radius[axis] != std::floor(radius[axis]) || std::abs(radius[axis]) > 1e6) {
                throw InputError(
                    flag_message("--radius", flags.radius.text, "must be whole numbers of nodes"));
            }
            options.radius[axis] = static_cast<int>(radius[axis]);
        }
        if (options.radius == Index3{}) {
            throw InputError(flag_message("--radius", flags.radius.text, "must be positive"));
        }
    }
    validate(options, grid);
    return options;
}

}  // namespace fermat::cli
