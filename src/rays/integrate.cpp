#include "rays/integrate.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/error.hpp"

#include "rays/cells/line.hpp"
#include "rays/segments.hpp"

namespace fermat {

namespace {

/// Prefetches the velocities of a point's cell.
template <int Dim>
[[gnu::always_inline]] inline void prefetch_cell(const Grid& grid, FieldView<const float> velocity,
                                                 Vec3 inverse_spacing, Vec3 point) {
    const Vec3 from_origin = grid.from_origin(point);
    const auto cell = [&](int axis) {
        return detail::lower_node(from_origin[axis] * inverse_spacing[axis], grid.shape[axis]);
    };
    const float* const first = &velocity(cell(0), Dim == 2 ? 0 : cell(1), cell(2));
    const std::ptrdiff_t row = grid.shape.z;
    const std::ptrdiff_t slab = row * grid.shape.y;
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < Dim - 1; ++j) __builtin_prefetch(first + i * slab + j * row);
    }
}

template <int Dim>
PathIntegral integrate_in(const Model& model, std::span<const Vec3> path) {
    const Grid& grid = model.grid();
    const auto velocity = model.velocity();
    const CellsView<> cells = model.jumping_cells();
    const Vec3 inverse_spacing{1 / grid.spacing.x, 1 / grid.spacing.y, 1 / grid.spacing.z};
    // A ray reads distant memory from cell to cell, but its path is known. Small models stay in the
    // processor's cache.
    constexpr std::size_t cached = std::size_t{1} << 17;
    constexpr std::size_t ahead = 3;
    const bool far_apart = velocity.size() > cached;
    PathIntegral sum;
    for (std::size_t p = 0; p + 1 < path.size(); ++p) {
        if (far_apart && p + ahead + 1 < path.size()) {
            const Vec3 from = path[p + ahead];
            const Vec3 to = path[p + ahead + 1];
            for (const double part : {0.25, 0.5, 0.75, 1.0}) {
                prefetch_cell<Dim>(grid, velocity, inverse_spacing, from + part * (to - from));
            }
        }
        sum.length += distance(path[p], path[p + 1]);
        sum.time += cells.exist()
                        ? line_time_in_cells<Dim>(grid, velocity, cells, path[p], path[p + 1])
                        : line_time<Dim>(grid, velocity, path[p], path[p + 1]);
    }
    return sum;
}

}  // namespace

PathIntegral integrate_path(const Model& model, std::span<const Vec3> path) {
    return model.grid().is_2d() ? integrate_in<2>(model, path) : integrate_in<3>(model, path);
}

void integrate_rays(const Model& model, RaySet& rays) {
    const Grid& grid = model.grid();
    for (std::size_t r = 0; r < rays.size(); ++r) {
        RayInfo& ray = rays.rays[r];
        if (!has_arrived(ray.status)) continue;
        const auto path = rays.path(r);
        for (const Vec3 p : path) {
            if (grid.contains(p)) continue;
            throw InputError(
                fmt::format("ray {} has a point at ({}, {}, {}), outside the model (use the model "
                            "that it was traced in, or one as large)",
                            r + 1, p.x, p.y, p.z));
        }
        const PathIntegral along = integrate_path(model, path);
        if (!std::isfinite(along.time)) {
            throw InputError(fmt::format(
                "ray {} leads through air (use the model that it was traced in)", r + 1));
        }
        ray.time = ray.field_time = along.time;
        ray.length = along.length;
    }
}

std::vector<double> times_along(const Model& model, const RaySet& rays) {
    std::vector<double> times;
    times.reserve(rays.points.size());
    for (std::size_t r = 0; r < rays.size(); ++r) {
        const auto path = rays.path(r);
        double time = rays.rays[r].time;
        for (std::size_t p = 0; p < path.size(); ++p) {
            times.push_back(time);
            if (p + 1 < path.size()) time -= integrate_path(model, path.subspan(p, 2)).time;
        }
    }
    return times;
}

}  // namespace fermat
