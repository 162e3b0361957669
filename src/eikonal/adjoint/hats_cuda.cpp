#include "eikonal/adjoint/hats_cuda.hpp"

#include <algorithm>
#include <unordered_set>
#include <vector>

namespace fermat {
namespace {

/// Offsets of the nodes of air in boxes.
std::unordered_set<std::size_t> air_in(const CudaModel& model, std::span<const NodeBox> boxes) {
    // So many that one gather takes them.
    constexpr std::size_t at_once = 8192;
    const Shape whole = model.grid().shape;
    std::unordered_set<std::size_t> air;
    for (std::size_t begin = 0; begin < boxes.size(); begin += at_once) {
        const auto some = boxes.subspan(begin, std::min(at_once, boxes.size() - begin));
        const std::vector<Field<float>> velocities = model.fetch(some);
        for (std::size_t n = 0; n < some.size(); ++n) {
            const auto [first, shape] = some[n];
            for (int i = 0; i < shape.x; ++i) {
                for (int j = 0; j < shape.y; ++j) {
                    for (int k = 0; k < shape.z; ++k) {
                        if (velocities[n](i, j, k) != 0) continue;
                        air.insert(whole.offset(first.x + i, first.y + j, first.z + k));
                    }
                }
            }
        }
    }
    return air;
}

}  // namespace

NodeBox nodes_round(const Grid& grid, Vec3 receiver) {
    const Index3 cell = locate(grid, receiver).cell;
    Index3 first;
    Index3 size;
    for (int axis = 0; axis < 3; ++axis) {
        first[axis] = std::max(0, cell[axis] - 1);
        size[axis] = std::min(grid.shape[axis], cell[axis] + 3) - first[axis];
    }
    return {first, {size.x, size.y, size.z}};
}

ReceiverHats hats_in(const CudaModel& model, std::span<const Vec3> receivers) {
    const Grid& grid = model.grid();
    if (!model.has_air()) return ReceiverHats(grid, receivers);
    std::vector<NodeBox> boxes;
    for (const Vec3& receiver : receivers) boxes.push_back(nodes_round(grid, receiver));
    const std::unordered_set<std::size_t> air = air_in(model, boxes);
    return ReceiverHats(grid, receivers,
                        [&](Index3 node) { return !air.contains(grid.shape.offset(node)); });
}

}  // namespace fermat
