#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "core/choice.hpp"
#include "core/grid.hpp"
#include "core/mat3.hpp"

namespace fermat {

/// What the coordinates of a grid mean.
enum class Coordinates {
    cartesian,  ///< x, y, z with equal steps
    graded,     ///< x, y, z with steps of any length along each axis
    spherical,  ///< latitude and longitude in degrees, depth below a sphere
    terrain,    ///< x, y, z; the rows of the grid follow the ground and flatten with depth
};
template <>
inline constexpr auto choices<Coordinates> =
    choice_table<Coordinates>("coordinates", {{"cartesian", Coordinates::cartesian},
                                              {"graded", Coordinates::graded},
                                              {"spherical", Coordinates::spherical},
                                              {"terrain", Coordinates::terrain}});

/// The numbers that define how a grid lies in space. Those of other systems stay at their defaults.
struct CoordinateNumbers {
    Coordinates system = Coordinates::cartesian;
    double radius = 6371;   ///< spherical: of depth 0
    bool geodetic = false;  ///< spherical: latitudes of users are geodetic (WGS84)
    /// Graded: the coordinates of the nodes along each axis; along y empty in 2-D.
    std::array<std::vector<double>, 3> axes;
    /// Terrain: the depth of the ground at the nodes [x][y].
    std::vector<double> surface;
    /// First-order jumps on rows of nodes: velocity just below a row over that just above it, which
    /// the nodes hold. One number per row along z, 1 where there is no jump; empty if there is
    /// none.
    std::vector<double> jumps;
};

/// The place of a point and d place / d q there: column c is the change along grid coordinate c.
struct MappedPoint {
    Vec3 place;
    Mat3 jacobian;
};

/// How a regular grid lies in space. Grid coordinates q are those of the Grid: q = origin + index *
/// spacing. Users give and get points in coordinates of their own (latitudes, true depths, ...); a
/// place is a point in Cartesian coordinates, in which distances are measured.
class Mapping {
  public:
    virtual ~Mapping() = default;
    /// The Cartesian place of grid coordinates.
    virtual Vec3 place(Vec3 q) const = 0;
    virtual Mat3 jacobian(Vec3 q) const = 0;
    /// The Jacobian at a node, where that of jacobian() may jump from cell to cell: by centred
    /// differences.
    virtual Mat3 node_jacobian(const Grid& grid, Index3 n) const {
        return jacobian(grid.position(n));
    }
    /// The nodes (i, j, 0), (i, j, 1), ... of the grid.
    virtual void line(const Grid& grid, int i, int j, std::span<MappedPoint> out) const;
    /// The directions, as columns, to which tensors refer: x, y, z; on a sphere north, east, down.
    virtual Mat3 frame(Vec3) const { return Mat3::identity(); }
    /// The grid coordinates of a place: the inverse of place().
    virtual Vec3 from_place(Vec3 place) const { return to_grid(place); }
    virtual Vec3 to_grid(Vec3 user) const = 0;
    virtual Vec3 to_user(Vec3 q) const = 0;
};

/// Throws InputError for numbers that make no usable grid: axes that do not grow or do not fit the
/// shape, latitudes beyond 89 degrees, depths below the centre, a ground below the lowest row.
std::unique_ptr<const Mapping> make_mapping(const Grid& grid, const CoordinateNumbers& numbers);

/// A sphere's place of (latitude, longitude, depth) in degrees and km.
Vec3 place_on_sphere(double radius, Vec3 q);

}  // namespace fermat
