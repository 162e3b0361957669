#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/host_device.hpp"
#include "core/vec3.hpp"

namespace fermat {

/// Node (or cell) index along x, y, z.
struct Index3 {
    int x = 0;
    int y = 0;
    int z = 0;

    FERMAT_HD int& operator[](int axis) { return axis == 0 ? x : axis == 1 ? y : z; }
    FERMAT_HD int operator[](int axis) const { return axis == 0 ? x : axis == 1 ? y : z; }

    friend bool operator==(const Index3&, const Index3&) = default;
};

/// Number of nodes (or cells) along x, y, z. A 2-D grid has y == 1.
struct Shape {
    int x = 0;
    int y = 0;
    int z = 0;

    FERMAT_HD int operator[](int axis) const { return axis == 0 ? x : axis == 1 ? y : z; }
    FERMAT_HD std::size_t count() const {
        return static_cast<std::size_t>(x) * static_cast<std::size_t>(y) *
               static_cast<std::size_t>(z);
    }
    /// Position of (i, j, k) in C order: z fastest.
    FERMAT_HD std::size_t offset(int i, int j, int k) const {
        return (static_cast<std::size_t>(i) * static_cast<std::size_t>(y) +
                static_cast<std::size_t>(j)) *
                   static_cast<std::size_t>(z) +
               static_cast<std::size_t>(k);
    }
    FERMAT_HD std::size_t offset(Index3 n) const { return offset(n.x, n.y, n.z); }
    FERMAT_HD bool contains(Index3 n) const {
        return n.x >= 0 && n.x < x && n.y >= 0 && n.y < y && n.z >= 0 && n.z < z;
    }

    friend bool operator==(const Shape&, const Shape&) = default;
};

/// The shape as users write it: "(129, 129, 129)" or, in 2-D, "(501, 501)".
std::string to_string(Shape shape);

/// A regular grid of nodes. Cells are the boxes between nodes. In 2-D (y == 1) every point has the
/// y of the grid's origin.
struct Grid {
    Shape shape;
    Vec3 origin;
    Vec3 spacing{1, 1, 1};

    FERMAT_HD bool is_2d() const { return shape.y == 1; }
    FERMAT_HD int dimensions() const { return is_2d() ? 2 : 3; }
    FERMAT_HD std::size_t node_count() const { return shape.count(); }
    FERMAT_HD Shape cell_shape() const {
        return {shape.x - 1, is_2d() ? 1 : shape.y - 1, shape.z - 1};
    }
    FERMAT_HD Vec3 position(Index3 n) const {
        return {origin.x + n.x * spacing.x, origin.y + n.y * spacing.y, origin.z + n.z * spacing.z};
    }
    /// Distance from a node to the next along an axis.
    FERMAT_HD double spacing_along(int axis) const { return spacing[axis]; }
    /// Along an axis, the coordinate of a node index, which may be fractional.
    FERMAT_HD double coordinate(int axis, double index) const {
        return origin[axis] + index * spacing[axis];
    }
    /// Of a coordinate along an axis, from the first node: as a length, and in nodes.
    FERMAT_HD double offset_along(int axis, double coordinate) const {
        return coordinate - origin[axis];
    }
    FERMAT_HD double index_along(int axis, double coordinate) const {
        return (coordinate - origin[axis]) / spacing[axis];
    }
    /// The way of some nodes, which may be fractional, along an axis.
    FERMAT_HD double length_along(int axis, double nodes) const { return nodes * spacing[axis]; }
    /// A point of a cell by its fractions, each in [0, 1].
    FERMAT_HD Vec3 point_in_cell(Index3 cell, Vec3 fraction) const {
        Vec3 p = position(cell);
        for (int axis = 0; axis < 3; ++axis) p[axis] += fraction[axis] * spacing[axis];
        return p;
    }
    /// The point some steps from a node, of which there are `parts` from node to node.
    FERMAT_HD Vec3 fine_position(Index3 node, Index3 step, int parts) const {
        Vec3 p = position(node);
        for (int axis = 0; axis < 3; ++axis) p[axis] += step[axis] * spacing[axis] / parts;
        return p;
    }
    /// From the first node to a point, and the lengths of the box.
    FERMAT_HD Vec3 from_origin(Vec3 p) const { return p - origin; }
    FERMAT_HD Vec3 extent() const { return far_corner() - origin; }
    /// The grid whose nodes are the middles of this one's cells. A 2-D grid keeps its y.
    FERMAT_HD Grid cell_middles() const {
        Vec3 first = origin + 0.5 * spacing;
        if (is_2d()) first.y = origin.y;
        return {cell_shape(), first, spacing};
    }
    /// The grid of the nodes round cells whose middles are this one's nodes.
    FERMAT_HD Vec3 origin_before_middles() const { return origin - 0.5 * spacing; }
    FERMAT_HD Vec3 far_corner() const { return position({shape.x - 1, shape.y - 1, shape.z - 1}); }
    /// Fractional node index of a point.
    FERMAT_HD Vec3 to_index(Vec3 p) const {
        return {(p.x - origin.x) / spacing.x, is_2d() ? 0.0 : (p.y - origin.y) / spacing.y,
                (p.z - origin.z) / spacing.z};
    }
    /// True in the closed box, with a tolerance for the rounding of points on a face.
    FERMAT_HD bool contains(Vec3 p) const;
    /// The nearest point of the closed box.
    FERMAT_HD Vec3 clamp(Vec3 p) const;
    /// Node nearest to a point of the box.
    FERMAT_HD Index3 nearest_node(Vec3 p) const;

