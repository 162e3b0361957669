#pragma once

#include <array>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/choice.hpp"
#include "core/grid.hpp"
#include "core/mat3.hpp"

namespace fermat {

/// What the coordinates of a grid mean: mappings/systems.def lists them.
enum class Coordinates {
#define FERMAT_SYSTEM(name) name,
#include "model/mappings/systems.def"
};
inline constexpr std::pair<std::string_view, Coordinates> named_coordinates[] = {
#define FERMAT_SYSTEM(name) {#name, Coordinates::name},
#include "model/mappings/systems.def"
};
template <>
inline constexpr auto choices<Coordinates> = choice_table("coordinates", named_coordinates);

/// The numbers that define how a grid lies in space. Those of other systems stay at their defaults.
struct CoordinateNumbers {
    using Axes = std::array<std::vector<double>, 3>;

    Coordinates system = Coordinates::cartesian;
    double radius = 6371;   ///< spherical: of depth 0
    bool geodetic = false;  ///< spherical: latitudes of users are geodetic (WGS84)
    /// Graded: the coordinates of the nodes along each axis; along y empty in 2-D.
    Axes axes;
    /// Terrain: the depth of the ground at the nodes [x][y].
    std::vector<double> surface;
    /// First-order jumps on rows of nodes: velocity just below a row over that just above it, which
    /// the nodes hold. One number per row along z, 1 where there is no jump; empty if there is
    /// none.
    std::vector<double> jumps;

    friend bool operator==(const CoordinateNumbers&, const CoordinateNumbers&) = default;
};

/// Calls visit(name, number) for all numbers, in one order: files, fingerprints and Python name and
/// keep what it names. All fields are named at once, so that one that is added and forgotten here
/// does not compile.
template <class Numbers, class Visit>
void visit_numbers(Numbers& numbers, Visit visit) {
    auto& [system, radius, geodetic, axes, surface, jumps] = numbers;
    visit("coordinates", system);
    visit("radius", radius);
    visit("geodetic", geodetic);
    visit("axes", axes);
    visit("surface", surface);
    visit("jumps", jumps);
}

/// The place of a point and d place / d q there: column c is the change along grid coordinate c.
struct MappedPoint {
    Vec3 place;
    Mat3 jacobian;
};

/// How a regular grid lies in space. Grid coordinates q are those of the Grid: q = origin + index *
/// spacing. Users give and get points in coordinates of their own (latitudes, true depths, ...); a
/// place is a point in Cartesian coordinates, in which distances are measured.
///
/// Events are searched and moved in *flat* coordinates, whose units are lengths: those of users; on
/// a sphere x is east and y north of the middle of the grid, along the parallel and the meridian
/// there, and z is depth.
class Mapping {
  public:
    explicit Mapping(CoordinateNumbers numbers) : numbers_(std::move(numbers)) {}
    virtual ~Mapping() = default;
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;

    const CoordinateNumbers& numbers() const { return numbers_; }
    /// Whether points of users are latitudes, longitudes and depths.
    virtual bool geographic() const { return false; }
    /// Whether points above the first row of nodes may be meant to lie on it.
    virtual bool follows_ground() const { return false; }

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
    /// d place / d user at grid coordinates.
    virtual Mat3 user_jacobian(Vec3) const { return Mat3::identity(); }

    virtual Vec3 flat_from_user(Vec3 user) const { return user; }
    virtual Vec3 flat_to_user(Vec3 flat) const { return flat; }
    virtual Vec3 flat_to_grid(Vec3 flat) const { return to_grid(flat); }
    /// d q / d flat: how grid coordinates change with the flat ones.
    virtual Mat3 flat_slope(Vec3 flat) const { return inverse(jacobian(flat_to_grid(flat))); }
    /// East, north and down from one flat point to another, in lengths; on a sphere along the great
    /// circle at the radius of depth 0.
    virtual Vec3 flat_way(Vec3 from, Vec3 to) const { return to - from; }
    /// True lengths of steps of 1 along x, y, z at a flat point.
    virtual Vec3 flat_lengths(Vec3) const { return {1, 1, 1}; }
    /// Numbers per axis of users, per flat axis: east comes first.
    virtual Vec3 flat_axes(Vec3 by_user_axis) const { return by_user_axis; }

  private:
    CoordinateNumbers numbers_;
};

/// Throws InputError for numbers that make no usable grid: axes that do not grow or do not fit the
/// shape, latitudes beyond 89 degrees, depths below the centre, a ground below the lowest row.
std::shared_ptr<const Mapping> make_mapping(const Grid& grid, CoordinateNumbers numbers);

/// A sphere's place of (latitude, longitude, depth) in degrees and km.
Vec3 place_on_sphere(double radius, Vec3 q);

}  // namespace fermat
