#pragma once

// For .cu files only.

#include "core/launch_cuda.hpp"
#include "tomography/hole/update_formula.hpp"

namespace fermat {

/// cells_to_nodes on the device: a thread per node.
static __global__ void spread_to_nodes(FieldView<const double, Space::device> cells,
                                       SmoothingSize box, FieldView<double, Space::device> nodes) {
    const std::size_t n = thread_number();
    const Shape shape = nodes.shape();
    if (n >= shape.count()) return;
    const Index3 node{static_cast<int>(n / shape.z / shape.y),
                      static_cast<int>(n / shape.z % shape.y), static_cast<int>(n % shape.z)};
    nodes[n] = node_perturbation(cells, node, box);
}

}  // namespace fermat
