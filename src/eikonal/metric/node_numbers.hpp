#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "core/field.hpp"
#include "core/grid.hpp"
#include "eikonal/factored_source.hpp"

namespace fermat {

/// Numbers of the equation at a node, in units of the grid and without units: M / mu with mu the
/// mean of M's diagonal, gamma = grad(T0) / T0, and f^2 = 1 / (mu T0^2). Nodes that are not
/// computed (air, start nodes, the rim) have f^2 < 0.
enum class NodeNumber { xx, yy, zz, xy, xz, yz, gamma_x, gamma_y, gamma_z, f2, tau };
inline constexpr std::size_t node_numbers = 11;

constexpr std::size_t at(NodeNumber number) { return static_cast<std::size_t>(number); }

struct GroundKinks;

/// The numbers of a problem in C order; null where a diagonal tensor has no xy, xz, yz.
struct NodeNumbers {
    Shape shape;
    Vec3 source;                  ///< in nodes
    int start_reach = 2;          ///< nodes from the source within which start nodes lie
    bool long_cells = false;      ///< second order must start from the first-order solution
    const float* mean = nullptr;  ///< mu, of the first tensors
    /// Per row along z: (velocity below / velocity above)^2 where it jumps on the row, else 1; null
    /// if there are no jumps. f^2 is that above.
    const float* jumps = nullptr;
    /// gamma_z right below each row of jumps, node by node, where T0 has a kink there; else null.
    const float* gamma_below = nullptr;
    const GroundKinks* kinks = nullptr;  ///< of the rows (kinks.hpp); null if there are none
    std::array<const float*, node_numbers> values{};
    /// For a device that makes gamma and f^2 itself, where `values` has no tau.
    std::span<const StartNode> starts;

    bool full() const { return values[static_cast<std::size_t>(NodeNumber::xy)] != nullptr; }
};

}  // namespace fermat
