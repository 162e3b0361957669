#pragma once

#include "core/vec3.hpp"
#include "eikonal/metric/factor_square.hpp"

namespace fermat {

/// The place of a node and its change per grid coordinate.
struct NodeFrame {
    Vec3 place;
    Vec3 along[3];
};

/// What a node's equation needs of the source (NodeNumbers): gamma per axis of the grid, and f^2,
/// which is -1 in air and at the source itself.
struct SourceNumber {
    float gamma[3];
    float f2;
};

/// Of T0^2 and half its gradient at the node; `mean` is mu, 0 in air, and `h` the steps of the
/// grid, 0 along y in 2-D.
FERMAT_HD_INLINE SourceNumber source_number(const Vec3 (&along)[3], const SquareOf<double>& t0,
                                            double mean, Vec3 h) {
    const bool dead = !(mean > 0) || !(t0.value > 0);
    // One division gives both 1/T0^2 and 1/(mu T0^2).
    const double quotient = 1 / (t0.value * mean);
    const double per = dead ? (t0.value > 0 ? 1 / t0.value : 0) : mean * quotient;
    SourceNumber out;
    for (int axis = 0; axis < 3; ++axis) {
        const double slope = along[axis].x * t0.x + along[axis].y * t0.y + along[axis].z * t0.z;
        out.gamma[axis] = static_cast<float>(h[axis] * slope * per);
    }
    out.f2 = dead ? -1.0F : static_cast<float>(quotient);
    return out;
}

}  // namespace fermat
