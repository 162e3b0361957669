#pragma once

#include "core/mat3.hpp"
#include "model/place.hpp"
#include "phases/layer_sample.hpp"
#include "phases/surface_point.hpp"

namespace fermat {

/// A layer's velocity on a grid in any coordinates. Second derivatives are differences of the
/// gradient over a fraction of a cell: they steer Newton's steps and are not part of the time.
struct MappedLayer {
    const Place* place = nullptr;
    const float* velocity = nullptr;
    double step = 1;     ///< a fraction of a cell, as a length
    double uniform = 0;  ///< the slowness, where it is one for the whole layer; else 0
    LayerGuard guard{};

    LayerPlace where(Vec3 at_place) const {
        const Vec3 q = place->mapping().from_place(at_place);
        return {q, place->mapping().to_user(q)};
    }
    LayerSample at(Vec3 at_place) const;
    double slowness(Vec3 at_place) const;

  private:
    LayerSample without_curvature(Vec3 at_place) const;
};

/// An interface of users' coordinates in a medium of any coordinates.
struct MappedSurface {
    const Place* place = nullptr;
    InterfaceView view;
    double step_x = 1;  ///< for differences, in coordinates of users
    double step_y = 1;

    SurfacePoint at(double x, double y) const;

  private:
    Vec3 place_at(double x, double y) const;
};

}  // namespace fermat
