#pragma once

#include <array>
#include <vector>

#include "core/field.hpp"
#include "core/monitor.hpp"
#include "eikonal/metric/skewed_layout.hpp"

namespace fermat {

/// Numbers of the equation at a node, in units of the grid and without units: M / mu with mu the
/// mean of M's diagonal, gamma = grad(T0) / T0, and f^2 = 1 / (mu T0^2). Nodes that are not
/// computed (air, start nodes, the rim) have f^2 < 0.
enum class NodeNumber { xx, yy, zz, xy, xz, yz, gamma_x, gamma_y, gamma_z, f2, tau };
inline constexpr std::size_t node_numbers = 11;

/// The fields of a problem in C order; those of a diagonal tensor have no xy, xz, yz.
using NodeFields = std::array<Field<float>, node_numbers>;

/// Solves for tau by sweeps in the eight orders of the axes, several nodes per instruction. First
/// order comes first, from above, and second order then corrects it in both directions.
///
/// The result does not depend on the number of threads: a sweep goes through blocks of slabs and
/// lines in levels, whose blocks do not read one another.
class MetricSweeps {
  public:
    struct Settled {
        int rounds = 0;
        float change = 0;  ///< the greatest relative change of a time in the last round
    };

    /// tau is unreached except on start nodes.
    MetricSweeps(const NodeFields& fields, int threads);

    /// First order; makes every reachable node reached.
    void first_order(Monitor& monitor);
    /// Of order 1 or 2, by the octant that the characteristic comes from, until times are quiet or
    /// for a limited number of rounds: a few nodes may swing between two octants for ever.
    Settled settle(int order, Monitor& monitor);
    /// Takes over new tensors.
    void replace_tensors(const NodeFields& fields);
    void copy_to(FieldView<float> tau) const;

  private:
    struct Side {
        SkewedLayout layout;
        std::array<std::vector<float>, node_numbers> numbers;
    };
    enum class Accept { earlier, changed };

    float round(int order, bool by_neighbours, Monitor& monitor);
    template <bool Full, int Order, bool ByNeighbours, Accept Mode>
    float sweep(Side& side, int step_x, int step_m);
    template <bool Full, int Order, bool ByNeighbours, Accept Mode>
    float update_line(Side& side, int i, int m) const;
    void fill(Side& side, const NodeFields& fields, bool all);
    void hand_over(const Side& from, Side& to);

    Shape shape_;
    int threads_;
    bool full_;
    std::array<Side, 2> sides_;
    std::vector<float> natural_;
};

}  // namespace fermat
