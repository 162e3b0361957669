#pragma once

#include <type_traits>

#include "phases/find_path.hpp"
#include "phases/layer_kind.hpp"
#include "phases/mapped_layer.hpp"
#include "phases/spherical_layer.hpp"

namespace fermat {

/// What a leg travels in: a PlainLayer, SphericalLayer or MappedLayer, with a guard of that width.
template <class LayerT>
LayerT layer_of(const LayeredMedium& medium, const Leg& leg, const LayerKind& kind, double guard) {
    const Model& model = medium.model(leg.layer, leg.wave);
    LayerT out;
    if constexpr (std::is_same_v<LayerT, PlainLayer>) {
        out.grid = model.grid();
    } else if constexpr (std::is_same_v<LayerT, SphericalLayer>) {
        const Grid& grid = model.grid();
        out.grid = grid;
        out.radius = model.coordinates().radius;
        out.middle = grid.coordinate(1, 0.5 * (grid.shape.y - 1));
    } else {
        out.place = &medium.place();
        out.step = 0.25 * smallest_cell(medium);
    }
    out.velocity = model.velocity().data();
    out.uniform = kind.uniform_slowness;
    out.guard.width = guard;
    out.guard.top = medium.top_of(leg.layer).view();
    if (leg.layer + 1 < medium.layer_count()) {
        out.guard.bottom = medium.top_of(leg.layer + 1).view();
    }
    return out;
}

/// An interface: a PlainSurface, SphericalSurface or MappedSurface.
template <class SurfaceT>
SurfaceT surface_of(const LayeredMedium& medium, int interface) {
    SurfaceT out;
    out.view = medium.top_of(interface).view();
    if constexpr (std::is_same_v<SurfaceT, SphericalSurface>) {
        out.radius = medium.place().mapping().numbers().radius;
    }
    if constexpr (std::is_same_v<SurfaceT, MappedSurface>) {
        out.place = &medium.place();
        const Lattice columns = columns_of(medium.place());
        out.step_x = 1e-3 * columns.dx;
        out.step_y = 1e-3 * columns.dy;
    }
    return out;
}

inline LegRules rules_of(const LayeredMedium& medium, const Leg& leg) {
    LegRules out{medium.top_of(leg.layer).view(), {}, leg.turns, leg.dives, leg.rises, leg.spare};
    if (leg.layer + 1 < medium.layer_count()) out.bottom = medium.top_of(leg.layer + 1).view();
    return out;
}

/// The plane of a 2-D medium, for paths that stay in it.
template <class LayerT, class SurfaceT>
void set_plane(const LayeredMedium& medium, PathMedium<LayerT, SurfaceT>& path) {
    path.flat = medium.grid().is_2d();
    if (!path.flat) return;
    const Mat3 frame = medium.place().mapping().frame(medium.grid().origin);
    path.across = {frame(0, 1), frame(1, 1), frame(2, 1)};
}

/// Which layers and surfaces a medium's paths need.
enum class LayerForm { plain, spherical, mapped };
inline LayerForm form_of(const LayeredMedium& medium) {
    const CoordinateNumbers& numbers = medium.place().mapping().numbers();
    if (numbers.system == Coordinates::spherical && !numbers.geodetic) return LayerForm::spherical;
    return medium.layers().front().p.is_plain() ? LayerForm::plain : LayerForm::mapped;
}

}  // namespace fermat
