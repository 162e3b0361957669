#include "model/mapping.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/error.hpp"

namespace fermat {
namespace {

constexpr double degree = std::numbers::pi / 180;
constexpr double steepest_latitude = 89;
// Beyond these, squares of lengths or slownesses leave single precision or lose all digits.
constexpr double most_steps = 1e9;    ///< a radius or the longest step, in shortest steps
constexpr double most_stretch = 1e3;  ///< of rows that follow the ground
constexpr double most_jump = 1e6;

class CartesianMapping final : public Mapping {
  public:
    Vec3 place(Vec3 q) const override { return q; }
    Mat3 jacobian(Vec3) const override { return Mat3::identity(); }
    void line(const Grid& grid, int i, int j, std::span<MappedPoint> out) const override {
        for (std::size_t k = 0; k < out.size(); ++k) {
            out[k] = {grid.position({i, j, static_cast<int>(k)}), Mat3::identity()};
        }
    }
    Vec3 to_grid(Vec3 user) const override { return user; }
    Vec3 to_user(Vec3 q) const override { return q; }
};

/// The piecewise linear function through the nodes of one axis.
struct GradedAxis {
    double origin = 0;
    double spacing = 1;
    std::vector<double> at;

    bool exists() const { return at.size() > 1; }
    double value(double q) const {
        const auto [n, part] = cell((q - origin) / spacing);
        return at[n] + part * (at[n + 1] - at[n]);
    }
    /// Of the cell.
    double slope(double q) const {
        const auto [n, part] = cell((q - origin) / spacing);
        return (at[n + 1] - at[n]) / spacing;
    }
    /// Centred at a node; one-sided and of second order at the ends.
    double slope_at(std::size_t n) const {
        const std::size_t last = at.size() - 1;
        if (last == 1) return (at[1] - at[0]) / spacing;
        if (n == 0) return (-1.5 * at[0] + 2 * at[1] - 0.5 * at[2]) / spacing;
        if (n == last) return (1.5 * at[n] - 2 * at[n - 1] + 0.5 * at[n - 2]) / spacing;
        return 0.5 * (at[n + 1] - at[n - 1]) / spacing;
    }
    double inverse(double value) const {
        const auto above = std::upper_bound(at.begin() + 1, at.end() - 1, value);
        const auto n = static_cast<std::size_t>(above - at.begin() - 1);
        return origin + spacing * (static_cast<double>(n) + (value - at[n]) / (at[n + 1] - at[n]));
    }

  private:
    struct Cell {
        std::size_t n;
        double part;
    };
    Cell cell(double index) const {
        const double last = static_cast<double>(at.size() - 2);
        const auto n = static_cast<std::size_t>(std::clamp(std::floor(index), 0.0, last));
        return {n, index - static_cast<double>(n)};
    }
};

class GradedMapping final : public Mapping {
  public:
    GradedMapping(const Grid& grid, const std::array<std::vector<double>, 3>& axes) {
        for (int axis = 0; axis < 3; ++axis) {
            const auto a = static_cast<std::size_t>(axis);
            axes_[a] = {grid.origin[axis], grid.spacing[axis], axes[a]};
        }
    }
    Vec3 place(Vec3 q) const override {
        return each(q, [](const GradedAxis& axis, double c) { return axis.value(c); });
    }
    Mat3 jacobian(Vec3 q) const override {
        Mat3 j = Mat3::identity();
        for (int axis = 0; axis < 3; ++axis) {
            const GradedAxis& a = axes_[static_cast<std::size_t>(axis)];
            if (a.exists()) j(axis, axis) = a.slope(q[axis]);
        }
        return j;
    }
    Mat3 node_jacobian(const Grid&, Index3 n) const override {
        Mat3 j = Mat3::identity();
        for (int axis = 0; axis < 3; ++axis) {
            const GradedAxis& a = axes_[static_cast<std::size_t>(axis)];
            if (a.exists()) j(axis, axis) = a.slope_at(static_cast<std::size_t>(n[axis]));
        }
        return j;
    }
    void line(const Grid& grid, int i, int j, std::span<MappedPoint> out) const override {
        MappedPoint here{grid.position({i, j, 0}), node_jacobian(grid, {i, j, 0})};
        if (axes_[0].exists()) here.place.x = axes_[0].at[static_cast<std::size_t>(i)];
        if (axes_[1].exists()) here.place.y = axes_[1].at[static_cast<std::size_t>(j)];
        for (std::size_t k = 0; k < out.size(); ++k) {
            if (axes_[2].exists()) {
                here.place.z = axes_[2].at[k];
                here.jacobian(2, 2) = axes_[2].slope_at(k);
            }
            out[k] = here;
        }
    }
    Vec3 to_grid(Vec3 user) const override {
        return each(user, [](const GradedAxis& axis, double c) { return axis.inverse(c); });
    }
    Vec3 to_user(Vec3 q) const override { return place(q); }

