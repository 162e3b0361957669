// Runs one hot path at a time on work of fixed size and one thread, for scripts/check_costs.py:
//     hot_paths            the compiler, then all names with the steps each took, where the library
//                          counts them, else 0
//     hot_paths NAME       that one; callgrind counts instructions inside counted_work() alone

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <string_view>
#include <vector>

#include "bench/costa_rica.hpp"
#include "eikonal/eikonal.hpp"
#include "eikonal/factored_source.hpp"
#include "eikonal/fim/fim.hpp"
#include "graph/graph.hpp"
#include "model/makers.hpp"
#include "rays/rays.hpp"
#include "rays/sensitivity.hpp"
#include "tomography/smoothing/smoothing.hpp"

namespace fermat {
namespace {

/// The part that is counted; what it gives is the number of steps, 0 where the library has none.
using Work = std::function<std::int64_t()>;

constexpr int one_thread = 1;
const Execution on_one{one_thread, Device::cpu};

Grid cube(int nodes) { return {{nodes, nodes, nodes}, {}, {1, 1, 1}}; }
Grid square(int nodes) { return {{nodes, 1, nodes}, {}, {1, 1, 1}}; }

/// A medium with structure in it, so that blocks are visited again and rays turn.
Model rough(const Grid& grid) {
    return random_smooth_model(grid, {.velocity = 2, .amplitude = 0.3, .correlation = 8});
}

std::vector<Vec3> random_points(int count, double side, bool flat) {
    std::mt19937_64 random(1);
    const auto uniform = [&] { return side * static_cast<double>(random() >> 11) * 0x1p-53; };
    std::vector<Vec3> points;
    for (int n = 0; n < count; ++n) {
        const double x = uniform();
        points.push_back({x, flat ? 0 : uniform(), uniform()});
    }
    return points;
}

Work fim(const Grid& grid, int order) {
    const auto model = std::make_shared<Model>(rough(grid));
    const auto tau = std::make_shared<Field<float>>(grid.shape);
    return [=] {
        const FactoredSource source = factor_source(*model, {3.3, 0, 2.2});
        return fim_solve<float>(*model, source, order, one_thread, *tau, silent_monitor()).sweeps;
    };
}

Work field(const Grid& grid, Solver solver) {
    const auto model = std::make_shared<Model>(rough(grid));
    return [=] {
        solve(*model, {{3.3, 0, 2.2}}, {.solver = solver}, on_one);
        return std::int64_t{0};
    };
}

Work graph(GraphSolver solver, int radius) {
    const auto model = std::make_shared<Model>(rough(square(96)));
    return [=] {
        const Graph edges(*model, {.solver = solver, .radius = {radius, 0, radius}}, on_one);
        return solve(edges, {{3.3, 0, 2.2}}, on_one).relaxations;
    };
}

struct Traced {
    Model model;
    TimeField field;
    std::vector<Vec3> receivers;
    std::vector<std::int32_t> numbers;
};

std::shared_ptr<Traced> traced(int nodes, int count) {
    Model model = rough(cube(nodes));
    TimeField field = solve(model, {{3.3, 4.4, 2.2}}, {}, on_one);
    std::vector<std::int32_t> numbers(static_cast<std::size_t>(count));
    for (int n = 0; n < count; ++n) numbers[static_cast<std::size_t>(n)] = n;
    return std::make_shared<Traced>(Traced{std::move(model), std::move(field),
                                           random_points(count, nodes - 1, false),
                                           std::move(numbers)});
}

RaySet rays_of(const Traced& survey) {
    return trace_rays(survey.model, survey.field, 0, {survey.receivers, survey.numbers}, {},
                      on_one);
}

Work descent() {
    const auto survey = traced(32, 300);
    return [=] { return static_cast<std::int64_t>(rays_of(*survey).points.size()); };
}

Work matrix() {
    const auto survey = traced(32, 100);
    const auto rays = std::make_shared<RaySet>(rays_of(*survey));
    return [=] {
        sensitivity(survey->model, *rays, Basis::nodes, one_thread);
        return std::int64_t{0};
    };
}

Work bending() {
    const auto survey = std::make_shared<bench::LocalSurvey>(
        bench::costa_rica_survey({.sources = 10, .stations = 10, .pairs = 40}));
    return [=] {
        RayOptions options;
        options.tracer = Tracer::bending;
        trace_rays(survey->model, survey->survey, options, on_one);
        return std::int64_t{0};
    };
}

Work smoothing() {
    const auto values = std::make_shared<Field<double>>(Shape{64, 32, 32}, 1.0);
    const auto coverage = std::make_shared<Field<double>>(Shape{64, 32, 32}, 2.0);
    return [=] {
        smooth_vertices(*values, {25, 13, 9}, {}, {}, on_one);
        smooth_cells(*values, coverage->view(), {24, 12, 8}, {}, on_one);
        return std::int64_t{0};
    };
}

struct HotPath {
    std::string_view name;
    Work (*prepare)();
};

constexpr std::array hot_paths = {
    HotPath{"fim-3d-order-2", [] { return fim(cube(48), 2); }},
    HotPath{"fim-3d-order-1", [] { return fim(cube(48), 1); }},
    HotPath{"fim-2d-order-2", [] { return fim(square(300), 2); }},
    HotPath{"fmm-3d", [] { return field(cube(24), Solver::fmm); }},
    HotPath{"vidale-3d", [] { return field(cube(24), Solver::vidale); }},
    HotPath{"dijkstra", [] { return graph(GraphSolver::dijkstra, 5); }},
    HotPath{"bellman-ford", [] { return graph(GraphSolver::bellman_ford, 3); }},
    HotPath{"descent", descent},
    HotPath{"sensitivity", matrix},
    HotPath{"bending", bending},
    HotPath{"smoothing", smoothing},
};

}  // namespace
}  // namespace fermat

/// What callgrind counts: it switches on and off by this name.
extern "C" [[gnu::noinline]] std::int64_t counted_work(const fermat::Work& work) { return work(); }

int main(int argc, char** argv) {
    const std::string_view wanted = argc > 1 ? argv[1] : "";
    bool found = false;
    if (wanted.empty()) fmt::print("compiler {}\n", FERMAT_COMPILER);
    for (const auto& path : fermat::hot_paths) {
        if (!wanted.empty() && path.name != wanted) continue;
        found = true;
        const fermat::Work work = path.prepare();
        fmt::print("{} {}\n", path.name, counted_work(work));
    }
    if (!found) fmt::print(stderr, "hot_paths: no path {}\n", wanted);
    return found ? 0 : 2;
}
