#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>

#include "core/block.hpp"
#include "core/host_device.hpp"
#include "graph/edge_walk.hpp"
#include "graph/graph_view.hpp"

// Papers 1 and 2 to the letter, as a block algorithm. A launch relaxes each node once, from the
// times before it (paper 1, Algorithm 3: tt is read, auxtt is written); a second launch writes back
// (Algorithm 4). Work groups are as large as the star, (2 R_x + 1) x (2 R_y + 1) nodes, and copy
// the times and the slowness that they need into shared memory. The update map says in which groups
// a node changed in the last launch; a group is active if one of the nine round it is marked (paper
// 2, Algorithm 1). The paper has one map, whose marks a group may clear before its neighbour has
// read them; here marks of this launch and of the next are apart.

namespace fermat {

/// How a graph is divided into work groups.
struct WorkGroups {
    GraphView graph;    ///< with stored weights, or without
    Shape size;         ///< of a group, in nodes
    Shape groups;       ///< number of groups along each axis
    Shape memory;       ///< shape of a group's copies, with a border as wide as the star
    Index3 reach;       ///< 1 along each axis that the grid has
    bool map = true;    ///< without it every launch relaxes every group, as in paper 1
    bool walk = false;  ///< computed weights come from Algorithm A-1, not from terms
    const Index3* offset = nullptr;      ///< of the star's edges
    const std::int32_t* step = nullptr;  ///< the same, as steps in the copy
    const EdgeTerm* terms = nullptr;     ///< those of the graph, with steps in the copy

