#pragma once

#include <cstdint>
#include <vector>

#include "core/grid.hpp"
#include "graph/forward_star.hpp"
#include "graph/graph_view.hpp"
#include "graph/line_terms.hpp"

namespace fermat {

/// The forward star on one grid: for every edge its length, its step in memory, and the nodes and
/// weights whose sum is its time. The table is built once and makes it cheap to compute weights
/// when they are needed.
struct StarTable {
    std::vector<Index3> offset;
    std::vector<std::int32_t> step;  ///< in memory, from a node to the edge's other end
    std::vector<float> length;
    /// The terms of edge e start at first_term[e] and end with one of weight 0, the last before
    /// first_term[e + 1]. An edge and its opposite have the same nodes in the same order, so both
    /// ends compute the same bits.
    std::vector<std::int32_t> first_term;
    std::vector<EdgeTerm> terms;

    /// The edges as rows of the star's box along z, so a whole row can be tested at once. Each row
    /// has `row_width` lengths, infinite where there is no edge.
    int row_width = 0;
    std::vector<std::int32_t> row_step;  ///< to the row's first node
    std::vector<float> row_length;
    std::vector<std::uint16_t> row_edge;

    int edges() const { return static_cast<int>(offset.size()); }
};

/// `memory` is the shape of the arrays to which the steps apply.
StarTable make_star_table(Index3 radius, StarEdges edges, Reading reading, Vec3 spacing,
                          Shape memory);

}  // namespace fermat
