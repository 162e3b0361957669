#include "location/ellipsoid.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace fermat {
namespace {

constexpr double degrees = 180 / std::numbers::pi;

/// One rotation of Jacobi's method that makes matrix[p][q] vanish.
void rotate(Matrix3& matrix, Matrix3& vectors, std::size_t p, std::size_t q) {
    if (matrix[p][q] == 0) return;
    const double theta = 0.5 * (matrix[q][q] - matrix[p][p]) / matrix[p][q];
    const double t = std::copysign(1, theta) / (std::abs(theta) + std::sqrt(theta * theta + 1));
    const double c = 1 / std::sqrt(t * t + 1);
    const double s = t * c;
    for (std::size_t k = 0; k < 3; ++k) {
        const double kp = matrix[k][p];
        const double kq = matrix[k][q];
        matrix[k][p] = c * kp - s * kq;
        matrix[k][q] = s * kp + c * kq;
    }
    for (std::size_t k = 0; k < 3; ++k) {
        const double pk = matrix[p][k];
        const double qk = matrix[q][k];
        matrix[p][k] = c * pk - s * qk;
        matrix[q][k] = s * pk + c * qk;
        const double vp = vectors[k][p];
        const double vq = vectors[k][q];
        vectors[k][p] = c * vp - s * vq;
        vectors[k][q] = s * vp + c * vq;
    }
}

}  // namespace

Ellipsoid ellipsoid_of(const Matrix3& covariance) {
    Matrix3 matrix = covariance;
    Matrix3 vectors{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    constexpr int sweeps = 30;
    for (int sweep = 0; sweep < sweeps; ++sweep) {
        rotate(matrix, vectors, 0, 1);
        rotate(matrix, vectors, 0, 2);
        rotate(matrix, vectors, 1, 2);
    }
    std::array<std::size_t, 3> order{0, 1, 2};
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return matrix[a][a] > matrix[b][b]; });
    Ellipsoid out;
    for (std::size_t n = 0; n < 3; ++n) {
        const std::size_t column = order[n];
        out.deviation[n] = std::sqrt(std::max(matrix[column][column], 0.0));
        Vec3 axis{vectors[0][column], vectors[1][column], vectors[2][column]};
        out.direction[n] = axis.z < 0 ? -1.0 * axis : axis;
    }
    return out;
}

RegionReach region_reach(int dimensions) {
    // Roots of the quantiles of chi-square with 1, 2 and 3 degrees of freedom.
    constexpr std::array<RegionReach, 4> table = {
        {{0, 0}, {0.994458, 1.959964}, {1.509592, 2.447747}, {1.872401, 2.795483}}};
    return table[static_cast<std::size_t>(std::clamp(dimensions, 0, 3))];
}

double azimuth_of(Vec3 direction) {
    const double angle = std::atan2(direction.x, direction.y) * degrees;
    return angle < 0 ? angle + 360 : angle;
}

double plunge_of(Vec3 direction) {
    return std::atan2(direction.z, std::hypot(direction.x, direction.y)) * degrees;
}

double take_off_of(Vec3 direction) { return 90 - plunge_of(direction); }

}  // namespace fermat
