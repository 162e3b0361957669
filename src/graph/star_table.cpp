#include "graph/star_table.hpp"

#include <limits>
#include <map>

namespace fermat {
namespace {

std::int32_t memory_step(Shape memory, Index3 offset) {
    const auto slab = static_cast<std::int64_t>(memory.y) * memory.z;
    return static_cast<std::int32_t>(offset.x * slab +
                                     static_cast<std::int64_t>(offset.y) * memory.z + offset.z);
}

/// Terms of the edges, for the upper half of the star; the lower half mirrors it.
void add_terms(StarTable& table, Reading reading, Vec3 spacing, Shape memory) {
    const int edges = table.edges();
    const int half = edges / 2;
    std::vector<std::map<std::int32_t, double>> terms(static_cast<std::size_t>(half));
    for (int e = half; e < edges; ++e) {
        auto& sum = terms[static_cast<std::size_t>(e - half)];
        for_each_term(
            {}, to_vec(table.offset[static_cast<std::size_t>(e)]), spacing, reading,
            [&](Index3 node, double weight) { sum[memory_step(memory, node)] += weight; });
    }
    for (int e = 0; e < edges; ++e) {
        const bool upper = e >= half;
        const auto opposite = static_cast<std::size_t>(upper ? e - half : half - 1 - e);
        const std::int32_t from = upper ? 0 : table.step[static_cast<std::size_t>(e)];
        table.first_term.push_back(static_cast<std::int32_t>(table.terms.size()));
        for (const auto& [step, weight] : terms[opposite]) {
            table.terms.push_back({from + step, static_cast<float>(weight)});
        }
        table.terms.push_back({});
    }
    table.first_term.push_back(static_cast<std::int32_t>(table.terms.size()));
}

void add_rows(StarTable& table, Index3 radius, Shape memory) {
    constexpr int chunk = 8;
    const int across = 2 * radius.z + 1;
    table.row_width = (across + chunk - 1) / chunk * chunk;
    const auto width = static_cast<std::size_t>(table.row_width);
    for (int i = -radius.x; i <= radius.x; ++i) {
        for (int j = -radius.y; j <= radius.y; ++j) {
            table.row_step.push_back(memory_step(memory, {i, j, -radius.z}));
        }
    }
    table.row_length.assign(table.row_step.size() * width, std::numeric_limits<float>::infinity());
    table.row_edge.assign(table.row_length.size(), 0);
    for (std::size_t e = 0; e < table.offset.size(); ++e) {
        const Index3 o = table.offset[e];
        const auto row =
            static_cast<std::size_t>((o.x + radius.x) * (2 * radius.y + 1) + (o.y + radius.y));
        const std::size_t place = row * width + static_cast<std::size_t>(o.z + radius.z);
        table.row_length[place] = table.length[e];
        table.row_edge[place] = static_cast<std::uint16_t>(e);
    }
}

}  // namespace

StarTable make_star_table(Index3 radius, StarEdges edges, Reading reading, Vec3 spacing,
                          Shape memory) {
    StarTable table;
    table.offset = forward_star(radius, edges);
    for (const Index3& o : table.offset) {
        table.step.push_back(memory_step(memory, o));
        table.length.push_back(
            static_cast<float>(norm({o.x * spacing.x, o.y * spacing.y, o.z * spacing.z})));
    }
    add_terms(table, reading, spacing, memory);
    add_rows(table, radius, memory);
    return table;
}

}  // namespace fermat
