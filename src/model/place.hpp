#pragma once

#include <memory>
#include <string>

#include "core/grid.hpp"
#include "model/mapping.hpp"

namespace fermat {

/// The low and the high corner of a box.
struct Corners {
    Vec3 low;
    Vec3 high;
};

/// Where a grid lies: it alone turns points of users (x, z; x, y, z; latitude, longitude, depth)
/// into points of the grid, or refuses them.
class Place {
  public:
    /// Points of users are those of the grid.
    Place(const Grid& grid);  // NOLINT: a grid is a place
    Place(const Grid& grid, std::shared_ptr<const Mapping> mapping);

    const Grid& grid() const { return grid_; }
    const Mapping& mapping() const { return *mapping_; }

    /// The point of the grid in the closed box. Throws InputError that names `what` where a point
    /// is not finite or lies outside the model.
    Vec3 inside(Vec3 user, const std::string& what) const;
    /// Whether a point is finite and lies in the model.
    bool holds(Vec3 user) const;
    /// The point of the grid, inside or not. In 2-D, y is that of the grid.
    Vec3 grid_point(Vec3 user) const;
    /// The point of the closed box that is nearest to that of the grid.
    Vec3 nearest(Vec3 user) const { return grid_.clamp(grid_point(user)); }

    /// The corners of the grid as users write points.
    Corners corners() const;
    /// The straight distance in space between two points of users: on a sphere, the chord.
    double distance(Vec3 a, Vec3 b) const;

    // In flat coordinates (Mapping):

    /// The point of the grid, inside or not.
    Vec3 flat_to_grid(Vec3 flat) const;
    bool holds_flat(Vec3 flat) const;
    /// The point itself where the model holds it, else that of the closed box that is nearest along
    /// the axes of the grid: below a ground, the ground above or below it.
    Vec3 nearest_flat(Vec3 flat) const;
    /// d place / d flat.
    Mat3 flat_jacobian(Vec3 flat) const;
    /// The box that holds the whole grid. Below a ground, points above it are in the box too.
    Corners flat_corners() const;
    /// Lengths of a cell's sides along the axes of the grid, at its middle.
    Vec3 cell_at_middle() const;

  private:
    Grid grid_;
    std::shared_ptr<const Mapping> mapping_;
};

}  // namespace fermat
