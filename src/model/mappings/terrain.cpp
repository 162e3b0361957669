#include <fmt/format.h>

#include <cmath>

#include "core/error.hpp"
#include "model/mappings/systems.hpp"

namespace fermat {
namespace {

constexpr double most_stretch = 1e3;  ///< of rows that follow the ground

/// z = q_z + e(x, y) (bottom - q_z) / (bottom - top): the first row of nodes lies on the ground,
/// e below the top of the grid, and the last row is flat.
class TerrainMapping final : public Mapping {
  public:
    TerrainMapping(const Grid& grid, CoordinateNumbers given)
        : Mapping(std::move(given)),
          plane_{{grid.shape.x, grid.shape.y, 2}, grid.origin, grid.spacing},
          top_(grid.origin.z),
          depth_(grid.extent().z),
          half_row_(0.5 * grid.spacing.z),
          e_(numbers().surface) {
        for (double& e : e_) e -= top_;
    }
    Vec3 place(Vec3 q) const override {
        q.z += at(q, [this](Index3 n) { return e(n); }) * share(q);
        return q;
    }
    Mat3 jacobian(Vec3 q) const override {
        Mat3 j = Mat3::identity();
        for (int axis = 0; axis < 2; ++axis) {
            if (plane_.shape[axis] > 1) j(2, axis) = cell_slope(q, axis) * share(q);
        }
        j(2, 2) = 1 - at(q, [this](Index3 n) { return e(n); }) / depth_;
        return j;
    }
    Mat3 node_jacobian(const Grid& grid, Index3 n) const override {
        const double part = share(grid.position(n));
        Mat3 j = Mat3::identity();
        for (int axis = 0; axis < 2; ++axis) {
            if (plane_.shape[axis] > 1) j(2, axis) = slope(n, axis) * part;
        }
        j(2, 2) = 1 - e(n) / depth_;
        return j;
    }
    void line(const Grid& grid, int i, int j, std::span<MappedPoint> out) const override {
        Mat3 jacobian = node_jacobian(grid, {i, j, 0});
        const double e_here = e({i, j, 0});
        const double slope_x = jacobian(2, 0);
        const double slope_y = jacobian(2, 1);
        for (std::size_t k = 0; k < out.size(); ++k) {
            Vec3 q = grid.position({i, j, static_cast<int>(k)});
            const double part = share(q);
            jacobian(2, 0) = slope_x * part;
            jacobian(2, 1) = slope_y * part;
            q.z += e_here * part;
            out[k] = {q, jacobian};
        }
    }
    Vec3 to_grid(Vec3 user) const override {
        const double e_here = at(user, [this](Index3 n) { return e(n); });
        user.z = top_ + (user.z - top_ - e_here) / (1 - e_here / depth_);
        // The ground is straight between nodes: points that were measured on it may lie above.
        if (user.z < top_ && user.z > top_ - half_row_) user.z = top_;
        return user;
    }
    Vec3 to_user(Vec3 q) const override { return place(q); }
    bool follows_ground() const override { return true; }

  private:
    double share(Vec3 q) const { return 1 - (q.z - top_) / depth_; }
    double e(Index3 n) const {
        return e_[static_cast<std::size_t>(n.x) * static_cast<std::size_t>(plane_.shape.y) +
                  static_cast<std::size_t>(n.y)];
    }
    /// Of the bilinear surface in a cell.
    double cell_slope(Vec3 q, int axis) const {
        q.z = plane_.origin.z;
        const CellPoint here = locate(plane_, q);
        const int other = 1 - axis;
        const int rows = plane_.shape[other] > 1 ? 2 : 1;
        double sum = 0;
        for (int side = 0; side < rows; ++side) {
            Index3 low = here.cell;
            low.z = 0;
            low[other] += side;
            Index3 high = low;
            high[axis] += 1;
            const double part = here.fraction[other];
            sum += (rows == 1 ? 1 : side ? part : 1 - part) * (e(high) - e(low));
        }
        return sum / plane_.spacing_along(axis);
    }
    /// The centred difference; at the edges one-sided and of second order.
    double slope(Index3 n, int axis) const {
        const int last = plane_.shape[axis] - 1;
        const auto along = [&](int steps) {
            Index3 other = n;
            other[axis] += steps;
            return e(other);
        };
        const double h = plane_.spacing[axis];
        if (last == 1) return (along(1 - n[axis]) - along(-n[axis])) / h;
        if (n[axis] == 0) return (-1.5 * along(0) + 2 * along(1) - 0.5 * along(2)) / h;
        if (n[axis] == last) return (1.5 * along(0) - 2 * along(-1) + 0.5 * along(-2)) / h;
        return (along(1) - along(-1)) / (2 * h);
    }
    template <class Value>
    double at(Vec3 q, Value value) const {
        q.z = plane_.origin.z;
        double sum = 0;
        for_each_corner(plane_, q, [&](Index3 n, double weight) {
            if (weight != 0) sum += weight * value(n);
        });
        return sum;
    }
    Grid plane_;
    double top_;
    double depth_;
    double half_row_;
    std::vector<double> e_;
};

void require_surface(const Grid& grid, const std::vector<double>& surface) {
    const auto columns =
        static_cast<std::size_t>(grid.shape.x) * static_cast<std::size_t>(grid.shape.y);
    if (surface.size() != columns) {
        throw InputError(fmt::format("the surface has {} depths (must have {}, one per column)",
                                     surface.size(), columns));
    }
    const double bottom = grid.far_corner().z;
    const double highest = grid.coordinate(2, -most_stretch * (grid.shape.z - 1));
    for (std::size_t n = 0; n < columns; ++n) {
        if (surface[n] < highest) {
            throw InputError(fmt::format(
                "the surface's depth in column {} is {:g} (must be {:g} or deeper: rows may be "
                "stretched {:g} times)",
                n, surface[n], highest, most_stretch));
        }
        if (std::isfinite(surface[n]) && surface[n] < bottom - 1e-3 * grid.extent().z) continue;
        throw InputError(
            fmt::format("the surface folds the grid: its depth in column {} is {:g} (must be above "
                        "the lowest row, at {:g})",
                        n, surface[n], bottom));
    }
}

}  // namespace

std::shared_ptr<const Mapping> terrain_mapping(const Grid& grid, CoordinateNumbers numbers) {
    require_surface(grid, numbers.surface);
    return std::make_shared<const TerrainMapping>(grid, std::move(numbers));
}

}  // namespace fermat
