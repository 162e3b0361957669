#pragma once

#include <cmath>

#include "core/host_device.hpp"
#include "eikonal/time_field.hpp"
#include "rays/ray_set.hpp"

namespace fermat {

/// The walk from a receiver down the time field to the source, which all tracers share. A tracer
/// proposes the next point. The walk accepts it if it is earlier and no air lies in between. Where
/// a proposal fails, the walk goes down from node to node. That cannot fail: every reached node has
/// a neighbour that its time came from.

/// True if the line from a to b crosses a plane of the grid at a place that no wave reaches.
template <class Real, Space S>
FERMAT_HD bool blocked(const TimeFieldView<Real, S>& field, Vec3 a, Vec3 b) {
    if (!field.has_gaps) return false;
    const Vec3 ua = field.grid.to_index(a);
    const Vec3 ub = field.grid.to_index(b);
    for (int axis = 0; axis < 3; ++axis) {
        const double d = ub[axis] - ua[axis];
        if (d == 0) continue;
        const double low = d > 0 ? ua[axis] : ub[axis];
        const double high = d > 0 ? ub[axis] : ua[axis];
        for (double plane = std::ceil(low); plane <= high; plane += 1) {
            const double t = (plane - ua[axis]) / d;
            Vec3 p = a + t * (b - a);
            p[axis] = field.grid.coordinate(axis, plane);
            if (!std::isfinite(tau_at(field, p))) return true;
        }
    }
    return !std::isfinite(tau_at(field, b));
}

/// True within one cell of the source along every axis, where the rest of the ray is a straight
/// line.
template <class Real, Space S>
FERMAT_HD bool beside_source(const TimeFieldView<Real, S>& field, Vec3 p) {
    const Vec3 d = p - field.factor.position;
    for (int axis = 0; axis < 3; ++axis) {
        if (std::abs(d[axis]) > (1 + 1e-6) * field.grid.spacing[axis]) return false;
    }
    return true;
}

/// True if a step from a to b leads past the source, so that the ray would have to turn back. Where
/// velocity jumps between cells, such a path can be the fastest one.
template <class Real, Space S>
FERMAT_HD bool passes_source(const TimeFieldView<Real, S>& field, Vec3 a, Vec3 b) {
    const Vec3 source = field.factor.position;
    return !field.cells.exist() && beside_source(field, b) && dot(source - b, b - a) < 0 &&
           !blocked(field, a, source);
}

/// A node on a ray, and its time.
struct NodeStep {
    Index3 node;
    double time = INFINITY;
};

/// The corner of a point's cell with the earliest time.
template <class Real, Space S>
FERMAT_HD NodeStep earliest_corner(const TimeFieldView<Real, S>& field, Vec3 p) {
    NodeStep best;
    const CellPoint at = locate(field.grid, p);
    const int corners_y = field.grid.is_2d() ? 1 : 2;
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < corners_y; ++j) {
            for (int k = 0; k < 2; ++k) {
                const Index3 node{at.cell.x + i, at.cell.y + j, at.cell.z + k};
                const Vec3 position = field.grid.position(node);
                const double time = time_at(field, position);
                if (time < best.time && !blocked(field, p, position)) best = {node, time};
            }
        }
    }
    return best;
}

/// The steepest step down from a node to one of its 26 neighbours (8 in 2-D). Its time is infinite
/// if there is none; among reached nodes, only the start nodes have none.
template <class Real, Space S>
FERMAT_HD NodeStep steepest_neighbour(const TimeFieldView<Real, S>& field, Index3 node) {
    const Grid& grid = field.grid;
    const Vec3 here = grid.position(node);
    const double time = time_at(field, here);
    NodeStep best;
    double best_slope = 0;
    const int reach_y = grid.is_2d() ? 0 : 1;
    for (int i = -1; i <= 1; ++i) {
        for (int j = -reach_y; j <= reach_y; ++j) {
            for (int k = -1; k <= 1; ++k) {
                const Index3 next{node.x + i, node.y + j, node.z + k};
                if (next.x < 0 || next.y < 0 || next.z < 0 || next.x >= grid.shape.x ||
                    next.y >= grid.shape.y || next.z >= grid.shape.z) {
                    continue;
                }
                const Vec3 there = grid.position(next);
                const double next_time = time_at(field, there);
                if (!(next_time < time)) continue;
                const double slope = (time - next_time) / distance(here, there);
                if (slope > best_slope && !blocked(field, here, there)) {
                    best_slope = slope;
                    best = {next, next_time};
                }
            }
        }
    }
    return best;
}

/// The current point of a walk.
struct Walker {
    Vec3 point;
    double time = INFINITY;
};

/// True for proposals that find the last step to the source themselves.
template <class Propose>
inline constexpr bool finds_source = requires {
    Propose::finds_source;
};

/// Traces one ray. `propose(walker, next)` sets the next point and its time, or returns false.
/// `escape(node, time)` lists the nodes from a local minimum to an earlier node. `emit(point)`
/// receives the points of the ray from the receiver to the source.
template <class Real, Space S, class Propose, class Escape, class Emit>
FERMAT_HD RayStatus trace_ray(const TimeFieldView<Real, S>& field, Vec3 receiver, Propose propose,
                              Escape escape, Emit emit) {
    const Grid& grid = field.grid;
    const Vec3 source = field.factor.position;
    Walker at{grid.clamp(receiver), 0};
    at.time = time_at(field, at.point);
    emit(at.point);
    if (!std::isfinite(at.time)) return RayStatus::unreachable;
    // A good descent takes a few points per cell. After far more than that, the walk continues from
    // node to node.
    const long most_points = 16L * (grid.shape.x + grid.shape.y + grid.shape.z);
    const long most_nodes = static_cast<long>(grid.shape.count());
    bool at_node = false;
    bool nodes_only = false;
    Index3 node;
    const auto arrive = [&] {
        if (!(at.point == source)) emit(source);
        return RayStatus::ok;
    };
    for (long points = 0; points < most_points + most_nodes; ++points) {
        const bool near = beside_source(field, at.point) && !blocked(field, at.point, source);
        if (near && (!finds_source<Propose> || at.point == source || nodes_only)) return arrive();
        nodes_only |= points >= most_points;
        Walker next;
        if (!nodes_only && propose(at, next) && next.time < at.time &&
            !blocked(field, at.point, next.point)) {
            if (!finds_source<Propose> && passes_source(field, at.point, next.point))
                return arrive();
            at = next;
            at_node = false;
            emit(at.point);
            continue;
        }
        if (near) return arrive();
        NodeStep step =
            at_node ? steepest_neighbour(field, node) : earliest_corner(field, at.point);
        if (std::isfinite(step.time) && passes_source(field, at.point, grid.position(step.node))) {
            return arrive();
        }
        if (!at_node) {
            // Beside air, interpolation can make a point earlier than the corners it was made from.
            // Only nodes are reliable there, so the rest of the walk uses nodes.
            nodes_only |= !(step.time < at.time);
        } else if (!std::isfinite(step.time)) {
            for (const Index3 n : escape(node, at.time)) {
                step = {n, time_at(field, grid.position(n))};
                if (!(step.time < at.time)) emit(grid.position(n));
            }
        }
        if (!std::isfinite(step.time)) return RayStatus::stalled;
        node = step.node;
        at = {grid.position(node), step.time};
        at_node = true;
        emit(at.point);
    }
    return RayStatus::stalled;
}

}  // namespace fermat
