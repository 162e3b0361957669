#include "model/makers.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/error.hpp"
#include "model/fill.hpp"
#include "model/metric_makers.hpp"

namespace fermat {
namespace {

template <class Velocity>
Model depth_model(const Grid& grid, Placement placement, Velocity velocity) {
    const Grid points = sample_points(grid, placement);
    std::vector<float> column(static_cast<std::size_t>(points.shape.z));
    for (int k = 0; k < points.shape.z; ++k) {
        column[static_cast<std::size_t>(k)] =
            static_cast<float>(velocity(points.position({0, 0, k}).z));
    }
    return detail::extrude(grid, column, placement);
}

/// True if the velocity is positive and finite when stored as float.
bool is_velocity(double v) {
    return v >= static_cast<double>(std::numeric_limits<float>::min()) &&
           v <= static_cast<double>(std::numeric_limits<float>::max());
}

double velocity_between(std::span<const DepthVelocity> profile, double depth) {
    if (depth <= profile.front().depth) return profile.front().velocity;
    std::size_t n = 1;
    while (n < profile.size() && profile[n].depth < depth) ++n;
    if (n == profile.size()) return profile.back().velocity;
    const auto [z0, v0] = profile[n - 1];
    const auto [z1, v1] = profile[n];
    return v0 + (v1 - v0) * ((depth - z0) / (z1 - z0));
}

}  // namespace

Model constant_model(const Grid& grid, double velocity, Placement placement) {
    validate(grid);
    detail::require_velocity("velocity is", velocity);
    return depth_model(grid, placement, [&](double) { return velocity; });
}

Model gradient_model(const Grid& grid, double v0, double gradient, Placement placement) {
    validate(grid);
    if (!std::isfinite(v0) || !std::isfinite(gradient)) {
        throw InputError(fmt::format("v0 is {} and gradient is {} (must be finite)", v0, gradient));
    }
    const double top = grid.origin.z;
    const double bottom = grid.far_corner().z;
    for (const double depth : {top, bottom}) {
        const double v = v0 + gradient * (depth - top);
        if (!is_velocity(v)) {
            throw InputError(fmt::format(
                "velocity is {} at depth {} (v0 {} at the model's top + gradient {} * depth below "
                "it must stay > 0 from depth {} to {})",
                v, depth, v0, gradient, top, bottom));
        }
    }
    return depth_model(grid, placement,
                       [&](double depth) { return v0 + gradient * (depth - top); });
}

Model gradient_model(const Grid& grid, double v0, Vec3 gradient, Placement placement) {
    validate(grid);
    if (!std::isfinite(v0) || !is_finite(gradient)) {
        throw InputError(fmt::format("v0 is {} and gradient is ({}, {}, {}) (must be finite)", v0,
                                     gradient.x, gradient.y, gradient.z));
    }
    // A linear function has its extremes at the corners of the box.
    const Shape s = grid.shape;
    for (const int i : {0, s.x - 1}) {
        for (const int j : {0, s.y - 1}) {
            for (const int k : {0, s.z - 1}) {
                const Vec3 p = grid.position({i, j, k});
                const double v = v0 + dot(gradient, grid.from_origin(p));
                if (!is_velocity(v)) {
                    throw InputError(fmt::format(
                        "velocity is {} at ({}, {}, {}), depth {} (v0 {} at the first node + "
                        "gradient ({}, {}, {}) . way from it must stay > 0 in the whole grid)",
                        v, p.x, p.y, p.z, p.z, v0, gradient.x, gradient.y, gradient.z));
                }
            }
        }
    }
    const Grid points = sample_points(grid, placement);
    return detail::fill(grid, placement, [&](Index3 n) {
        return v0 + dot(gradient, grid.from_origin(points.position(n)));
    });
}

Model layered_model(const Grid& grid, std::span<const DepthVelocity> layers, Placement placement) {
    validate(grid);
    validate(layers, "layer", true);
    const double slack = detail::face_slack * grid.spacing.z;
    return depth_model(grid, placement, [&](double depth) {
        std::size_t n = 0;
        while (n + 1 < layers.size() && layers[n + 1].depth <= depth + slack) ++n;
        return layers[n].velocity;
    });
}

Model profile_model(const Grid& grid, std::span<const DepthVelocity> profile, Placement placement) {
    validate(grid);
    validate(profile, "profile point");
    return depth_model(grid, placement,
                       [&](double depth) { return velocity_between(profile, depth); });
}

double profile_velocity(std::span<const DepthVelocity> profile, double depth) {
    validate(profile, "profile point");
    return velocity_between(profile, depth);
}

Model checkerboard_model(const Model& base, const CheckerboardOptions& options) {
    const Grid& grid = base.grid();
    detail::require_amplitude(options.amplitude);
    for (int axis = 0; axis < 3; ++axis) {
        if (axis == 1 && grid.is_2d()) continue;
        if (!(options.size[axis] >= grid.spacing[axis])) {
            throw InputError(fmt::format(
                "checkerboard size along {} is {} (must be at least the spacing {}, or inf for no "
                "alternation)",
                "xyz"[axis], options.size[axis], grid.spacing[axis]));
        }
    }
    const Placement placement = placement_of(base);
    const double middle = placement == Placement::cells ? 0.5 : 0;
    const auto box = [&](int n, int axis) {
        return static_cast<long>(std::floor(
            grid.length_along(axis, n + middle) / options.size[axis] + detail::face_slack));
    };
    return with_metric_of(
        base, detail::fill(grid, placement, [&](Index3 n) {
            const long boxes = box(n.x, 0) + (grid.is_2d() ? 0 : box(n.y, 1)) + box(n.z, 2);
            const double sign = boxes % 2 == 0 ? 1 : -1;
            return static_cast<double>(base.given()(n)) * (1 + sign * options.amplitude);
        }));
}

}  // namespace fermat
