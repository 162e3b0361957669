#pragma once

#include "core/host_device.hpp"

namespace fermat {

/// A regular lattice of points along x and y. In 2-D, and for surfaces that do not depend on y, it
/// has one row (ny == 1).
struct Lattice {
    double x0 = 0;
    double y0 = 0;
    double dx = 1;
    double dy = 1;
    int nx = 1;
    int ny = 1;

    FERMAT_HD int count() const { return nx * ny; }
    FERMAT_HD double x(int i) const { return x0 + i * dx; }
    FERMAT_HD double y(int j) const { return y0 + j * dy; }

    friend bool operator==(const Lattice&, const Lattice&) = default;
};

/// Depth of a surface at a point, with its first and second derivatives.
struct InterfaceValue {
    double z = 0;
    double zx = 0;
    double zy = 0;
    double zxx = 0;
    double zxy = 0;
    double zyy = 0;
};

/// Weights of up to four neighbours along an axis: for the value and its two derivatives.
struct AxisWeights {
    int first = 0;  ///< number of the first neighbour
    int count = 1;
    double value[4] = {1, 0, 0, 0};
    double slope[4] = {0, 0, 0, 0};
    double bend[4] = {0, 0, 0, 0};
};

/// Interpolation along one axis: cubic convolution (Keys 1981), which is exact for parabolas and
/// has a continuous slope; linear with `smooth` off or fewer than three points. Beyond the ends the
/// value at the end holds.
FERMAT_HD inline AxisWeights axis_weights(double u, int n, double step, bool smooth) {
    AxisWeights w;
    if (n == 1) return w;
    const double last = n - 1;
    const bool outside = u < 0 || u > last;
    const double inside = u < 0 ? 0 : u > last ? last : u;
    int cell = static_cast<int>(inside);
    if (cell > n - 2) cell = n - 2;
    const double t = inside - cell;
    const double rate = outside ? 0 : 1 / step;
    if (!smooth || n < 3) {
        w.first = cell;
        w.count = 2;
        w.value[0] = 1 - t;
        w.value[1] = t;
        w.slope[0] = -rate;
        w.slope[1] = rate;
        return w;
    }
    const double a[4] = {((-0.5 * t + 1) * t - 0.5) * t, (1.5 * t - 2.5) * t * t + 1,
                         ((-1.5 * t + 2) * t + 0.5) * t, (0.5 * t - 0.5) * t * t};
    const double b[4] = {(-1.5 * t + 2) * t - 0.5, (4.5 * t - 5) * t, (-4.5 * t + 4) * t + 0.5,
                         (1.5 * t - 1) * t};
    const double c[4] = {-3 * t + 2, 9 * t - 5, -9 * t + 4, 3 * t - 1};
    // A neighbour beyond an end continues the parabola through the three points at that end.
    w.first = cell == 0 ? 0 : cell == n - 2 ? n - 4 : cell - 1;
    if (w.first < 0) w.first = 0;
    w.count = n - w.first < 4 ? n - w.first : 4;
    w.value[0] = 0;
    for (int k = 0; k < 4; ++k) {
        const int at = cell - 1 + k;
        const auto add = [&](int node, double factor) {
            const int slot = node - w.first;
            w.value[slot] += factor * a[k];
            w.slope[slot] += factor * b[k] * rate;
            w.bend[slot] += factor * c[k] * rate * rate;
        };
        if (at < 0) {
            add(0, 3);
            add(1, -3);
            add(2, 1);
        } else if (at > n - 1) {
            add(n - 1, 3);
            add(n - 2, -3);
            add(n - 3, 1);
        } else {
            add(at, 1);
        }
    }
    return w;
}

/// A surface z(x, y) over depths that somebody else keeps, in C order [x][y].
struct InterfaceView {
    Lattice lattice;
    const double* depth = nullptr;
    bool smooth = true;

    FERMAT_HD InterfaceValue at(double x, double y) const {
        const AxisWeights wx =
            axis_weights((x - lattice.x0) / lattice.dx, lattice.nx, lattice.dx, smooth);
        const AxisWeights wy =
            axis_weights((y - lattice.y0) / lattice.dy, lattice.ny, lattice.dy, smooth);
        InterfaceValue out;
        for (int i = 0; i < wx.count; ++i) {
            for (int j = 0; j < wy.count; ++j) {
                const double d = depth[(wx.first + i) * lattice.ny + wy.first + j];
                out.z += wx.value[i] * wy.value[j] * d;
                out.zx += wx.slope[i] * wy.value[j] * d;
                out.zy += wx.value[i] * wy.slope[j] * d;
                out.zxx += wx.bend[i] * wy.value[j] * d;
                out.zxy += wx.slope[i] * wy.slope[j] * d;
                out.zyy += wx.value[i] * wy.bend[j] * d;
            }
        }
        return out;
    }
    FERMAT_HD double depth_at(double x, double y) const { return at(x, y).z; }
};

/// Calls visit(number, weight) for the lattice points that a depth at (x, y) depends on: weight is
/// the derivative of the depth there by that of the point.
template <class Visit>
void for_each_weight(const InterfaceView& surface, double x, double y, Visit visit) {
    const Lattice& l = surface.lattice;
    const AxisWeights wx = axis_weights((x - l.x0) / l.dx, l.nx, l.dx, surface.smooth);
    const AxisWeights wy = axis_weights((y - l.y0) / l.dy, l.ny, l.dy, surface.smooth);
    for (int i = 0; i < wx.count; ++i) {
        for (int j = 0; j < wy.count; ++j) {
            visit((wx.first + i) * l.ny + wy.first + j, wx.value[i] * wy.value[j]);
        }
    }
}

}  // namespace fermat