  private:
    template <class Of>
    Vec3 each(Vec3 q, Of of) const {
        for (int axis = 0; axis < 3; ++axis) {
            const GradedAxis& a = axes_[static_cast<std::size_t>(axis)];
            if (a.exists()) q[axis] = of(a, q[axis]);
        }
        return q;
    }
    std::array<GradedAxis, 3> axes_;
};

class SphericalMapping final : public Mapping {
  public:
    SphericalMapping(const Grid& grid, double radius, bool geodetic)
        : radius_(radius),
          geodetic_(geodetic),
          middle_(grid.coordinate(1, 0.5 * (grid.shape.y - 1))) {}
    Vec3 place(Vec3 q) const override { return place_on_sphere(radius_, q); }
    Mat3 jacobian(Vec3 q) const override {
        const double r = radius_ - q.z;
        return frame(q) * Mat3::diagonal(r * degree, r * std::cos(q.x * degree) * degree, 1);
    }
    Mat3 frame(Vec3 q) const override {
        const double sin_lat = std::sin(q.x * degree);
        const double cos_lat = std::cos(q.x * degree);
        const double sin_lon = std::sin(q.y * degree);
        const double cos_lon = std::cos(q.y * degree);
        return {{{{-sin_lat * cos_lon, -sin_lon, -cos_lat * cos_lon},
                  {-sin_lat * sin_lon, cos_lon, -cos_lat * sin_lon},
                  {cos_lat, 0, -sin_lat}}}};
    }
    void line(const Grid& grid, int i, int j, std::span<MappedPoint> out) const override {
        const Vec3 first = grid.position({i, j, 0});
        const Mat3 axes = frame(first);
        const double cos_lat = std::cos(first.x * degree);
        for (std::size_t k = 0; k < out.size(); ++k) {
            const double r = radius_ - grid.coordinate(2, static_cast<double>(k));
            out[k].place = {-r * axes(0, 2), -r * axes(1, 2), -r * axes(2, 2)};
            for (int row = 0; row < 3; ++row) {
                out[k].jacobian(row, 0) = axes(row, 0) * r * degree;
                out[k].jacobian(row, 1) = axes(row, 1) * r * cos_lat * degree;
                out[k].jacobian(row, 2) = axes(row, 2);
            }
        }
    }
    Vec3 to_grid(Vec3 user) const override {
        if (geodetic_) user.x = turned(user.x, polar2_ratio);
        return near_middle(user);
    }
    Vec3 from_place(Vec3 p) const override {
        const double level = std::hypot(p.x, p.y);
        return near_middle({std::atan2(p.z, level) / degree, std::atan2(p.y, p.x) / degree,
                            radius_ - std::hypot(level, p.z)});
    }
    Vec3 to_user(Vec3 q) const override {
        if (geodetic_) q.x = turned(q.x, 1 / polar2_ratio);
        return q;
    }

