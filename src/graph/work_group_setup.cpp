#include "graph/work_group_setup.hpp"

namespace fermat {
namespace {

/// A step in the graph's memory as one in a group's copy. Steps of the star stay within its radius,
/// so the offset along each axis can be read off the step.
std::int32_t in_copy(const GraphView& graph, Shape copy, std::int32_t step) {
    const Index3 middle = graph.border;
    const auto from = static_cast<std::int64_t>(graph.memory.offset(middle));
    const Index3 at = graph.node(static_cast<std::size_t>(from + step));
    return (at.x * copy.y + at.y) * copy.z + at.z;
}

}  // namespace

WorkGroups WorkGroupSetup::host_groups() const {
    WorkGroups result = groups;
    result.offset = offset.data();
    result.step = step.data();
    result.terms = terms.data();
    return result;
}

WorkGroupSetup make_work_groups(const GraphView& graph, const StarTable& star, TileVisits visits) {
    WorkGroupSetup setup;
    WorkGroups& groups = setup.groups;
    const Index3 r = graph.border;
    const bool flat = graph.shape.y == 1;
    groups.graph = graph;
    groups.map = visits != TileVisits::none;
    groups.walk = graph.reading == Reading::nearest;
    if (groups.map) {
        groups.size = {2 * r.x + 1, 2 * r.y + 1, 2 * r.z + 1};
    } else {
        groups.size = flat ? Shape{16, 1, 16} : Shape{4, 8, 8};
    }
    groups.groups = {ceil_divide(graph.shape.x, groups.size.x),
                     ceil_divide(graph.shape.y, groups.size.y),
                     ceil_divide(graph.shape.z, groups.size.z)};
    groups.memory = {groups.size.x + 2 * r.x, groups.size.y + 2 * r.y, groups.size.z + 2 * r.z};
    groups.reach = {1, flat ? 0 : 1, 1};
    setup.offset = star.offset;
    for (const std::int32_t step : star.step) {
        setup.step.push_back(in_copy(graph, groups.memory, step));
    }
    for (const EdgeTerm& term : star.terms) {
        setup.terms.push_back({in_copy(graph, groups.memory, term.step), term.weight});
    }
    return setup;
}

}  // namespace fermat
