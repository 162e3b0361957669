#include <algorithm>
#include <cmath>
#include <limits>

#include "core/corner_weight.hpp"
#include "graph/graph.hpp"

namespace fermat {
namespace {

/// A point this close to a node, in cells, counts as the node.
constexpr double on_node = 1e-6;

/// Time from a point to a corner of its own cell if air touches the straight line between them. It
/// uses the slowness of the rock in the cell, so a point that touches rock is always linked to it.
double time_past_air(const Grid& grid, const GraphView& graph, Vec3 point, Index3 corner) {
    double sum = 0;
    double weights = 0;
    for_each_corner(grid, point, [&](Index3 node, double weight) {
        const double slowness = graph.slowness[graph.at(node)];
        if (weight > 0 && std::isfinite(slowness)) {
            sum += weight * slowness;
            weights += weight;
        }
    });
    const double at_point = sum / weights;
    const double at_corner = graph.slowness[graph.at(corner)];
    return 0.5 * (at_point + at_corner) * distance(point, grid.position(corner));
}

bool is_rock(const GraphView& graph, Index3 node) {
    return std::isfinite(graph.slowness[graph.at(node)]);
}

}  // namespace

std::vector<Link> Graph::links(Vec3 point) const {
    const Vec3 u = grid_.to_index(point);
    const Index3 nearest = grid_.nearest_node(point);
    const Vec3 off = u - to_vec(nearest);
    std::vector<Link> found;
    const auto add = [&](Index3 node, double time) {
        if (std::isfinite(time)) found.push_back({view_.at(node), static_cast<float>(time)});
    };
    const bool at_node = std::max({std::abs(off.x), std::abs(off.y), std::abs(off.z)}) < on_node;
    if (at_node && is_rock(view_, nearest)) return {{view_.at(nearest), 0}};
    Index3 first;
    Index3 last;
    for (int axis = 0; axis < 3; ++axis) {
        const double reach = std::max(1, options_.radius[axis]) + on_node;
        first[axis] = std::max(0, static_cast<int>(std::ceil(u[axis] - reach)));
        last[axis] = std::min(grid_.shape[axis] - 1, static_cast<int>(std::floor(u[axis] + reach)));
    }
    for (int i = first.x; i <= last.x; ++i) {
        for (int j = first.y; j <= last.y; ++j) {
            for (int k = first.z; k <= last.z; ++k) {
                const Index3 node{i, j, k};
                if (is_rock(view_, node)) add(node, line_time(view_, u, to_vec(node)));
            }
        }
    }
    for_each_corner(grid_, point, [&](Index3 node, double weight) {
        if (!(weight > least_corner_weight) || !is_rock(view_, node)) return;
        const bool linked = std::any_of(found.begin(), found.end(), [&](const Link& link) {
            return link.place == view_.at(node);
        });
        if (!linked) add(node, time_past_air(grid_, view_, point, node));
    });
    return found;
}

namespace {

/// The last leg of a path, from the point by a link to a node or straight to the source.
struct LastLeg {
    double time = std::numeric_limits<double>::infinity();
    std::size_t place = 0;
    bool straight = false;
};

LastLeg last_leg(const Graph& graph, const GraphField& field, Vec3 point) {
    LastLeg best;
    for (const Link& link : graph.links(point)) {
        const double time = static_cast<double>(field.times[link.place]) + link.time;
        if (time < best.time) best = {time, link.place, false};
    }
    const Vec3 u = graph.grid().to_index(point);
    const Vec3 apart = u - field.source_index;
    bool near = true;
    for (int axis = 0; axis < 3; ++axis) {
        near = near && std::abs(apart[axis]) <= std::max(1, graph.options().radius[axis]);
    }
    if (near) {
        const double time = line_time(graph.view(), u, field.source_index);
        if (time < best.time) best = {time, 0, true};
    }
    return best;
}

}  // namespace

double time_at(const Graph& graph, const GraphField& field, Vec3 point) {
    return field.start_time + last_leg(graph, field, graph.grid().clamp(point)).time;
}

GraphPath graph_path(const Graph& graph, const GraphField& field, Vec3 point) {
    const Grid& grid = graph.grid();
    point = grid.clamp(point);
    const LastLeg leg = last_leg(graph, field, point);
    GraphPath path{field.start_time + leg.time, {point}};
    if (!std::isfinite(leg.time)) return path;
    const auto add = [&](Vec3 p) {
        if (!(p == path.points.back())) path.points.push_back(p);
    };
    if (!leg.straight) {
        const GraphView& view = graph.view();
        std::size_t place = leg.place;
        const Vec3 node = grid.position(view.node(place));
        // A point that differs from a node only by rounding counts as that node.
        if (distance(grid.to_index(node), grid.to_index(point)) > on_node) add(node);
        while (field.predecessor[place] != from_source) {
            const std::int32_t step = view.step[field.predecessor[place]];
            place = static_cast<std::size_t>(static_cast<std::int64_t>(place) + step);
            add(grid.position(view.node(place)));
        }
        const Vec3 end = path.points.back();
        const bool on_source = distance(grid.to_index(end), field.source_index) < on_node;
        if (on_source && path.points.size() > 1) path.points.pop_back();
    }
    add(field.source);
    return path;
}

}  // namespace fermat
