#include "eikonal/fim/tile_steps.hpp"

#include <algorithm>
#include <array>

namespace fermat {
namespace {

struct Node {
    std::array<int, 3> at;
    int level;
};

/// Appends the steps of one sweep; returns their number.
template <int Dim>
int pack_steps(unsigned outward, std::vector<std::uint16_t>& nodes) {
    using Tile = TileShape<Dim>;
    const SweepWay way{0, outward};
    const auto code = [](std::array<int, 3> at) {
        return static_cast<std::size_t>(Tile::code(at[0], at[1], at[2]));
    };
    const auto level = [&](int axis, int n) {
        return outward >> axis & 1 ? std::abs(n - Tile::size(axis) / 2) : n;
    };
    std::vector<Node> waiting;
    for (int o = 0; o < Tile::size(0); ++o) {
        for (int l = 0; l < Tile::size(1); ++l) {
            for (int r = 0; r < Tile::size(2); ++r) {
                waiting.push_back({{o, l, r}, level(0, o) + level(1, l) + level(2, r)});
            }
        }
    }
    // The longest chains of dependent nodes start at low levels, so these come first.
    std::stable_sort(waiting.begin(), waiting.end(),
                     [](const Node& a, const Node& b) { return a.level < b.level; });
    std::vector<int> step_of(static_cast<std::size_t>(tile_nodes<Dim>), -1);
    int count = 0;
    for (; !waiting.empty(); ++count) {
        const auto ready = [&](const Node& node) {
            for (int axis = 0; axis < 3; ++axis) {
                auto before = node.at;
                auto& n = before[static_cast<std::size_t>(axis)];
                const int sense = way.sense<Dim>(axis, n);
                n -= sense;
                if (sense == 0 || n < 0) continue;
                const int done = step_of[code(before)];
                if (done < 0 || done == count) return false;
                // In an outward sweep, second order also reads across the middle.
                n -= sense;
                if (n >= 0 && n < Tile::size(axis) && step_of[code(before)] == count) return false;
            }
            return true;
        };
        int taken = 0;
        std::vector<Node> later;
        for (const Node& node : waiting) {
            if (taken < TileSteps::lanes && ready(node)) {
                step_of[code(node.at)] = count;
                nodes.push_back(static_cast<std::uint16_t>(code(node.at)));
                ++taken;
            } else {
                later.push_back(node);
            }
        }
        nodes.resize(nodes.size() + static_cast<std::size_t>(TileSteps::lanes - taken),
                     TileSteps::idle);
        waiting.swap(later);
    }
    return count;
}

}  // namespace

template <int Dim>
const TileSteps& tile_steps() {
    static const TileSteps packed = [] {
        TileSteps steps;
        for (unsigned outward = 0; outward < TileSteps::sets; ++outward) {
            steps.begin[outward + 1] = steps.begin[outward] + pack_steps<Dim>(outward, steps.nodes);
        }
        return steps;
    }();
    return packed;
}

template const TileSteps& tile_steps<2>();
template const TileSteps& tile_steps<3>();

}  // namespace fermat
