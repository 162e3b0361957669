#pragma once

#include <fmt/format.h>

#include <string>

#include "graph/graph_view.hpp"

namespace fermat {

/// A triple as a constant of a shader: "#define SHAPE ivec3(1, 2, 3)". Triple has x, y, z.
template <class Triple>
std::string vector_words(const char* name, const Triple& v) {
    return fmt::format("#define {} ivec3({}, {}, {})\n", name, v.x, v.y, v.z);
}

/// What shaders of graphs know of a graph and of its tiles (or work groups): `size` nodes per tile,
/// `tiles` of them, `copy` of a tile with its halo, which is `reach` nodes wide.
template <class Size, class Tiles, class Copy, class Reach>
std::string graph_words(const GraphView& graph, const Size& size, const Tiles& tiles,
                        const Copy& copy, const Reach& reach) {
    return "#version 430 core\n" + vector_words("SHAPE", graph.shape) +
           vector_words("MEMORY", graph.memory) + vector_words("BORDER", graph.border) +
           vector_words("TILE", size) + vector_words("TILES", tiles) + vector_words("COPY", copy) +
           vector_words("REACH", reach);
}

}  // namespace fermat
