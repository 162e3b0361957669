#include "eikonal/front.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "eikonal/node_update.hpp"
#include "eikonal/solve_factored.hpp"

namespace fermat {
namespace {

bool is_given(double time) { return std::isfinite(time) && time >= 0; }

double longest_spacing(const Grid& grid) {
    const double flat = std::max(grid.spacing_along(0), grid.spacing_along(2));
    return grid.is_2d() ? flat : std::max(flat, grid.spacing_along(1));
}

/// r of a front. It is so large that 1 + (h/r)^2 rounds to 1 in any precision, and it is a power of
/// two in units of the smallest spacing, so it changes no digit of a time.
double front_radius(const Grid& grid) {
    const double unit = smallest_spacing(grid);
    return unit * std::ldexp(power_of_two_near(longest_spacing(grid) / unit), 30);
}

/// Marks the start nodes that the wave from the rest of the front reaches before their given time,
/// according to the field of that wave. Differences within the error of the scheme, or of a jump of
/// velocity at the node, are ignored.
template <class Real>
std::vector<char> overtaken(const Model& model, const FactoredSource& source,
                            FieldView<const Real> tau, int threads) {
    constexpr double least_gain = 0.6;  // in times across the longest side of a cell
    const Grid& grid = model.grid();
    const NodeGeometry<Real> geometry(model, source);
    const double longest = longest_spacing(grid) / smallest_spacing(grid);
    std::vector<char> late(source.starts.size());
    parallel_ranges(
        static_cast<std::int64_t>(late.size()), threads, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t at = begin; at < end; ++at) {
                const StartNode& start = source.starts[static_cast<std::size_t>(at)];
                Real slowest = geometry.speed(start.node);
                const auto read = [&](int axis, int steps) {
                    Index3 node = start.node;
                    node[axis] += steps;
                    if (node[axis] < 0 || node[axis] >= grid.shape[axis]) return unreached<Real>;
                    const Real here = tau(node);
                    if (!(here < reached_limit<Real>)) return unreached<Real>;
                    slowest = std::min(slowest, geometry.speed(node));
                    return here;
                };
                const Real r2 = geometry.r2(start.node);
                const Real r = std::sqrt(r2);
                const Real speed = geometry.speed(start.node);
                const Real found =
                    grid.is_2d() ? update_node<2, 1>(geometry, start.node, speed, r2, r, read)
                                 : update_node<3, 1>(geometry, start.node, speed, r2, r, read);
                const double gain =
                    (start.tau - static_cast<double>(found)) * static_cast<double>(r);
                late[static_cast<std::size_t>(at)] =
                    gain > least_gain * longest / static_cast<double>(slowest);
            }
        });
    return late;
}

/// Removes the marked start nodes and returns their number.
std::size_t remove_marked(std::vector<StartNode>& starts, const std::vector<char>& marks) {
    std::size_t kept = 0;
    for (std::size_t n = 0; n < starts.size(); ++n) {
        if (!marks[n]) starts[kept++] = starts[n];
    }
    const std::size_t removed = starts.size() - kept;
    starts.resize(kept);
    return removed;
}

}  // namespace

Field<float> held_velocity(const Model& model, const FactoredSource& source) {
    const FieldView<const float> velocity = model.velocity();
    Field<float> held(velocity.shape());
    std::copy(velocity.begin(), velocity.end(), held.begin());
    for (const StartNode& start : source.starts) held(start.node) = 0;
    return held;
}

FactoredFront factor_front(const Model& model, FieldView<const double> times) {
    const Grid& grid = model.grid();
    if (times.shape() != grid.shape) {
        throw InputError(fmt::format("the front has shape {} (must be the model's, {})",
                                     to_string(times.shape()), to_string(grid.shape)));
    }
    FactoredFront front;
    double first = INFINITY;
    Index3 earliest;
    for (int i = 0; i < grid.shape.x; ++i) {
        for (int j = 0; j < grid.shape.y; ++j) {
            for (int k = 0; k < grid.shape.z; ++k) {
                const Index3 node{i, j, k};
                const double time = times(node);
                if (!is_given(time)) continue;
                if (model.is_air(node)) {
                    ++front.in_air;
                    continue;
                }
                front.source.starts.push_back({node, time});
                if (!(time < first)) continue;
                first = time;
                earliest = node;
            }
        }
    }
    if (front.source.starts.empty()) {
        throw InputError(
            front.in_air > 0
                ? fmt::format("all {} nodes of the front are in air (give times below the surface)",
                              front.in_air)
                : "the front has no time (a node of the front has a finite time of at least 0; "
                  "NaN, infinite and negative mean unknown)");
    }
    FactoredSource& source = front.source;
    source.position = grid.position(earliest);
    source.slowness = slowness_at(model, source.position);
    source.part = 0;
    source.far = front_radius(grid);
    // tau must be positive, so the field starts before the front by the time across a cell.
    const double crossing = source.slowness * smallest_spacing(grid);
    front.start_time = first - crossing;
    for (StartNode& start : source.starts) {
        start.tau = (start.tau - first + crossing) / (source.slowness * source.far);
    }
    return front;
}

template <class Real>
BasicTimeField<Real> solve_front(const Model& model, FieldView<const double> times,
                                 const EikonalOptions& options, const Execution& execution,
                                 Notes& notes) {
    require_plain(model, "a front");
    validate(options);
    if (options.solver == Solver::vidale) {
        throw InputError("solver 'vidale' starts from points (a front needs fim, fmm or fsm)");
    }
    FactoredFront front = factor_front(model, times);
    if (front.in_air > 0) {
        notes.add(fmt::format("{} of the front's {} nodes are in air: left out", front.in_air,
                              front.in_air + front.source.starts.size()));
    }
    const std::size_t given = front.source.starts.size();
    const int threads = resolve_threads(execution.threads);
    Monitor& monitor = execution.monitor;
    monitor.begin("first arrivals", 1);
    while (true) {
        BasicTimeField<Real> field =
            solve_factored<Real>(model, front.source, front.start_time, options, execution);
        const std::vector<char> late =
            overtaken<Real>(model, front.source, field.tau.view(), threads);
        if (remove_marked(front.source.starts, late) > 0) {
            monitor.check();
            continue;
        }
        if (front.source.starts.size() < given) {
            notes.add(
                fmt::format("{} of the front's {} nodes are reached from its other nodes before "
                            "their given time: the earlier time counts",
                            given - front.source.starts.size(), given));
        }
        monitor.advance();
        monitor.end();
        return field;
    }
}

template TimeField solve_front(const Model&, FieldView<const double>, const EikonalOptions&,
                               const Execution&, Notes&);
template BasicTimeField<double> solve_front(const Model&, FieldView<const double>,
                                            const EikonalOptions&, const Execution&, Notes&);

}  // namespace fermat
