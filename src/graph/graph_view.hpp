#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "core/grid.hpp"
#include "core/host_device.hpp"
#include "graph/line_terms.hpp"

namespace fermat {

constexpr int ceil_divide(int a, int b) { return (a + b - 1) / b; }

inline Vec3 to_vec(Index3 n) {
    return {static_cast<double>(n.x), static_cast<double>(n.y), static_cast<double>(n.z)};
}

/// The predecessor of a node is the number of its edge to the node from which the wave came. These
/// constants stand for the other cases. The top bit marks a node that Dijkstra's method has
/// finished (paper 2 uses the sign).
inline constexpr std::uint16_t from_source = 0x7ffe;
inline constexpr std::uint16_t from_nowhere = 0x7fff;
inline constexpr std::uint16_t done_bit = 0x8000;
inline constexpr int most_edges = from_source;

/// The number of extra values after the end of every array of nodes. Rows are read in whole runs;
/// values beyond the end of a row are not used.
inline constexpr std::size_t slack = 32;

/// The contribution of one node to the time of an edge.
struct EdgeTerm {
    std::int32_t step = 0;  ///< in memory, from the first node of the edge
    float weight = 0;       ///< a length; 0 after the last term of an edge
};

/// The grid graph as plain pointers and numbers, for host or device. Arrays of nodes have a border
/// of dummy nodes as wide as the star (papers 1 and 2). The border is infinitely slow, like air, so
/// edges need not test for the end of the grid.
struct GraphView {
    Shape shape;   ///< of the grid
    Shape memory;  ///< of the arrays
    Index3 border;
    Vec3 spacing;
    Reading reading = Reading::linear;
    const float* slowness = nullptr;

    int edges = 0;
    const std::int32_t* step = nullptr;
    const float* length = nullptr;
    const std::int32_t* first_term =
        nullptr;  ///< first term of each edge, then the end of the last
    const EdgeTerm* terms = nullptr;
    /// Times of edges, [upper half of the star][node in memory]. Null if they are computed when
    /// needed.
    const float* stored = nullptr;

    FERMAT_HD std::size_t at(Index3 n) const {
        return memory.offset(n.x + border.x, n.y + border.y, n.z + border.z);
    }
    FERMAT_HD Index3 node(std::size_t place) const {
        const auto z = static_cast<std::size_t>(memory.z);
        const auto y = static_cast<std::size_t>(memory.y);
        return {static_cast<int>(place / (y * z)) - border.x,
                static_cast<int>(place / z % y) - border.y, static_cast<int>(place % z) - border.z};
    }
    FERMAT_HD int opposite(int edge) const { return edges - 1 - edge; }
};

/// a * b + sum, rounded once if the machine can do that. All code that computes a weight then gets
/// the same bits; without this function compilers could fuse the operations in one place and not in
/// another.
FERMAT_HD inline float multiply_add(float a, float b, float sum) {
#if defined(__CUDA_ARCH__) || defined(__FMA__) || defined(__ARM_FEATURE_FMA)
    return fmaf(a, b, sum);
#else
    return a * b + sum;
#endif
}

/// Time along an edge from its terms; infinite if the edge meets air or leaves the grid.
FERMAT_HD inline float computed_weight(const GraphView& graph, std::size_t place, int edge) {
    const float* const s = graph.slowness + place;
    float sum = 0;
    for (const EdgeTerm* term = graph.terms + graph.first_term[edge]; term->weight > 0; ++term) {
        sum = multiply_add(term->weight, s[term->step], sum);
    }
    return sum;
}

/// Times along the same edge of `Count` <= slack nodes in a row, with the bits of computed_weight.
template <int Count>
FERMAT_HD inline void computed_weights(const GraphView& graph, std::size_t place, int edge,
                                       float* out) {
    float sum[Count] = {};
    for (const EdgeTerm* term = graph.terms + graph.first_term[edge]; term->weight > 0; ++term) {
        const float* const s = graph.slowness + place + term->step;
        for (int k = 0; k < Count; ++k) sum[k] = multiply_add(term->weight, s[k], sum[k]);
    }
    for (int k = 0; k < Count; ++k) out[k] = sum[k];
}

/// Where the weight of an edge is stored. Each edge is stored once, at its lower end (paper 1).
FERMAT_HD inline const float* stored_weight(const GraphView& graph, std::size_t place, int edge) {
    const int half = graph.edges / 2;
    const bool upper = edge >= half;
    const auto plane = static_cast<std::size_t>(upper ? edge - half : half - 1 - edge);
    const std::ptrdiff_t lower =
        static_cast<std::ptrdiff_t>(place) + (upper ? 0 : graph.step[edge]);
    return graph.stored + plane * graph.memory.count() + lower;
}

/// Time along a straight line between two points, given as fractional node indices.
FERMAT_HD inline double line_time(const GraphView& graph, Vec3 from, Vec3 to) {
    double sum = 0;
    for_each_term(from, to, graph.spacing, graph.reading, [&](Index3 node, double weight) {
        sum += weight * static_cast<double>(graph.slowness[graph.at(node)]);
    });
    return sum;
}

}  // namespace fermat
