#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "core/error.hpp"
#include "model/mappings/systems.hpp"

namespace fermat {
namespace {

constexpr double degree = std::numbers::pi / 180;
constexpr double steepest_latitude = 89;

class SphericalMapping final : public Mapping {
  public:
    SphericalMapping(const Grid& grid, CoordinateNumbers given)
        : Mapping(std::move(given)),
          radius_(numbers().radius),
          geodetic_(numbers().geodetic),
          middle_{grid.coordinate(0, 0.5 * (grid.shape.x - 1)),
                  grid.coordinate(1, 0.5 * (grid.shape.y - 1)),
                  grid.coordinate(2, 0.5 * (grid.shape.z - 1))},
          north_(radius_ * degree),
          east_(north_ * std::cos(middle_.x * degree)) {}
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
    Mat3 user_jacobian(Vec3 q) const override {
        Mat3 out = jacobian(q);
        if (!geodetic_) return out;
        // d geocentric / d geodetic latitude
        const double tangent = std::tan(to_user(q).x * degree);
        const double slope = polar2_ratio * (1 + tangent * tangent) /
                             (1 + polar2_ratio * polar2_ratio * tangent * tangent);
        for (int row = 0; row < 3; ++row) out(row, 0) *= slope;
        return out;
    }
    bool geographic() const override { return true; }

    Vec3 flat_from_user(Vec3 user) const override {
        const Vec3 q = to_grid(user);
        return {(q.y - middle_.y) * east_, (q.x - middle_.x) * north_, q.z};
    }
    Vec3 flat_to_user(Vec3 flat) const override { return to_user(flat_to_grid(flat)); }
    Vec3 flat_to_grid(Vec3 flat) const override {
        return {middle_.x + flat.y / north_, middle_.y + flat.x / east_, flat.z};
    }
    Mat3 flat_slope(Vec3) const override {
        Mat3 out;
        out(0, 1) = 1 / north_;
        out(1, 0) = 1 / east_;
        out(2, 2) = 1;
        return out;
    }
    Vec3 flat_way(Vec3 from, Vec3 to) const override {
        const Vec3 a = flat_to_grid(from);
        const Vec3 b = flat_to_grid(to);
        const double apart = (b.y - a.y) * degree;
        const double east = std::sin(apart) * std::cos(b.x * degree);
        const double north = std::cos(a.x * degree) * std::sin(b.x * degree) -
                             std::sin(a.x * degree) * std::cos(b.x * degree) * std::cos(apart);
        const double up = std::sin(a.x * degree) * std::sin(b.x * degree) +
                          std::cos(a.x * degree) * std::cos(b.x * degree) * std::cos(apart);
        const double level = std::hypot(east, north);
        const double per = level > 0 ? radius_ * std::atan2(level, up) / level : 0;
        return {per * east, per * north, b.z - a.z};
    }
    Vec3 flat_lengths(Vec3 flat) const override {
        const double level = 1 - flat.z / radius_;
        const double latitude = flat_to_grid(flat).x * degree;
        return {level * std::cos(latitude) / std::cos(middle_.x * degree), level, 1};
    }
    Vec3 flat_axes(Vec3 by) const override { return {by.y, by.x, by.z}; }

  private:
    /// (b/a)^2 of WGS84: tan(geocentric) = (b/a)^2 tan(geodetic).
    static constexpr double flattening = 1 / 298.257223563;
    static constexpr double polar2_ratio = (1 - flattening) * (1 - flattening);
    /// The same point with the longitude nearest to those of the grid.
    Vec3 near_middle(Vec3 q) const {
        q.y += 360 * std::round((middle_.y - q.y) / 360);
        return q;
    }
    static double turned(double latitude, double ratio) {
        return std::atan(ratio * std::tan(latitude * degree)) / degree;
    }
    double radius_;
    bool geodetic_;
    Vec3 middle_;   ///< of the grid
    double north_;  ///< length of a degree of latitude, at depth 0
    double east_;   ///< of longitude, at the middle and depth 0
};

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

}  // namespace

Vec3 place_on_sphere(double radius, Vec3 q) {
    const double r = radius - q.z;
    const double cos_lat = std::cos(q.x * degree);
    return {r * cos_lat * std::cos(q.y * degree), r * cos_lat * std::sin(q.y * degree),
            r * std::sin(q.x * degree)};
}

std::shared_ptr<const Mapping> spherical_mapping(const Grid& grid, CoordinateNumbers numbers) {
    require_sphere(grid, numbers.radius);
    return std::make_shared<const SphericalMapping>(grid, std::move(numbers));
}

}  // namespace fermat