    friend bool operator==(const Grid&, const Grid&) = default;
};

/// Throws InputError unless shape, origin and spacing make a usable grid.
void validate(const Grid& grid);

/// The point as users write it: "(5, 5, 0.5)" or, in 2-D, "(5, 0.5)".
std::string to_string(const Grid& grid, Vec3 point);

/// Throws InputError unless the point lies in the box. `what` names the point, as in "source 3".
void require_inside(const Grid& grid, Vec3 point, const std::string& what);

/// The cell that holds a point and the point's position in it, each fraction in [0, 1].
struct CellPoint {
    Index3 cell;
    Vec3 fraction;
};

namespace detail {
/// How far outside the box, in cells, rounding may put a point.
inline constexpr double face_slack = 1e-6;

FERMAT_HD inline double clamped(double u, int nodes) {
    const double last = nodes - 1;
    return u < 0 ? 0 : u > last ? last : u;
}
FERMAT_HD inline int lower_node(double u, int nodes) {
    const int cell = static_cast<int>(u);
    const int last_cell = nodes > 1 ? nodes - 2 : 0;
    return cell < 0 ? 0 : cell > last_cell ? last_cell : cell;
}
}  // namespace detail

FERMAT_HD inline bool Grid::contains(Vec3 p) const {
    const Vec3 u = to_index(p);
    for (int axis = 0; axis < 3; ++axis) {
        if (!(u[axis] >= -detail::face_slack) ||
            !(u[axis] <= shape[axis] - 1 + detail::face_slack)) {
            return false;
        }
    }
    return true;
}

FERMAT_HD_INLINE Vec3 Grid::clamp(Vec3 p) const {
    const Vec3 low = origin;
    const Vec3 high = far_corner();
    for (int axis = 0; axis < 3; ++axis) {
        p[axis] = p[axis] < low[axis] ? low[axis] : p[axis] > high[axis] ? high[axis] : p[axis];
    }
    return p;
}

FERMAT_HD inline Index3 Grid::nearest_node(Vec3 p) const {
    const Vec3 u = to_index(p);
    return {static_cast<int>(detail::clamped(u.x, shape.x) + 0.5),
            static_cast<int>(detail::clamped(u.y, shape.y) + 0.5),
            static_cast<int>(detail::clamped(u.z, shape.z) + 0.5)};
}

/// The cell that holds a point, in a grid of known dimension.
template <int Dim>
FERMAT_HD_INLINE CellPoint locate_in(const Grid& grid, Vec3 p) {
    CellPoint at;
    for (int axis = 0; axis < 3; axis += Dim == 2 ? 2 : 1) {
        const double u = grid.index_along(axis, p[axis]);
        const double inside = detail::clamped(u, grid.shape[axis]);
        at.cell[axis] = detail::lower_node(inside, grid.shape[axis]);
        at.fraction[axis] = inside - at.cell[axis];
    }
    return at;
}
FERMAT_HD inline CellPoint locate(const Grid& grid, Vec3 p) {
    return grid.is_2d() ? locate_in<2>(grid, p) : locate_in<3>(grid, p);
}

/// Calls visit(node, weight) for the corners of a point's cell (8 in 3-D, 4 in 2-D) with their
/// multilinear weights. The weights add up to 1; corners of weight 0 are visited too.
template <class Visit>
FERMAT_HD void for_each_corner(const Grid& grid, Vec3 p, Visit visit) {
    const CellPoint at = locate(grid, p);
    const int corners_y = grid.is_2d() ? 1 : 2;
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < corners_y; ++j) {
            for (int k = 0; k < 2; ++k) {
                const double weight = (i ? at.fraction.x : 1 - at.fraction.x) *
                                      (j ? at.fraction.y : 1 - at.fraction.y) *
                                      (k ? at.fraction.z : 1 - at.fraction.z);
                visit(Index3{at.cell.x + i, at.cell.y + j, at.cell.z + k}, weight);
            }
        }
    }
}

}  // namespace fermat
