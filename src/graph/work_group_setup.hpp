#pragma once

#include <cstdint>
#include <vector>

#include "graph/options.hpp"
#include "graph/star_table.hpp"
#include "graph/work_group.hpp"

namespace fermat {

/// How a graph is divided into work groups, and its star in the copy of a group. The pointers of
/// the groups are those of the graph on the host; host_groups() has those of the star too.
struct WorkGroupSetup {
    WorkGroups groups;
    std::vector<Index3> offset;
    std::vector<std::int32_t> step;
    std::vector<EdgeTerm> terms;

    WorkGroups host_groups() const;
};

/// `visits` must be marked or none. With an update map, groups are as large as the star (paper 2);
/// without one they have 16 x 16 nodes (paper 1), in 3-D 4 x 8 x 8.
WorkGroupSetup make_work_groups(const GraphView& graph, const StarTable& star, TileVisits visits);

}  // namespace fermat
