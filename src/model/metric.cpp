#include "model/metric.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/error.hpp"
#include "core/expect.hpp"

namespace fermat {
namespace {

constexpr std::size_t shear_value = 5;  ///< of Thomsen's medium

std::size_t value_count(const AnisotropyValues& of) {
    if (of.kind == Anisotropy::none) return 0;
    return of.kind == Anisotropy::elliptical || !of.values[shear_value].empty() ? 6 : 5;
}

NodeAnisotropy values_of(const AnisotropyValues& of) {
    NodeAnisotropy out{of.kind, {}};
    for (std::size_t k = 0; k < value_count(of); ++k) out.values[k] = of.values[k].data();
    return out;
}

/// By the leading minors (Sylvester), with room for the rounding of single precision.
bool positive(const Mat3& m) {
    const double size = m(0, 0) + m(1, 1) + m(2, 2);
    const double least = 1e-6 * size;
    const double minor = m(0, 0) * m(1, 1) - m(0, 1) * m(0, 1);
    return m(0, 0) > least && minor > least * least && determinant(m) > least * least * least;
}

std::string node_name(Shape shape, std::size_t n) {
    const auto y = static_cast<std::size_t>(shape.y);
    const auto z = static_cast<std::size_t>(shape.z);
    return shape.y == 1 ? fmt::format("({}, {})", n / z, n % z)
                        : fmt::format("({}, {}, {})", n / (y * z), n / z % y, n % z);
}

void require_tensors(const AnisotropyValues& of, Shape shape) {
    // Squares of velocities over the square of the model's: as far as single precision goes.
    constexpr double most = 1e12;
    const NodeAnisotropy values = values_of(of);
    for (std::size_t n = 0; n < shape.count(); ++n) {
        const Mat3 m = values.tensor(n, {});
        const double size = m(0, 0) + m(1, 1) + m(2, 2);
        if (size > most || size < 1 / most) {
            throw InputError(fmt::format(
                "the tensor at node {} has the diagonal {:g}, {:g}, {:g} (its sum must be between "
                "{:g} and {:g})",
                node_name(shape, n), m(0, 0), m(1, 1), m(2, 2), 1 / most, most));
        }
        if (positive(m)) continue;
        throw InputError(fmt::format(
            "the tensor at node {} has the diagonal {:g}, {:g}, {:g} and is not positive definite "
            "(velocity must be positive in every direction)",
            node_name(shape, n), m(0, 0), m(1, 1), m(2, 2)));
    }
}

void require_thomsen(const AnisotropyValues& of, Shape shape) {
    for (std::size_t n = 0; n < shape.count(); ++n) {
        const double epsilon = of.values[0][n];
        const double delta = of.values[1][n];
        const Vec3 axis{of.values[2][n], of.values[3][n], of.values[4][n]};
        if (!(std::abs(norm(axis) - 1) < 1e-3)) {
            throw InputError(fmt::format("the axis at node {} has the length {:g} (must be 1)",
                                         node_name(shape, n), norm(axis)));
        }
        // Beyond these the acoustic slowness surface is not convex, or not real.
        const bool stable = epsilon > -0.4 && delta > -0.4 && delta <= epsilon + 0.4 &&
                            epsilon <= 2 && epsilon - delta <= 0.5;
        if (!stable) {
            throw InputError(fmt::format(
                "epsilon {:g} and delta {:g} at node {} are beyond stability (epsilon from -0.4 to "
                "2, delta above -0.4, epsilon - delta from -0.4 to 0.5)",
                epsilon, delta, node_name(shape, n)));
        }
        const double ratio = of.values[shear_value].empty() ? 0 : of.values[shear_value][n];
        // The bulk modulus along the axis must be positive, and the coupling of P and S real.
        if (!(ratio >= 0) || !(ratio * ratio < 0.75) || !(1 - ratio * ratio + 2 * delta > 0)) {
            throw InputError(fmt::format(
                "Vs/Vp along the axis is {:g} at node {} (must be from 0 to 0.866, and its square "
                "below 1 + 2 delta, which is {:g})",
                ratio, node_name(shape, n), 1 + 2 * delta));
        }
    }
}

}  // namespace

Metric::Metric(const Grid& grid, CoordinateNumbers coordinates, AnisotropyValues anisotropy)
    : mapping_(make_mapping(grid, std::move(coordinates))), anisotropy_(std::move(anisotropy)) {
    for (std::size_t k = 0; k < value_count(anisotropy_); ++k) {
        if (anisotropy_.values[k].shape() == grid.shape) continue;
        throw InputError(fmt::format("anisotropy has shape {} (must be {} nodes, as the grid)",
                                     to_string(anisotropy_.values[k].shape()),
                                     to_string(grid.shape)));
    }
    if (anisotropy_.kind == Anisotropy::elliptical) require_tensors(anisotropy_, grid.shape);
    if (anisotropy_.kind == Anisotropy::thomsen) require_thomsen(anisotropy_, grid.shape);
}

Thomsen Metric::thomsen(std::size_t n) const {
    FERMAT_EXPECT(n < anisotropy_.values[0].size());
    return values().thomsen(n);
}

Mat3 Metric::tensor(std::size_t node, Vec3 slowness) const {
    return isotropic() ? Mat3::identity() : values().tensor(node, slowness);
}

NodeAnisotropy Metric::values() const { return values_of(anisotropy_); }

Thomsen Metric::thomsen_at(const Grid& grid, Vec3 q) const {
    Thomsen out{0, 0, {}};
    Vec3 first;
    for_each_corner(grid, q, [&](Index3 n, double weight) {
        const Thomsen here = thomsen(grid.shape.offset(n));
        if (norm(first) == 0) first = here.axis;
        // An axis has no sign.
        const double sign = dot(first, here.axis) < 0 ? -1 : 1;
        out.epsilon += weight * here.epsilon;
        out.delta += weight * here.delta;
        out.shear += weight * here.shear;
        out.axis = out.axis + (sign * weight) * here.axis;
    });
    out.axis = out.axis / norm(out.axis);
    return out;
}

Mat3 Metric::tensor_at(const Grid& grid, Vec3 q, Vec3 slowness) const {
    if (isotropic()) return Mat3::identity();
    if (has_thomsen()) return touching_ellipse(thomsen_at(grid, q), slowness);
    Mat3 sum;
    for_each_corner(grid, q, [&](Index3 n, double weight) {
        if (weight != 0) sum = sum + weight * inverse(tensor(grid.shape.offset(n)));
    });
    return inverse(sum);
}

std::string Metric::name() const {
    std::string text;
    if (coordinates().system != Coordinates::cartesian) {
        text = fmt::format("{} coordinates", name_of(coordinates().system));
    }
    if (isotropic()) return text.empty() ? "jumps of velocity" : text;
    const char* const kind = has_thomsen() ? "Thomsen anisotropy" : "elliptical anisotropy";
    return text.empty() ? kind : fmt::format("{} and {}", text, kind);
}

}  // namespace fermat