    FERMAT_HD unsigned group_count() const { return static_cast<unsigned>(groups.count()); }
    FERMAT_HD int lanes() const { return static_cast<int>(size.count()); }
    FERMAT_HD int neighbours() const {
        return (2 * reach.x + 1) * (2 * reach.y + 1) * (2 * reach.z + 1);
    }
    FERMAT_HD Index3 group_index(unsigned group) const {
        const auto n = static_cast<int>(group);
        const int row = n / groups.z;
        return {row / groups.y, row % groups.y, n % groups.z};
    }
    FERMAT_HD Index3 first_node(unsigned group) const {
        const Index3 g = group_index(group);
        return {g.x * size.x, g.y * size.y, g.z * size.z};
    }
    /// Node `lane` of a group, relative to its first node.
    FERMAT_HD Index3 node_of(int lane) const {
        const int row = lane / size.z;
        return {row / size.y, row % size.y, lane % size.z};
    }
    FERMAT_HD bool inside(Index3 node) const {
        return node.x < graph.shape.x && node.y < graph.shape.y && node.z < graph.shape.z;
    }
    FERMAT_HD unsigned group_of(Index3 node) const {
        return static_cast<unsigned>(
            groups.offset(node.x / size.x, node.y / size.y, node.z / size.z));
    }
    /// The number of nodes of a group that lie in the grid.
    FERMAT_HD int nodes_in(unsigned group) const {
        const Index3 first = first_node(group);
        int count = 1;
        for (int axis = 0; axis < 3; ++axis) {
            const int left = graph.shape[axis] - first[axis];
            count *= left < size[axis] ? left : size[axis];
        }
        return count;
    }
};

/// Times and predecessors of the graph, and the update map.
struct JacobiState {
    float* tt = nullptr;
    float* auxtt = nullptr;
    std::uint16_t* pr = nullptr;
    std::uint16_t* auxpr = nullptr;
    const std::uint8_t* marks = nullptr;  ///< [group]: a node changed in the last launch
    std::uint8_t* next_marks = nullptr;   ///< [group]: one changed in this one
};

/// Memory that the lanes of a group share.
struct GroupRoom {
    float* times = nullptr;     ///< WorkGroups::memory
    float* slowness = nullptr;  ///< the same, if weights are computed
    int* marks = nullptr;       ///< one per neighbour
    int* updated = nullptr;     ///< one
};

FERMAT_HD inline std::size_t room_bytes(const WorkGroups& groups) {
    return 2 * groups.memory.count() * sizeof(float) +
           static_cast<std::size_t>(groups.neighbours() + 1) * sizeof(int);
}
/// Divides `memory`, of room_bytes(), among the arrays of a GroupRoom.
FERMAT_HD inline GroupRoom room_in(const WorkGroups& groups, float* memory) {
    GroupRoom room;
    room.times = memory;
    room.slowness = memory + groups.memory.count();
    room.marks = reinterpret_cast<int*>(room.slowness + groups.memory.count());
    room.updated = room.marks + groups.neighbours();
    return room;
}

namespace detail {

/// Copies the part of an array of the graph that a group needs; infinite beyond its end.
template <class Block>
FERMAT_HD void copy_part(Block block, const WorkGroups& groups, unsigned group, const float* from,
                         float* to) {
    const Index3 first = groups.first_node(group);
    const Shape all = groups.graph.memory;
    const Shape copy = groups.memory;
    block.for_each(static_cast<int>(copy.count()), [&](int n) {
        const int row = n / copy.z;
        const Index3 at{first.x + row / copy.y, first.y + row % copy.y, first.z + n % copy.z};
        const bool inside = at.x < all.x && at.y < all.y && at.z < all.z;
        to[n] = inside ? from[all.offset(at)] : INFINITY;
    });
}

/// Whether a group is active: each lane reads one of the marks, then all look at all of them.
template <class Block>
FERMAT_HD bool is_active(Block block, const WorkGroups& groups, const JacobiState& state,
                         unsigned group, const GroupRoom& room) {
    if (!groups.map) return true;
    const Index3 g = groups.group_index(group);
    const int across = 2 * groups.reach.z + 1;
    const int deep = 2 * groups.reach.y + 1;
    block.for_each(groups.neighbours(), [&](int n) {
        const Index3 at{g.x + n / across / deep - groups.reach.x,
                        g.y + n / across % deep - groups.reach.y,
                        g.z + n % across - groups.reach.z};
        const bool inside = at.x >= 0 && at.x < groups.groups.x && at.y >= 0 &&
                            at.y < groups.groups.y && at.z >= 0 && at.z < groups.groups.z;
        room.marks[n] = inside ? state.marks[groups.groups.offset(at)] : 0;
    });
    bool active = false;
    for (int n = 0; n < groups.neighbours(); ++n) active = active || room.marks[n] != 0;
    return active;
}

/// The sum of an edge's terms in a copy of the slowness, with the bits of computed_weight.
FERMAT_HD inline float summed_weight(const WorkGroups& groups, const float* slowness, int edge) {
    float sum = 0;
    for (const EdgeTerm* term = groups.terms + groups.graph.first_term[edge]; term->weight > 0;
         ++term) {
        sum = multiply_add(term->weight, slowness[term->step], sum);
    }
    return sum;
}

FERMAT_HD inline Index3 steps_along(Shape copy) { return {copy.y * copy.z, copy.z, 1}; }

FERMAT_HD inline float weight_of(const WorkGroups& groups, const float* slowness, std::size_t place,
                                 int edge) {
    if (groups.graph.stored != nullptr) return *stored_weight(groups.graph, place, edge);
    if (!groups.walk) return summed_weight(groups, slowness, edge);
    return walked_weight(slowness, steps_along(groups.memory), groups.offset[edge],
                         groups.graph.length[edge]);
}

}  // namespace detail

/// Paper 1's Algorithm 1: stores the weights of a group's nodes, each edge once, at its lower end.
/// `out` has the layout of GraphView::stored and must be infinite where no group's nodes are.
template <class Block>
FERMAT_HD void precalculate_weights(Block block, const WorkGroups& groups, unsigned group,
                                    const GroupRoom& room, float* out) {
    const GraphView& graph = groups.graph;
    detail::copy_part(block, groups, group, graph.slowness, room.slowness);
    const Index3 first = groups.first_node(group);
    const Index3 r = graph.border;
    const int half = graph.edges / 2;
    block.for_each(groups.lanes(), [&](int lane) {
        const Index3 n = groups.node_of(lane);
        const Index3 node{first.x + n.x, first.y + n.y, first.z + n.z};
        if (!groups.inside(node)) return;
        const float* const here =
            room.slowness + groups.memory.offset(n.x + r.x, n.y + r.y, n.z + r.z);
        for (int plane = 0; plane < half; ++plane) {
            out[static_cast<std::size_t>(plane) * graph.memory.count() + graph.at(node)] =
                detail::summed_weight(groups, here, half + plane);
        }
    });
}

/// Paper 1's Algorithm 3 in the active groups of paper 2. Returns whether the group is active.
template <class Block>
FERMAT_HD bool relax_group(Block block, const WorkGroups& groups, const JacobiState& state,
                           unsigned group, const GroupRoom& room) {
    if (!detail::is_active(block, groups, state, group, room)) return false;
    const GraphView& graph = groups.graph;
    detail::copy_part(block, groups, group, state.tt, room.times);
    if (graph.stored == nullptr) {
        detail::copy_part(block, groups, group, graph.slowness, room.slowness);
    }
    const Index3 first = groups.first_node(group);
    const Index3 r = graph.border;
    block.for_each(groups.lanes(), [&](int lane) {
        const Index3 n = groups.node_of(lane);
        const Index3 node{first.x + n.x, first.y + n.y, first.z + n.z};
        if (!groups.inside(node)) return;
        const std::size_t place = graph.at(node);
        const std::size_t here = groups.memory.offset(n.x + r.x, n.y + r.y, n.z + r.z);
        const float* const times = room.times + here;
        float best = state.auxtt[place];
        int from = -1;
        for (int e = 0; e < graph.edges; ++e) {
            const float time =
                times[groups.step[e]] + detail::weight_of(groups, room.slowness + here, place, e);
            if (!(time < best)) continue;
            best = time;
            from = e;
        }
        if (from < 0) return;
        state.auxtt[place] = best;
        state.auxpr[place] = static_cast<std::uint16_t>(from);
    });
    return true;
}

/// Paper 1's Algorithm 4, and the group's mark for the next launch. Returns whether a node changed.
template <class Block>
FERMAT_HD bool write_back(Block block, const WorkGroups& groups, const JacobiState& state,
                          unsigned group, const GroupRoom& room) {
    const bool active = detail::is_active(block, groups, state, group, room);
    block.for_each(1, [&](int) { *room.updated = 0; });
    const Index3 first = groups.first_node(group);
    if (active) {
        block.for_each(groups.lanes(), [&](int lane) {
            const Index3 n = groups.node_of(lane);
            const Index3 node{first.x + n.x, first.y + n.y, first.z + n.z};
            if (!groups.inside(node)) return;
            const std::size_t place = groups.graph.at(node);
            if (state.tt[place] > state.auxtt[place]) {
                state.tt[place] = state.auxtt[place];
                state.pr[place] = state.auxpr[place];
                *room.updated = 1;
            }
            state.auxtt[place] = state.tt[place];
        });
    }
    const bool updated = *room.updated != 0;
    block.for_each(1, [&](int) { state.next_marks[group] = updated ? 1 : 0; });
    return updated;
}

}  // namespace fermat
