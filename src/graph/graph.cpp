#include "graph/graph.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <new>

#include "core/device.hpp"
#include "core/device_team.hpp"
#include "core/error.hpp"
#include "core/memory.hpp"
#include "core/parallel.hpp"
#include "core/teams.hpp"
#include "graph/bellman_ford.hpp"
#include "graph/bellman_ford_cuda.hpp"
#include "graph/bellman_ford_opengl.hpp"
#include "graph/dijkstra.hpp"
#include "graph/jacobi.hpp"
#include "graph/jacobi_cuda.hpp"
#include "graph/jacobi_opengl.hpp"
#include "graph/prepare.hpp"

namespace fermat {
namespace {

ComputeError no_memory(Shape shape, std::size_t bytes, std::string_view what) {
    return ComputeError(fmt::format("{} of shape {} do not fit in memory ({:.1f} GB are needed)",
                                    what, to_string(shape),
                                    1e-9 * static_cast<double>(shape.count() * bytes)));
}

Field<float> allocate(Shape shape, std::string_view what) {
    try {
        return Field<float>(shape);
    } catch (const std::bad_alloc&) {
        throw no_memory(shape, sizeof(float), what);
    }
}

Shape with_border(Shape shape, Index3 border) {
    return {shape.x + 2 * border.x, shape.y + 2 * border.y, shape.z + 2 * border.z};
}

Index3 radius_of(const GraphOptions& options, const Grid& grid) {
    Index3 r = options.radius == Index3{} ? default_radius(grid) : options.radius;
    if (grid.is_2d()) r.y = 0;
    return r;
}

/// Options that only one way of solving has, and the solver that has none of them.
void require_matching(const GraphOptions& options) {
    if (options.solver == GraphSolver::dijkstra) {
        if (options.visits != TileVisits::automatic) {
            throw InputError(fmt::format(
                "visits is '{}' (solver 'dijkstra' has no tiles: use `solver=bellman-ford`)",
                name_of(options.visits)));
        }
        if (options.relaxation != Relaxation::tiles) {
            throw InputError(fmt::format(
                "relaxation is '{}' (solver 'dijkstra' has no passes: use `solver=bellman-ford`)",
                name_of(options.relaxation)));
        }
    }
    if (options.relaxation == Relaxation::jacobi && options.visits == TileVisits::ordered) {
        throw InputError(
            "visits is 'ordered' (relaxation 'jacobi' is that of the papers, whose update map has "
            "no order: use `visits=marked` or `visits=none`)");
    }
}

void require_not_swapped(const GraphOptions& options, std::string_view where) {
    if (options.weights != EdgeWeights::swapped) return;
    throw InputError(
        fmt::format("weights is 'swapped' and the graph is solved on {} (they are swapped between "
                    "host and CUDA device: use `device=cuda`, or `weights=stored`)",
                    where));
}

std::string not_stored_words(double bytes, std::string_view too_much) {
    return fmt::format(
        "the times of the graph's edges would take {:.1f} GB, {}: they are computed at every visit "
        "(`weights=stored` keeps them, on a CUDA device `weights=swapped` in the host's memory; a "
        "smaller radius needs less)",
        1e-9 * bytes, too_much);
}

/// Times are sums over edges in single precision. The time of the shortest edge in the fastest rock
/// and of the longest path in the slowest rock must be in its range.
void require_edge_times(const Grid& grid, const GraphView& graph) {
    constexpr double least = 1e-33;
    constexpr double most = 1e37;
    double fastest = INFINITY;
    double slowest = 0;
    for (std::size_t n = 0; n < graph.memory.count(); ++n) {
        const double slowness = graph.slowness[n];
        if (!std::isfinite(slowness)) continue;
        fastest = std::min(fastest, slowness);
        slowest = std::max(slowest, slowness);
    }
    const Vec3 h = grid.spacing;
    const double shortest =
        fastest * (grid.is_2d() ? std::min(h.x, h.z) : std::min({h.x, h.y, h.z}));
    const double longest = slowest * distance(grid.origin, grid.far_corner());
    if (shortest >= least && longest <= most) return;
    throw InputError(
        fmt::format("times of the graph would lie between {:.3g} and {:.3g} (must lie between "
                    "{:.0e} and {:.0e}; use other units of length or time)",
                    shortest, longest, least, most));
}

}  // namespace

Index3 default_radius(const Grid& grid) { return grid.is_2d() ? Index3{5, 0, 5} : Index3{3, 3, 3}; }

void validate(const GraphOptions& options, const Grid& grid) {
    require_matching(options);
    const Index3 r = radius_of(options, grid);
    constexpr int largest = 64;
    if (std::max({r.x, r.y, r.z}) > largest) {
        throw InputError(
            fmt::format("radius is ({}, {}, {}) (must be {} at most)", r.x, r.y, r.z, largest));
    }
    const std::size_t edges = forward_star(r, options.edges).size();
    if (edges >= static_cast<std::size_t>(most_edges)) {
        throw InputError(fmt::format(
            "radius ({}, {}, {}) makes {} edges a node (must be below {}: use a smaller radius)",
            r.x, r.y, r.z, edges, most_edges));
    }
    constexpr double limit = 4294967295.0;
    const Shape memory = with_border(grid.shape, r);
    if (static_cast<double>(memory.x) * memory.y * memory.z >= limit) {
        throw InputError(
            fmt::format("a graph of {} nodes is too large (must be below 2^32 with its border)",
                        to_string(grid.shape)));
    }
}

bool on_cuda(const GraphOptions& options, Device device) {
    const bool able = options.solver == GraphSolver::bellman_ford;
    if (device == Device::opengl && able) return false;
    return on_cuda(
        device,
        able ? "" : fmt::format("solver '{}' computes on the CPU", name_of(options.solver)));
}

template <class OnDevice>
OnDevice* Graph::of_this_device(const PerDevice<OnDevice>& all) {
    if (all.empty()) return nullptr;
    const int here = all.size() == 1 ? all.front().first : device_in_use();
    for (const auto& [device, graph] : all) {
        if (device == here) return graph.get();
    }
    return all.front().second.get();
}

CudaGraph* Graph::cuda() const { return of_this_device(cuda_); }
CudaJacobi* Graph::cuda_jacobi() const { return of_this_device(cuda_jacobi_); }

/// What a device holds is made, and given back, where the calling thread computes on it.
template <class OnDevice, class Make>
Graph::PerDevice<OnDevice> Graph::on_devices_in_use(Make make) {
    PerDevice<OnDevice> all;
    for (const int device : devices_in_use()) {
        const bool known = std::any_of(all.begin(), all.end(),
                                       [&](const auto& one) { return one.first == device; });
        if (known) continue;
        on_device(device, [&] {
            all.emplace_back(device, std::shared_ptr<OnDevice>(make(), [device](OnDevice* graph) {
                                 on_device(device, [&] { delete graph; });
                             }));
        });
    }
    return all;
}

void Graph::put_on_cuda() {
    if (options_.relaxation == Relaxation::jacobi) {
        cuda_jacobi_ = on_devices_in_use<CudaJacobi>(
            [&] { return new CudaJacobi(view_, star_, options_.weights, options_.visits); });
    } else {
        cuda_ = on_devices_in_use<CudaGraph>([&] {
            return new CudaGraph(view_, star_, options_.weights,
                                 NodeTileTuning{.visits = options_.visits});
        });
    }
    const bool stores = cuda_.empty() ? cuda_jacobi()->stores_weights() : cuda()->stores_weights();
    if (options_.weights == EdgeWeights::automatic && !stores) {
        const double edges = cuda_.empty() ? 0.5 * view_.edges : view_.edges;
        not_stored_ =
            not_stored_words(edges * static_cast<double>(view_.memory.count()) * sizeof(float),
                             "more than half of the device's free memory");
    }
}

void Graph::tell(Notes& notes) const {
    if (!not_stored_.empty()) notes.add(not_stored_);
}

Graph::Graph(const Model& model, const GraphOptions& options, const Execution& execution)
    : grid_(model.grid()), options_(options) {
    require_nodes(model, "the graph");
    require_plain(model, "the graph");
    validate(options_, grid_);
    const int threads = resolve_threads(execution.threads);
    const bool device = on_cuda(options_, execution.device);
    options_.radius = radius_of(options_, grid_);
    const bool letter = options_.relaxation == Relaxation::jacobi;
    if (options_.visits == TileVisits::automatic) {
        options_.visits = letter ? TileVisits::marked : TileVisits::ordered;
    }
    const Index3 border = options_.radius;
    const Shape memory = with_border(grid_.shape, border);
    star_ = make_star_table(border, options_.edges, options_.reading, grid_.spacing, memory);
    view_ = {grid_.shape, memory, border, grid_.spacing, options_.reading};
    view_.edges = star_.edges();
    view_.step = star_.step.data();
    view_.length = star_.length.data();
    view_.first_term = star_.first_term.data();
    view_.terms = star_.terms.data();

    try {
        slowness_ = make_slowness(model, view_);
        view_.slowness = slowness_.data();
        require_edge_times(grid_, view_);
        if (options_.solver == GraphSolver::dijkstra) least_slowness_ = make_least_slowness(view_);
    } catch (const std::bad_alloc&) {
        throw no_memory(memory, sizeof(float), "the graph's nodes");
    }
    if (execution.device == Device::opengl) require_not_swapped(options_, "OpenGL");
    if (execution.device == Device::opengl && letter) {
        opengl_jacobi_ =
            std::make_shared<GlJacobi>(view_, star_, options_.weights, options_.visits);
        return;
    }
    if (execution.device == Device::opengl) {
        opengl_ = std::make_shared<GlGraph>(view_, star_, options_.weights,
                                            NodeTileTuning{.visits = options_.visits});
        return;
    }
    const auto obstacle = [&] {
        return letter ? jacobi_cuda_obstacle(view_, star_, options_.visits) : cuda_obstacle(view_);
    };
    if (device && on_cuda(execution.device, obstacle())) {
        put_on_cuda();
        return;
    }
    require_not_swapped(options_, "the CPU");
    const double bytes = 0.5 * view_.edges * static_cast<double>(memory.count()) * sizeof(float);
    const bool chosen_here =
        options_.weights == EdgeWeights::automatic && options_.solver == GraphSolver::bellman_ford;
    const bool fits = bytes < 0.25 * machine_memory();
    if (chosen_here && !fits) {
        not_stored_ = not_stored_words(bytes, "more than a quarter of this machine's memory");
    }
    if (options_.weights != EdgeWeights::stored && !(chosen_here && fits)) return;
    const auto half = static_cast<std::size_t>(view_.edges / 2);
    try {
        stored_.reset(new float[half * memory.count() + slack]);
    } catch (const std::bad_alloc&) {
        throw no_memory(memory, half * sizeof(float), "the times of the graph's edges");
    }
    make_weights(view_, stored_.get(), threads, execution.monitor);
    std::fill_n(stored_.get() + half * memory.count(), slack, 0.0F);
    view_.stored = stored_.get();
}

namespace {

/// A field of unreached nodes, into which the links of the source are entered.
struct Start {
    GraphField field;
    std::vector<Link> links;
};

Start start_at(const Graph& graph, const PointSource& point) {
    const Grid& grid = graph.grid();
    GraphField field;
    field.source = Place(grid).inside(point.position, "source");
    field.source_index = grid.to_index(field.source);
    field.start_time = point.start_time;
    std::vector<Link> links = graph.links(field.source);
    if (links.empty()) {
        throw InputError(fmt::format("source at {} is in air (move it below the surface)",
                                     to_string(grid, point.position)));
    }
    return {std::move(field), std::move(links)};
}

void make_room(const Graph& graph, GraphField& field) {
    const Shape memory = graph.view().memory;
    try {
        field.times.assign(memory.count() + slack, std::numeric_limits<float>::infinity());
        field.predecessor.assign(memory.count(), from_nowhere);
    } catch (const std::bad_alloc&) {
        throw no_memory(memory, sizeof(float) + sizeof(std::uint16_t), "times and predecessors");
    }
}

/// The devices' own calls, under one name.
template <class OnDevice>
void solve_on(OnDevice& device, std::span<const std::vector<Link>> links, Monitor& monitor,
              const std::function<void(std::size_t)>& consume) {
    if constexpr (requires { device.solve(links, monitor, consume); }) {
        device.solve(links, monitor, consume);
    } else {
        device.solve(links, consume);
    }
}

bool on_a_device(const Graph& graph) {
    return with_device(graph, [](auto&) {});
}

/// Solves batches of sources on a device.
template <class OnDevice>
void solve_batches(const Graph& graph, OnDevice& device, std::span<const PointSource> sources,
                   BatchTurns& turns, Monitor& monitor,
                   const std::function<void(std::size_t, GraphField&&)>& consume) {
    const std::size_t devices = devices_in_use().size();
    const std::size_t most = device.batch((sources.size() + devices - 1) / devices);
    while (const auto batch = turns.take(most)) {
        monitor.check();
        const std::size_t first = batch->first;
        std::vector<GraphField> fields;
        std::vector<std::vector<Link>> links;
        for (const PointSource& source : sources.subspan(first, batch->count)) {
            Start start = start_at(graph, source);
            fields.push_back(std::move(start.field));
            links.push_back(std::move(start.links));
        }
        solve_on(device, links, monitor, [&](std::size_t n) {
            monitor.check();
            make_room(graph, fields[n]);
            device.fetch(n, fields[n]);
            consume(first + n, std::move(fields[n]));
            fields[n] = {};
            monitor.advance();
        });
    }
}

}  // namespace

GraphField solve(const Graph& graph, const PointSource& point, const Execution& execution) {
    auto [field, links] = start_at(graph, point);
    make_room(graph, field);
    if (on_a_device(graph)) {
        on_each_device(1, [&, &result = field, &from = links](BatchTurns&) {
            with_device(graph, [&](auto& device) {
                solve_on(device, std::span(&from, 1), execution.monitor,
                         [&](std::size_t n) { device.fetch(n, result); });
            });
        });
        return std::move(field);
    }
    for (const Link& link : links) {
        field.times[link.place] = link.time;
        field.predecessor[link.place] = from_source;
    }
    if (graph.options().solver == GraphSolver::dijkstra) {
        dijkstra(graph, links, field, execution.monitor);
        return std::move(field);
    }
    const int threads = resolve_threads(execution.threads);
    if (graph.options().relaxation == Relaxation::jacobi) {
        jacobi(graph, links, threads, field, execution.monitor);
    } else {
        bellman_ford(graph, links, threads, field, execution.monitor);
    }
    return std::move(field);
}

void for_each_field(const Graph& graph, std::span<const PointSource> sources,
                    const Execution& execution,
                    const std::function<void(std::size_t, GraphField&&)>& consume) {
    Monitor& monitor = execution.monitor;
    const auto count = static_cast<std::int64_t>(sources.size());
    monitor.begin("shortest paths", count);
    if (on_a_device(graph)) {
        on_each_device(sources.size(), [&](BatchTurns& turns) {
            with_device(graph, [&](auto& device) {
                solve_batches(graph, device, sources, turns, monitor, consume);
            });
        });
        monitor.end();
        return;
    }
    for_each_by_teams(count, resolve_threads(execution.threads), [&](std::int64_t i, int team) {
        monitor.check();
        const auto n = static_cast<std::size_t>(i);
        consume(n, solve(graph, sources[n], execution.with_threads(team)));
        monitor.advance();
    });
    monitor.end();
}

Field<float> first_arrivals(const Graph& graph, std::span<const PointSource> sources,
                            const Execution& execution) {
    if (sources.empty()) throw InputError("no source is given (at least one is needed)");
    Field<float> earliest(graph.grid().shape, std::numeric_limits<float>::infinity());
    std::mutex one_at_a_time;
    for_each_field(graph, sources, execution, [&](std::size_t, const GraphField& field) {
        const Field<float> times = node_times(graph, field);
        const std::lock_guard lock(one_at_a_time);
        for (std::size_t n = 0; n < times.size(); ++n) {
            earliest[n] = std::min(earliest[n], times[n]);
        }
    });
    return earliest;
}

Field<float> node_times(const Graph& graph, const GraphField& field) {
    const Shape shape = graph.grid().shape;
    Field<float> times = allocate(shape, "times");
    float* out = times.data();
    for (int i = 0; i < shape.x; ++i) {
        for (int j = 0; j < shape.y; ++j) {
            const float* const row = field.times.data() + graph.view().at({i, j, 0});
            out = std::transform(row, row + shape.z, out, [&](float time) {
                return static_cast<float>(field.start_time + static_cast<double>(time));
            });
        }
    }
    return times;
}

}  // namespace fermat
