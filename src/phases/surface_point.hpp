#pragma once

#include "core/host_device.hpp"
#include "core/vec3.hpp"
#include "model/interface_view.hpp"

namespace fermat {

/// A point of an interface with the derivatives of its place by its two coordinates, and the
/// direction in which a deeper interface moves it.
struct SurfacePoint {
    Vec3 place;
    Vec3 a, b;        ///< d place / d x and / d y along the interface
    Vec3 aa, ab, bb;  ///< second derivatives
    Vec3 deeper;      ///< d place / d depth
};

/// An interface in a Cartesian medium, on host or device.
struct PlainSurface {
    InterfaceView view;

    FERMAT_HD SurfacePoint at(double x, double y) const {
        const InterfaceValue v = view.at(x, y);
        return {{x, y, v.z},   {1, 0, v.zx},  {0, 1, v.zy}, {0, 0, v.zxx},
                {0, 0, v.zxy}, {0, 0, v.zyy}, {0, 0, 1}};
    }
};

}  // namespace fermat
