#pragma once

#include "core/vec3.hpp"

namespace fermat {

/// A 3 x 3 matrix, by rows.
struct Mat3 {
    struct Rows {
        double of[3][3];

        friend bool operator==(const Rows&, const Rows&) = default;
    };
    Rows rows{};

    FERMAT_HD double& operator()(int r, int c) { return rows.of[r][c]; }
    FERMAT_HD double operator()(int r, int c) const { return rows.of[r][c]; }

    FERMAT_HD static constexpr Mat3 identity() { return {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}}; }
    FERMAT_HD static constexpr Mat3 diagonal(double x, double y, double z) {
        return {{{{x, 0, 0}, {0, y, 0}, {0, 0, z}}}};
    }
    friend bool operator==(const Mat3&, const Mat3&) = default;
};

FERMAT_HD inline Vec3 operator*(const Mat3& m, Vec3 v) {
    Vec3 out;
    for (int r = 0; r < 3; ++r) out[r] = m(r, 0) * v.x + m(r, 1) * v.y + m(r, 2) * v.z;
    return out;
}
FERMAT_HD inline Mat3 operator*(const Mat3& a, const Mat3& b) {
    Mat3 out;
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            out(r, c) = a(r, 0) * b(0, c) + a(r, 1) * b(1, c) + a(r, 2) * b(2, c);
        }
    }
    return out;
}
FERMAT_HD inline Mat3 operator*(double k, Mat3 m) {
    for (auto& row : m.rows.of) {
        for (double& value : row) value *= k;
    }
    return m;
}
FERMAT_HD inline Mat3 operator+(Mat3 a, const Mat3& b) {
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) a(r, c) += b(r, c);
    }
    return a;
}
FERMAT_HD inline Mat3 transposed(const Mat3& m) {
    Mat3 out;
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) out(r, c) = m(c, r);
    }
    return out;
}
/// The product v v^T.
FERMAT_HD inline Mat3 outer(Vec3 v) {
    Mat3 out;
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) out(r, c) = v[r] * v[c];
    }
    return out;
}
FERMAT_HD inline Vec3 crossed(Vec3 a, Vec3 b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
FERMAT_HD inline Vec3 row_of(const Mat3& m, int r) { return {m(r, 0), m(r, 1), m(r, 2)}; }
FERMAT_HD inline double determinant(const Mat3& m) {
    return dot(row_of(m, 0), crossed(row_of(m, 1), row_of(m, 2)));
}
FERMAT_HD inline Mat3 inverse(const Mat3& m) {
    const Vec3 a = crossed(row_of(m, 1), row_of(m, 2));
    const Vec3 b = crossed(row_of(m, 2), row_of(m, 0));
    const Vec3 c = crossed(row_of(m, 0), row_of(m, 1));
    const double k = 1 / dot(row_of(m, 0), a);
    Mat3 out;
    for (int r = 0; r < 3; ++r) {
        out(r, 0) = k * a[r];
        out(r, 1) = k * b[r];
        out(r, 2) = k * c[r];
    }
    return out;
}

}  // namespace fermat
