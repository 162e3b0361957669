#pragma once

#include <deque>
#include <unordered_map>
#include <vector>

#include "rays/trace.hpp"

namespace fermat {

/// Leaves a local minimum of the time field: finds the path of fewest grid steps from a node to an
/// earlier one. The factored field can have local minima right behind thin walls close to the
/// source, and nowhere else. The path uses reached nodes only, so it never crosses air.
template <class Real>
struct BreadthFirstEscape {
    TimeFieldView<Real> field;

    /// The nodes after `node`; only the last one is earlier than `time`. Empty if there is no path.
    std::vector<Index3> operator()(Index3 node, double time) const {
        const Shape shape = field.grid.shape;
        std::unordered_map<std::size_t, Index3> came_from{{shape.offset(node), node}};
        std::deque<Index3> queue{node};
        while (!queue.empty()) {
            const Index3 here = queue.front();
            queue.pop_front();
            for (int axis = 0; axis < 3; ++axis) {
                for (const int side : {-1, 1}) {
                    Index3 next = here;
                    next[axis] += side;
                    if (next[axis] < 0 || next[axis] >= shape[axis]) continue;
                    if (!std::isfinite(field.tau(next))) continue;
                    if (!came_from.emplace(shape.offset(next), here).second) continue;
                    if (time_at(field, field.grid.position(next)) < time) {
                        return way(came_from, node, next);
                    }
                    queue.push_back(next);
                }
            }
        }
        return {};
    }

  private:
    std::vector<Index3> way(const std::unordered_map<std::size_t, Index3>& came_from, Index3 first,
                            Index3 last) const {
        std::vector<Index3> nodes;
        for (Index3 n = last; !(n == first); n = came_from.at(field.grid.shape.offset(n))) {
            nodes.insert(nodes.begin(), n);
        }
        return nodes;
    }
};

}  // namespace fermat
