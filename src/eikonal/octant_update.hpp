#pragma once

#include "core/host_device.hpp"
#include "eikonal/stencil.hpp"
#include "model/cell_medium.hpp"

namespace fermat {

/// The eikonal equation at a node beside a jump of velocity. The front that comes first came
/// through one of the octants round the node, at the velocity of that octant's body, so that each
/// octant is solved by itself, from the neighbours at its own edges, and the earliest counts
/// (Podvin & Lecomte 1991 do so with plane waves): what runs along an interface runs in its faster
/// body, and what crosses it is refracted. Along an axis whose next cell is of another body the
/// difference is of first order, since T's slope jumps there.

/// What a node's octants hold. Bit d of an octant's number is set where it lies up axis d, of which
/// 2-D has x and z.
template <int Dim>
struct Octants {
    static constexpr int count = 1 << Dim;
    float speed[count] = {};       ///< v / v0 at the node; 0: nothing comes through it
    bool second[Dim][count] = {};  ///< whether the cell behind is of the same body
};

template <int Dim, Space S>
FERMAT_HD Octants<Dim> octants_round(FieldView<const float, S> cells, Index3 node,
                                     float source_slowness) {
    Octants<Dim> octants;
    for (int octant = 0; octant < Octants<Dim>::count; ++octant) {
        const int sides = Dim == 2 ? (octant & 1) | (octant & 2) << 1 : octant;
        const auto medium = octant_medium<Dim>(cells, node, static_cast<unsigned>(sides));
        octants.speed[octant] = medium.velocity * source_slowness;
        for (int d = 0; d < Dim; ++d) {
            octants.second[d][octant] = medium.second[Dim == 2 && d == 1 ? 2 : d];
        }
    }
    return octants;
}

template <int Order, int Dim, class Real>
FERMAT_HD Real update_tau_by_octants(const Octants<Dim>& octants, Real inverse_r2,
                                     const AxisStencil<Real> (&axes)[Dim]) {
    Real earliest = unreached<Real>;
    const Real inverse_r = root(inverse_r2);
    for (int octant = 0; octant < Octants<Dim>::count; ++octant) {
        if (!(octants.speed[octant] > 0)) continue;
        const Real f = inverse_r / static_cast<Real>(octants.speed[octant]);
        const auto solve = [&](auto side_of) {
            UpwindTerm<Real> terms[Dim];
            for (int d = 0; d < Dim; ++d) {
                const UpwindSide<Real> side = side_of(axes[d], !(octant >> d & 1));
                terms[d] =
                    upwind_term<Order>(side, octants.second[d][octant] && upwind_behind(side));
            }
            if constexpr (Dim == 2) {
                return solve_upwind(terms[0], terms[1], f);
            } else {
                return solve_upwind(terms[0], terms[1], terms[2], f);
            }
        };
        Real tau =
            solve([](const AxisStencil<Real>& axis, bool low) { return factored_side(axis, low); });
        Real nearest2 = unreached<Real> * unreached<Real>;
        for (int d = 0; d < Dim; ++d) {
            const UpwindSide<Real> side = factored_side(axes[d], !(octant >> d & 1));
            nearest2 = least(nearest2, side.near * side.near * side.near_ratio2);
        }
        if (tau < reached_limit<Real> && may_be_late(tau, nearest2, f, inverse_r2)) {
            const Real plain = solve(
                [](const AxisStencil<Real>& axis, bool low) { return plain_side(axis, low); });
            tau = plain_where_late(tau, plain, f, inverse_r2);
        }
        earliest = least(earliest, tau);
    }
    return earliest;
}

}  // namespace fermat
