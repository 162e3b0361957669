#pragma once

#include <cstdint>
#include <vector>

#include "core/grid.hpp"
#include "graph/forward_star.hpp"
#include "graph/graph_view.hpp"
#include "graph/line_terms.hpp"

namespace fermat {

/// The forward star on one grid: for every edge its length, its step in memory, and the nodes and
/// weights whose sum is its time. Built once, it makes weights on the fly cheap.
struct StarTable {
    std::vector<Index3> offset;
    std::vector<std::int32_t> step;  ///< in memory, from a node to the edge's other end
    std::vector<float> length;
    /// Edge e has the terms from first_term[e] to one of weight 0, the last before
    /// first_term[e + 1]. Those of an edge and its opposite are the same nodes in the same order,
    /// so that both ends compute the same bits.
    std::vector<std::int32_t> first_term;
    std::vector<EdgeTerm> terms;

    /// The same edges as rows of the star's box along z, for a test of a whole row at once: lengths
    /// with infinity where there is no edge, `row_width` floats a row.
    int row_width = 0;
    std::vector<std::int32_t> row_step;  ///< to the row's first node
    std::vector<float> row_length;
    std::vector<std::uint16_t> row_edge;

    int edges() const { return static_cast<int>(offset.size()); }
};

/// `memory` is the shape of the arrays that steps are for.
StarTable make_star_table(Index3 radius, StarEdges edges, Reading reading, Vec3 spacing,
                          Shape memory);

}  // namespace fermat
