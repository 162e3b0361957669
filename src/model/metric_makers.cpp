#include "model/metric_makers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/error.hpp"

namespace fermat {
namespace {

template <std::size_t Count>
AnisotropyValues constant_values(const Grid& grid, Anisotropy kind,
                                 const std::array<double, Count>& values) {
    AnisotropyValues out;
    out.kind = kind;
    for (std::size_t n = 0; n < Count; ++n) {
        out.values[n] = Field<float>(grid.shape, static_cast<float>(values[n]));
    }
    return out;
}

/// With the coordinates that the model has already.
Model with_anisotropy(const Model& base, AnisotropyValues values) {
    if (!base.is_isotropic()) require_plain(base, "this maker");
    return base.with_metric(
        std::make_shared<const Metric>(base.grid(), base.coordinates(), std::move(values)));
}

/// Velocities of the base at the places of the nodes of another grid.
Field<float> velocities_at_places(const Model& base, const Grid& grid, const Mapping& mapping) {
    Field<float> velocity(grid.shape);
    for (int i = 0; i < grid.shape.x; ++i) {
        for (int j = 0; j < grid.shape.y; ++j) {
            for (int k = 0; k < grid.shape.z; ++k) {
                const Index3 node{i, j, k};
                const double slowness =
                    slowness_at(base, base.grid().clamp(mapping.place(grid.position(node))));
                velocity(node) = std::isfinite(slowness) ? static_cast<float>(1 / slowness) : 0;
            }
        }
    }
    return velocity;
}

}  // namespace

Model spherical_model(const Model& base, double radius, bool geodetic) {
    require_plain(base, "this maker");
    CoordinateNumbers numbers;
    numbers.system = Coordinates::spherical;
    numbers.radius = radius;
    numbers.geodetic = geodetic;
    return base.with_metric(std::make_shared<const Metric>(base.grid(), numbers));
}

Model graded_model(const Model& base, Vec3 growth, const Shape& shape) {
    require_plain(base, "this maker");
    require_nodes(base, "a graded grid");
    Grid grid{shape, base.grid().origin, base.grid().spacing};
    if (grid.is_2d() != base.grid().is_2d()) {
        throw InputError("the graded grid and its base must both be 2-D or both 3-D");
    }
    CoordinateNumbers numbers;
    numbers.system = Coordinates::graded;
    for (int axis = 0; axis < 3; ++axis) {
        if (grid.is_2d() && axis == 1) continue;
        const int steps = shape[axis] - 1;
        if (!(growth[axis] > 0) || !std::isfinite(growth[axis]) || steps < 1) {
            throw InputError(
                fmt::format("growth along axis {} is {:g} with {} nodes (must be "
                            "positive, with 2 nodes or more)",
                            "xyz"[axis], growth[axis], shape[axis]));
        }
        const double factor = steps > 1 ? std::pow(growth[axis], 1.0 / (steps - 1)) : 1;
        std::vector<double> at = {0};
        for (int n = 0; n < steps; ++n) at.push_back(at.back() + std::pow(factor, n));
        const double cells = (base.grid().shape[axis] - 1) / at.back();
        for (double& x : at) x = base.grid().coordinate(axis, cells * x);
        numbers.axes[static_cast<std::size_t>(axis)] = std::move(at);
        grid.spacing[axis] = base.grid().extent()[axis] / steps;
    }
    const auto metric = std::make_shared<const Metric>(grid, std::move(numbers));
    Field<float> velocity = velocities_at_places(base, grid, metric->mapping());
    return Model(grid, std::move(velocity)).with_metric(metric);
}

Model terrain_model(const Model& base, const Surface& surface, Draping draping) {
    require_plain(base, "this maker");
    require_nodes(base, "a grid that follows the ground");
    const Grid& grid = base.grid();
    if (grid.is_2d() && surface.kind() == Surface::Kind::area) {
        throw InputError("the surface has points with y (the model is 2-D: x,z are needed)");
    }
    CoordinateNumbers numbers;
    numbers.system = Coordinates::terrain;
    for (int i = 0; i < grid.shape.x; ++i) {
        for (int j = 0; j < grid.shape.y; ++j) {
            numbers.surface.push_back(surface_at(surface, grid.position({i, j, 0})));
        }
    }
    const auto metric = std::make_shared<const Metric>(grid, std::move(numbers));
    const Model placed = draping == Draping::draped
                             ? base
                             : base.with_given(velocities_at_places(base, grid, metric->mapping()));
    return placed.with_metric(metric);
}

bool same_coordinates(const Model& a, const Model& b) {
    CoordinateNumbers one = a.coordinates();
    CoordinateNumbers other = b.coordinates();
    one.jumps.clear();
    other.jumps.clear();
    return one == other;
}

Model with_metric_of(const Model& base, const Model& values) {
    if (base.is_plain()) return values;
    Field<float> velocity(values.given().shape());
    std::copy(values.given().begin(), values.given().end(), velocity.begin());
    return base.with_given(std::move(velocity));
}

Model elliptical_model(const Model& base, const Mat3& t) {
    return with_anisotropy(
        base, constant_values(base.grid(), Anisotropy::elliptical,
                              std::array{t(0, 0), t(1, 1), t(2, 2), t(0, 1), t(0, 2), t(1, 2)}));
}

Model thomsen_model(const Model& base, const Thomsen& medium, double vs) {
    AnisotropyValues values = constant_values(
        base.grid(), Anisotropy::thomsen,
        std::array{medium.epsilon, medium.delta, medium.axis.x, medium.axis.y, medium.axis.z});
    if (vs != 0) {
        Field<float> ratio(base.grid().shape);
        for (std::size_t n = 0; n < ratio.size(); ++n) {
            const double velocity = base.velocity()[n];
            ratio[n] = velocity > 0 ? static_cast<float>(vs / velocity) : 0.0F;
        }
        values.values.back() = std::move(ratio);
    }
    return with_anisotropy(base, std::move(values));
}

}  // namespace fermat
