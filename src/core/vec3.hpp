#pragma once

#include <cmath>

#include "core/host_device.hpp"

namespace fermat {

/// A point or direction in user units; z is depth, positive down. In 2-D models y is 0.
struct Vec3 {
    double x = 0;
    double y = 0;
    double z = 0;

    FERMAT_HD double& operator[](int axis) { return axis == 0 ? x : axis == 1 ? y : z; }
    FERMAT_HD double operator[](int axis) const { return axis == 0 ? x : axis == 1 ? y : z; }

    friend bool operator==(const Vec3&, const Vec3&) = default;
};

FERMAT_HD inline Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
FERMAT_HD inline Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
FERMAT_HD inline Vec3 operator*(double k, Vec3 a) { return {k * a.x, k * a.y, k * a.z}; }
FERMAT_HD inline Vec3 operator*(Vec3 a, double k) { return k * a; }
FERMAT_HD inline Vec3 operator/(Vec3 a, double k) { return {a.x / k, a.y / k, a.z / k}; }
FERMAT_HD inline double dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
FERMAT_HD inline double norm(Vec3 a) { return std::sqrt(dot(a, a)); }
FERMAT_HD inline double distance(Vec3 a, Vec3 b) { return norm(a - b); }
FERMAT_HD inline bool is_finite(Vec3 a) {
    return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z);
}

}  // namespace fermat
