#pragma once

#include "core/host_device.hpp"
#include "eikonal/lanes.hpp"

namespace fermat {

/// T0^2 of a point and half its gradient with respect to the place, for one place or a register of
/// places.
template <class V>
struct SquareOf {
    V value, x, y, z;
};

/// T0^2 round a source in a medium of ellipses, as MetricFactor says it: the numbers alone, which
/// go to a device too.
struct FactorSquare {
    double slowness[3][3] = {};      ///< S at the source
    double variation[3][3][3] = {};  ///< dS/dx_k / 2
    bool varies = false;

    /// Of the vector (x, y, z) from the source.
    template <class V>
    FERMAT_HD_INLINE SquareOf<V> at(V x, V y, V z) const {
        const V d[3] = {x, y, z};
        V s[3];
        product(slowness, d, s);
        const V square = x * s[0] + y * s[1] + z * s[2];
        if (!varies) return {square, s[0], s[1], s[2]};
        V cubic{};
        V gradient[3] = {};
        for (int k = 0; k < 3; ++k) {
            V v[3];
            product(variation[k], d, v);
            const V part = x * v[0] + y * v[1] + z * v[2];
            cubic = cubic + d[k] * part;
            gradient[k] = gradient[k] + part;
            for (int c = 0; c < 3; ++c) gradient[c] = gradient[c] + 2 * d[k] * v[c];
        }
        // At the source all of it is 0.
        const V q = cubic / (square > 0 ? square : V{} + 1);
        const V inverse_w = 1 / root(1 + 4 * q * q);
        const V phi = 1 + q * inverse_w;
        const V slope = inverse_w * inverse_w * inverse_w;
        const V along = phi - slope * q;
        const V half = 0.5 * slope;
        return {square * phi, along * s[0] + half * gradient[0], along * s[1] + half * gradient[1],
                along * s[2] + half * gradient[2]};
    }

  private:
    template <class V>
    FERMAT_HD_INLINE static void product(const double (&m)[3][3], const V (&d)[3], V (&out)[3]) {
        for (int r = 0; r < 3; ++r) out[r] = m[r][0] * d[0] + m[r][1] * d[1] + m[r][2] * d[2];
    }
};

}  // namespace fermat
