#pragma once

#include "core/grid.hpp"
#include "core/host_device.hpp"
#include "core/vec3.hpp"
#include "model/interface_view.hpp"

namespace fermat {

/// A symmetric 3 x 3 matrix on host and device.
struct Sym3 {
    double xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;

    FERMAT_HD Vec3 operator*(Vec3 v) const {
        return {xx * v.x + xy * v.y + xz * v.z, xy * v.x + yy * v.y + yz * v.z,
                xz * v.x + yz * v.y + zz * v.z};
    }
};
FERMAT_HD inline Sym3 operator*(double k, Sym3 m) {
    return {k * m.xx, k * m.yy, k * m.zz, k * m.xy, k * m.xz, k * m.yz};
}
FERMAT_HD inline Sym3 operator+(Sym3 a, Sym3 b) {
    return {a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
}
/// The symmetric part of 2 a b^T.
FERMAT_HD inline Sym3 sym_outer(Vec3 a, Vec3 b) {
    return {2 * a.x * b.x,         2 * a.y * b.y,         2 * a.z * b.z,
            a.x * b.y + a.y * b.x, a.x * b.z + a.z * b.x, a.y * b.z + a.z * b.y};
}

/// Slowness at a point with its gradient and second derivatives, by Cartesian places.
struct LayerSample {
    double slowness = 0;
    Vec3 gradient;
    Sym3 curvature;
};

/// Velocity with its derivatives turned into slowness: s = 1/v.
FERMAT_HD inline LayerSample slowness_of(double v, Vec3 slope, Sym3 bend) {
    const double s = 1 / v;
    return {s, -(s * s) * slope, (s * s * s) * sym_outer(slope, slope) + (-s * s) * bend};
}

/// Velocity at a point between nodes, with its derivatives by grid coordinates. It is multilinear,
/// so that a constant gradient is exact; outside the grid the value on its face holds.
struct VelocitySample {
    double v = 0;
    Vec3 slope;
    Sym3 bend;
};
FERMAT_HD inline VelocitySample velocity_sample(const Grid& grid, const float* velocity, Vec3 p) {
    const CellPoint at = locate(grid, p);
    const bool flat = grid.is_2d();
    const double fx = at.fraction.x;
    const double fy = flat ? 0 : at.fraction.y;
    const double fz = at.fraction.z;
    const std::size_t base = grid.shape.offset(at.cell);
    const std::size_t step_y = flat ? 0 : static_cast<std::size_t>(grid.shape.z);
    const std::size_t step_x =
        static_cast<std::size_t>(grid.shape.y) * static_cast<std::size_t>(grid.shape.z);
    const float* c = velocity + base;
    const double v000 = c[0], v001 = c[1];
    const double v010 = c[step_y], v011 = c[step_y + 1];
    const double v100 = c[step_x], v101 = c[step_x + 1];
    const double v110 = c[step_x + step_y], v111 = c[step_x + step_y + 1];
    // Along z first, then y, then x.
    const double d00 = v001 - v000, d01 = v011 - v010, d10 = v101 - v100, d11 = v111 - v110;
    const double a00 = v000 + fz * d00, a01 = v010 + fz * d01;
    const double a10 = v100 + fz * d10, a11 = v110 + fz * d11;
    const double e0 = a01 - a00, e1 = a11 - a10;
    const double b0 = a00 + fy * e0, b1 = a10 + fy * e1;
    const double z0 = d00 + fy * (d01 - d00), z1 = d10 + fy * (d11 - d10);
    const double rx = 1 / grid.spacing.x;
    const double ry = flat ? 0 : 1 / grid.spacing.y;
    const double rz = 1 / grid.spacing.z;
    VelocitySample out;
    out.v = b0 + fx * (b1 - b0);
    out.slope = {rx * (b1 - b0), ry * (e0 + fx * (e1 - e0)), rz * (z0 + fx * (z1 - z0))};
    out.bend.xy = rx * ry * (e1 - e0);
    out.bend.xz = rx * rz * (z1 - z0);
    out.bend.yz = ry * rz * ((d01 - d00) + fx * ((d11 - d10) - (d01 - d00)));
    return out;
}

/// Where a layer ends: paths that leave it are slowed down, so that those which cannot pass inside
/// follow the interface, as diffracted waves do. Slowness is multiplied by 1 + (d / width)^2 at a
/// distance d outside; the time of a path along an interface of curvature k is then short by a
/// fraction of (k width)^2 / 4.
struct LayerGuard {
    InterfaceView top;
    InterfaceView bottom;
    double width = 0;  ///< 0: no guard

    /// Depth outside the layer, and its derivatives by the coordinates of the interfaces.
    struct Outside {
        double d = 0;
        Vec3 slope;
        Sym3 bend;
    };
    FERMAT_HD Outside outside(double x, double y, double z) const {
        Outside out;
        const auto from = [&](const InterfaceView& side, double sign) {
            if (side.depth == nullptr || out.d > 0) return;
            const InterfaceValue v = side.at(x, y);
            const double d = sign * (z - v.z);
            if (d <= 0) return;
            out.d = d;
            out.slope = {-sign * v.zx, -sign * v.zy, sign};
            out.bend = {-sign * v.zxx, -sign * v.zyy, 0, -sign * v.zxy, 0, 0};
        };
        from(top, -1);
        from(bottom, 1);
        return out;
    }
};

/// A sample multiplied by the factor of a guard, whose distance has derivatives by places.
FERMAT_HD inline LayerSample guarded(LayerSample m, const LayerGuard::Outside& out, double width) {
    const double k = 1 / (width * width);
    const double factor = 1 + k * out.d * out.d;
    const Vec3 slope = (2 * k * out.d) * out.slope;
    const Sym3 bend = k * sym_outer(out.slope, out.slope) + (2 * k * out.d) * out.bend;
    return {factor * m.slowness, factor * m.gradient + m.slowness * slope,
            factor * m.curvature + sym_outer(m.gradient, slope) + m.slowness * bend};
}

/// A place in the coordinates of the grid and of users.
struct LayerPlace {
    Vec3 grid;
    Vec3 user;
};

/// A layer's velocity on a Cartesian grid, on host or device.
struct PlainLayer {
    Grid grid;
    const float* velocity = nullptr;
    double uniform = 0;  ///< the slowness, where it is one for the whole layer; else 0
    LayerGuard guard{};

    FERMAT_HD LayerPlace where(Vec3 place) const { return {place, place}; }
    FERMAT_HD LayerSample at(Vec3 place) const {
        if (uniform > 0 && !(guard.width > 0)) return {uniform, {}, {}};
        const VelocitySample v = velocity_sample(grid, velocity, place);
        const LayerSample m = slowness_of(v.v, v.slope, v.bend);
        if (!(guard.width > 0)) return m;
        const LayerGuard::Outside out = guard.outside(place.x, place.y, place.z);
        return out.d > 0 ? guarded(m, out, guard.width) : m;
    }
    FERMAT_HD double slowness(Vec3 place) const {
        if (uniform > 0 && !(guard.width > 0)) return uniform;
        const double s = 1 / velocity_sample(grid, velocity, place).v;
        if (!(guard.width > 0)) return s;
        const double d = guard.outside(place.x, place.y, place.z).d / guard.width;
        return s * (1 + d * d);
    }
};

}  // namespace fermat