  private:
    /// (b/a)^2 of WGS84: tan(geocentric) = (b/a)^2 tan(geodetic).
    static constexpr double flattening = 1 / 298.257223563;
    static constexpr double polar2_ratio = (1 - flattening) * (1 - flattening);
    /// The same point with the longitude nearest to those of the grid.
    Vec3 near_middle(Vec3 q) const {
        q.y += 360 * std::round((middle_ - q.y) / 360);
        return q;
    }
    static double turned(double latitude, double ratio) {
        return std::atan(ratio * std::tan(latitude * degree)) / degree;
    }
    double radius_;
    bool geodetic_;
    double middle_;
};

/// z = q_z + e(x, y) (bottom - q_z) / (bottom - top): the first row of nodes lies on the ground,
/// e below the top of the grid, and the last row is flat.
class TerrainMapping final : public Mapping {
  public:
    TerrainMapping(const Grid& grid, const std::vector<double>& surface)
        : plane_{{grid.shape.x, grid.shape.y, 2}, grid.origin, grid.spacing},
          top_(grid.origin.z),
          depth_(grid.extent().z),
          half_row_(0.5 * grid.spacing.z),
          e_(surface) {
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

constexpr char axis_names[] = {'x', 'y', 'z'};

void require_axes(const Grid& grid, const std::array<std::vector<double>, 3>& axes) {
    double shortest = std::numeric_limits<double>::infinity();
    double longest = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const auto& at = axes[static_cast<std::size_t>(axis)];
        const int nodes = grid.shape[axis];
        if (grid.is_2d() && axis == 1) continue;
        if (static_cast<int>(at.size()) != nodes) {
            throw InputError(fmt::format("axis {} has {} coordinates (must have {}, one per node)",
                                         axis_names[axis], at.size(), nodes));
        }
        for (std::size_t n = 0; n < at.size(); ++n) {
            if (std::isfinite(at[n]) && (n == 0 || at[n] > at[n - 1])) continue;
            throw InputError(fmt::format(
                "coordinate {} of axis {} is {:g} (must be finite and exceed the one before it)", n,
                axis_names[axis], at[n]));
        }
        for (std::size_t n = 1; n < at.size(); ++n) {
            shortest = std::min(shortest, at[n] - at[n - 1]);
            longest = std::max(longest, at[n] - at[n - 1]);
        }
    }
    if (longest > most_steps * shortest) {
        throw InputError(fmt::format(
            "the steps of the axes go from {:g} to {:g} (the longest must be at most {:.0e} times "
            "the shortest)",
            shortest, longest, most_steps));
    }
}

void require_sphere(const Grid& grid, double radius) {
    const Vec3 low = grid.origin;
    const Vec3 high = grid.far_corner();
    if (!(radius > 0) || !std::isfinite(radius)) {
        throw InputError(fmt::format("radius is {:g} (must be positive)", radius));
    }
    if (radius > most_steps * grid.spacing.z) {
        throw InputError(fmt::format(
            "radius is {:g}, {:.1g} times the step of depth (must be at most {:.0e} times, or "
            "rounding hides how far nodes are apart)",
            radius, radius / grid.spacing.z, most_steps));
    }
    if (low.x < -steepest_latitude || high.x > steepest_latitude) {
        throw InputError(
            fmt::format("latitudes go from {:g} to {:g} (must stay between -{} and {} degrees)",
                        low.x, high.x, steepest_latitude, steepest_latitude));
    }
    if (high.y - low.y >= 360) {
        throw InputError(fmt::format(
            "longitudes go from {:g} to {:g} (must span less than 360 degrees)", low.y, high.y));
    }
    if (high.z >= radius) {
        throw InputError(
            fmt::format("depths go to {:g} (must stay above the centre, at {:g})", high.z, radius));
    }
}

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

void require_jumps(const Grid& grid, const std::vector<double>& jumps) {
    if (!jumps.empty() && static_cast<int>(jumps.size()) != grid.shape.z) {
        throw InputError(fmt::format("jumps has {} numbers (must have {}, one per row along z)",
                                     jumps.size(), grid.shape.z));
    }
    for (std::size_t n = 0; n < jumps.size(); ++n) {
        if (jumps[n] >= 1 / most_jump && jumps[n] <= most_jump) continue;
        throw InputError(fmt::format(
            "number {} of jumps is {:g} (must be positive, from {:g} to {:g}: velocity below over "
            "velocity above)",
            n, jumps[n], 1 / most_jump, most_jump));
    }
}

}  // namespace

void Mapping::line(const Grid& grid, int i, int j, std::span<MappedPoint> out) const {
    for (std::size_t k = 0; k < out.size(); ++k) {
        const Index3 n{i, j, static_cast<int>(k)};
        out[k] = {place(grid.position(n)), node_jacobian(grid, n)};
    }
}

Vec3 place_on_sphere(double radius, Vec3 q) {
    const double r = radius - q.z;
    const double cos_lat = std::cos(q.x * degree);
    return {r * cos_lat * std::cos(q.y * degree), r * cos_lat * std::sin(q.y * degree),
            r * std::sin(q.x * degree)};
}

std::unique_ptr<const Mapping> make_mapping(const Grid& grid, const CoordinateNumbers& numbers) {
    require_jumps(grid, numbers.jumps);
    switch (numbers.system) {
        case Coordinates::graded:
            require_axes(grid, numbers.axes);
            return std::make_unique<GradedMapping>(grid, numbers.axes);
        case Coordinates::spherical:
            require_sphere(grid, numbers.radius);
            return std::make_unique<SphericalMapping>(grid, numbers.radius, numbers.geodetic);
        case Coordinates::terrain:
            require_surface(grid, numbers.surface);
            return std::make_unique<TerrainMapping>(grid, numbers.surface);
        default:
            return std::make_unique<CartesianMapping>();
    }
}

}  // namespace fermat
