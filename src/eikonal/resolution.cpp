#include "eikonal/resolution.hpp"

#include <fmt/format.h>

#include <type_traits>

#include "core/error.hpp"
#include "eikonal/stencil.hpp"

namespace fermat {

template <class Real>
void require_resolved(const Model& model, const FactoredSource& source, FieldView<const Real> tau) {
    const Grid& grid = model.grid();
    const double unit = smallest_spacing(grid);
    const double most = most_crossings<Real> * unit / source.slowness;
    constexpr double least_share = 1e-8;
    constexpr double late_pace = 4;  // as in update_tau
    // tau v alone tells almost always that no node comes near.
    const double farthest = distance(grid.origin, grid.far_corner());
    const FieldView<const float> velocity = model.velocity();
    Real product = 0;
    bool hidden = false;  // rock that no wave seems to reach, so slow that none could be told
    const auto slowest = static_cast<float>(least_share / source.slowness);
    for (std::size_t n = 0; n < tau.size(); ++n) {
        const bool reached = tau[n] < reached_limit<Real>;
        const Real here = reached ? tau[n] * static_cast<Real>(velocity[n]) : Real(0);
        product = here > product ? here : product;
        hidden |= !reached && velocity[n] > 0 && velocity[n] < slowest;
    }
    if (hidden) {
        throw InputError(
            fmt::format("velocity falls below {:.0e} of the source's {:g} (too slow beside it for "
                        "any time to be "
                        "told; use a smaller contrast of velocities)",
                        least_share, 1 / source.slowness));
    }
    const double late = late_pace / source.slowness;
    if (product * farthest < most || product < late) return;
    for (int i = 0; i < grid.shape.x; ++i) {
        for (int j = 0; j < grid.shape.y; ++j) {
            for (int k = 0; k < grid.shape.z; ++k) {
                const double v = velocity(i, j, k);
                const double t = tau(i, j, k);
                if (!(t < reached_limit<Real>)) continue;
                const Vec3 place = grid.position({i, j, k});
                const double r = distance(place, source.position);
                if (v * t * r < most || v * t < late) continue;
                constexpr bool single = std::is_same_v<Real, float>;
                throw InputError(fmt::format(
                    "velocity {:g} at {} is too fast for {} precision, which cannot tell the "
                    "{:.3g} "
                    "that a cell takes there from the {:.3g} that the wave takes to it ({})",
                    v, to_string(grid, place), single ? "single" : "double", unit / v,
                    source.slowness * r * t,
                    single ? "use --precision double, precision='double' in Python, or a smaller "
                             "contrast of velocities"
                           : "use a smaller contrast of velocities"));
            }
        }
    }
}

template <class Real>
void require_progress(const Model& model, const FactoredSource& source, FieldView<const Real> tau,
                      double work, double most) {
    require_resolved(model, source, tau);
    if (work < most) return;
    throw ComputeError("times do not settle in this model (try another solver or --order 1)");
}

template void require_resolved(const Model&, const FactoredSource&, FieldView<const float>);
template void require_resolved(const Model&, const FactoredSource&, FieldView<const double>);
template void require_progress(const Model&, const FactoredSource&, FieldView<const float>, double,
                               double);
template void require_progress(const Model&, const FactoredSource&, FieldView<const double>, double,
                               double);

}  // namespace fermat
