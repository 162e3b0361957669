#pragma once

// Layers and interfaces on a sphere, on host or device. Grid coordinates are (latitude, longitude,
// depth) in degrees and lengths; users' latitudes are the same (geocentric).

#include <cmath>

#include "phases/layer_sample.hpp"
#include "phases/surface_point.hpp"

namespace fermat {

/// A place on the sphere with the directions to the north, to the east and up.
struct SpherePoint {
    Vec3 user;  ///< latitude, longitude, depth
    Vec3 north, east, up;
    double radius = 0;
    double level = 0;  ///< cosine of the latitude

    static constexpr double degree = 3.14159265358979323846 / 180;

    /// `middle`: a longitude near which that of the place is to be.
    FERMAT_HD static SpherePoint of_place(Vec3 p, double surface_radius, double middle) {
        const double flat = std::sqrt(p.x * p.x + p.y * p.y);
        SpherePoint out;
        out.radius = std::sqrt(flat * flat + p.z * p.z);
        out.level = flat / out.radius;
        const double sine = p.z / out.radius;
        const double c = p.x / flat;
        const double s = p.y / flat;
        out.up = {out.level * c, out.level * s, sine};
        out.north = {-sine * c, -sine * s, out.level};
        out.east = {-s, c, 0};
        double longitude = std::atan2(p.y, p.x) / degree;
        longitude += 360 * std::floor((middle - longitude) / 360 + 0.5);
        out.user = {std::atan2(p.z, flat) / degree, longitude, surface_radius - out.radius};
        return out;
    }
    FERMAT_HD double tangent() const { return up.z / level; }

    /// d f / d place of derivatives by latitude, longitude (per degree) and depth.
    FERMAT_HD Vec3 gradient(Vec3 by_user) const {
        return (by_user.x / (radius * degree)) * north +
               (by_user.y / (radius * level * degree)) * east + (-by_user.z) * up;
    }
    /// Second derivatives by places.
    FERMAT_HD Sym3 curvature(Vec3 by_user, const Sym3& bend) const {
        const double r = radius * degree;
        const double rl = r * level;
        // Second derivatives along the axes.
        Sym3 out = (0.5 * bend.xx / (r * r)) * sym_outer(north, north) +
                   (0.5 * bend.yy / (rl * rl)) * sym_outer(east, east) +
                   (0.5 * bend.zz) * sym_outer(up, up) +
                   (bend.xy / (r * rl)) * sym_outer(north, east) +
                   (-bend.xz / r) * sym_outer(north, up) + (-bend.yz / rl) * sym_outer(east, up);
        // And the turning of the axes.
        const double k = 1 / (radius * radius * degree);
        out = out + (-by_user.x * k) * sym_outer(up, north) +
              (-0.5 * by_user.x * k * tangent()) * sym_outer(east, east);
        out = out + (-by_user.y * k / level) * sym_outer(up, east) +
              (by_user.y * k * tangent() / level) * sym_outer(north, east);
        return out +
               (-0.5 * by_user.z / radius) * (sym_outer(north, north) + sym_outer(east, east));
    }
};

struct SphericalLayer {
    Grid grid;
    const float* velocity = nullptr;
    double radius = 6371;
    double middle = 0;   ///< longitude of the middle of the grid
    double uniform = 0;  ///< the slowness, where it is one for the whole layer; else 0
    LayerGuard guard{};

    FERMAT_HD LayerPlace where(Vec3 place) const {
        const Vec3 user = SpherePoint::of_place(place, radius, middle).user;
        return {user, user};
    }
    FERMAT_HD LayerSample at(Vec3 place) const {
        if (uniform > 0 && !(guard.width > 0)) return {uniform, {}, {}};
        const SpherePoint p = SpherePoint::of_place(place, radius, middle);
        const VelocitySample v = velocity_sample(grid, velocity, p.user);
        const LayerSample m = slowness_of(v.v, p.gradient(v.slope), p.curvature(v.slope, v.bend));
        if (!(guard.width > 0)) return m;
        LayerGuard::Outside out = guard.outside(p.user.x, p.user.y, p.user.z);
        if (!(out.d > 0)) return m;
        out.bend = p.curvature(out.slope, out.bend);
        out.slope = p.gradient(out.slope);
        return guarded(m, out, guard.width);
    }
    FERMAT_HD double slowness(Vec3 place) const {
        if (uniform > 0 && !(guard.width > 0)) return uniform;
        const SpherePoint p = SpherePoint::of_place(place, radius, middle);
        const double s = 1 / velocity_sample(grid, velocity, p.user).v;
        if (!(guard.width > 0)) return s;
        const double d = guard.outside(p.user.x, p.user.y, p.user.z).d / guard.width;
        return s * (1 + d * d);
    }
};

struct SphericalSurface {
    InterfaceView view;
    double radius = 6371;

    FERMAT_HD SurfacePoint at(double latitude, double longitude) const {
        const InterfaceValue v = view.at(latitude, longitude);
        constexpr double k = SpherePoint::degree;
        const double sa = std::sin(latitude * k);
        const double ca = std::cos(latitude * k);
        const double sb = std::sin(longitude * k);
        const double cb = std::cos(longitude * k);
        const Vec3 up{ca * cb, ca * sb, sa};
        const Vec3 north{-sa * cb, -sa * sb, ca};
        const Vec3 east{-sb, cb, 0};
        const double r = radius - v.z;
        SurfacePoint out;
        out.place = r * up;
        out.a = (r * k) * north - v.zx * up;
        out.b = (r * k * ca) * east - v.zy * up;
        out.aa = (-r * k * k - v.zxx) * up - (2 * v.zx * k) * north;
        out.ab = (-r * k * k * sa - v.zx * k * ca) * east - (v.zy * k) * north - v.zxy * up;
        // d east / d longitude = sin north - cos up
        out.bb = (r * k * k * ca * sa) * north + (-r * k * k * ca * ca - v.zyy) * up -
                 (2 * v.zy * k * ca) * east;
        out.deeper = -1.0 * up;
        return out;
    }
};

}  // namespace fermat
