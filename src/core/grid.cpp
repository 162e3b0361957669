#include "core/grid.hpp"

#include <fmt/format.h>

#include "core/error.hpp"

namespace fermat {
namespace {

constexpr const char* axis_names = "xyz";
/// Offsets and byte counts of several fields must stay far below 2^63, and a mistyped shape should
/// be reported before memory runs out.
constexpr double max_nodes = 1e12;
/// Squares of lengths, and times in single precision, must neither overflow nor underflow.
constexpr double least_spacing = 1e-30;
constexpr double most_spacing = 1e30;

}  // namespace

std::string to_string(Shape shape) {
    return shape.y == 1 ? fmt::format("({}, {})", shape.x, shape.z)
                        : fmt::format("({}, {}, {})", shape.x, shape.y, shape.z);
}

std::string to_string(const Grid& grid, Vec3 point) {
    return grid.is_2d() ? fmt::format("({}, {})", point.x, point.z)
                        : fmt::format("({}, {}, {})", point.x, point.y, point.z);
}

void require_inside(const Grid& grid, Vec3 point, const std::string& what) {
    if (is_finite(point) && grid.contains(point)) return;
    throw InputError(fmt::format("{} at {} is outside the model (must lie between {} and {})", what,
                                 to_string(grid, point), to_string(grid, grid.origin),
                                 to_string(grid, grid.far_corner())));
}

void validate(const Grid& grid) {
    for (int axis = 0; axis < 3; ++axis) {
        const bool flat_y = axis == 1 && grid.is_2d();
        if (grid.shape[axis] < 2 && !flat_y) {
            throw InputError(fmt::format("shape along {} is {} (must be at least 2 nodes)",
                                         axis_names[axis], grid.shape[axis]));
        }
        const double spacing = grid.spacing[axis];
        if (!(spacing > 0) || !std::isfinite(spacing)) {
            throw InputError(fmt::format("spacing along {} is {} (must be positive and finite)",
                                         axis_names[axis], spacing));
        }
        if ((spacing < least_spacing || spacing > most_spacing) && !flat_y) {
            throw InputError(fmt::format(
                "spacing along {} is {} (must lie between {:.0e} and {:.0e}; use other units of "
                "length)",
                axis_names[axis], spacing, least_spacing, most_spacing));
        }
        if (!std::isfinite(grid.origin[axis])) {
            throw InputError(fmt::format("origin along {} is {} (must be finite)", axis_names[axis],
                                         grid.origin[axis]));
        }
    }
    const double nodes = static_cast<double>(grid.shape.x) * grid.shape.y * grid.shape.z;
    if (nodes > max_nodes) {
        throw InputError(fmt::format("shape {} has {:.3g} nodes (must be at most {:.0e})",
                                     to_string(grid.shape), nodes, max_nodes));
    }
}

}  // namespace fermat
