#pragma once

#include <span>
#include <vector>

#include "core/vec3.hpp"
#include "model/model.hpp"
#include "model/nearest_points.hpp"

namespace fermat {

/// The surface of the ground, z(x) or z(x, y), through given points. z is depth, so hills are
/// negative.
///
/// Along a line (y ignored): linear between neighbours in x, constant beyond the ends.
///
/// Over an area: points that fill a lattice of all their x by all their y, as in an elevation
/// model, are interpolated bilinearly, constant beyond the edges; one row of points makes a surface
/// that is constant across the row. Other points are interpolated by Franke & Little's local form
/// of Shepard's inverse-distance weights (Franke, Mathematics of Computation 38, 1982): each of the
/// 12 nearest points has the weight ((R - d) / (R d))^2, with d its distance and R that of the
/// 13th. The surface is continuous, passes through its points and stays in the range of their
/// depths.
class Surface {
  public:
    enum class Kind { line, area };

    /// Accepts points in any order; equal points count once. Throws InputError for no points, for
    /// coordinates that are not finite, and for two depths at one place.
    Surface(Kind kind, std::span<const Vec3> points);

    double at(double x, double y = 0) const;
    Kind kind() const { return kind_; }
    /// The points sorted by x, then y, without duplicates.
    std::span<const Vec3> points() const { return points_; }

  private:
    double over_lattice(double x, double y) const;
    double among_neighbours(double x, double y) const;

    Kind kind_;
    std::vector<Vec3> points_;
    /// Lines of the lattice that the points fill; empty if the points are scattered.
    std::vector<double> lattice_x_;
    std::vector<double> lattice_y_;
    NearestPoints neighbours_;
};

/// Depth of the surface at the horizontal position of a point.
inline double surface_at(const Surface& surface, Vec3 p) { return surface.at(p.x, p.y); }

/// Returns the model with air (velocity 0) above the surface. A node becomes air if it lies above
/// the surface by more than rounding (1e-6 of the spacing); nodes on it are kept, and air of the
/// model stays air. A line cuts a 3-D model in the same way at every y. In a model of cells, a cell
/// becomes air if its middle lies above the surface.
///
/// Sources and receivers at the points of the surface stay usable. Where the relief is finer than
/// the grid, the cell of a point could lose all its rock. Then the grid column nearest to the point
/// is kept from the first node at or below the point downwards; in a model of cells, the column of
/// the point's cell is kept from that cell downwards. The point thus touches rock that is connected
/// to the ground. After the cut, no point of the surface that lies in the grid is in_air, unless
/// the model had air there before.
///
/// Throws InputError if nothing is left, and for an area over a 2-D model.
Model cut_by_surface(const Model& model, const Surface& surface);

}  // namespace fermat
