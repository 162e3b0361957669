#include "io/local_plane.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>

#include "core/error.hpp"
#include "io/text.hpp"

namespace fermat {
namespace {

constexpr double radians = std::numbers::pi / 180;
constexpr double equator = 6378137.0;  // radius in m
constexpr double flattening = 1 / 298.257223563;
constexpr double n = flattening / (2 - flattening);
constexpr double n2 = n * n;
constexpr double n3 = n2 * n;
constexpr double n4 = n2 * n2;
constexpr double rectifying = equator / (1 + n) * (1 + n2 / 4 + n4 / 64);

using Series = std::array<double, 4>;
constexpr Series forward = {n / 2 - 2 * n2 / 3 + 5 * n3 / 16 + 41 * n4 / 180,
                            13 * n2 / 48 - 3 * n3 / 5 + 557 * n4 / 1440,
                            61 * n3 / 240 - 103 * n4 / 140, 49561 * n4 / 161280};
constexpr Series backward = {n / 2 - 2 * n2 / 3 + 37 * n3 / 96 - n4 / 360,
                             n2 / 48 + n3 / 15 - 437 * n4 / 1440, 17 * n3 / 480 - 37 * n4 / 840,
                             4397 * n4 / 161280};
constexpr Series from_conformal = {2 * n - 2 * n2 / 3 - 2 * n3 + 116 * n4 / 45,
                                   7 * n2 / 3 - 8 * n3 / 5 - 227 * n4 / 45,
                                   56 * n3 / 15 - 136 * n4 / 35, 4279 * n4 / 630};

/// Northing and easting over the rectifying radius.
struct Angles {
    double north = 0;
    double east = 0;
};

Angles add_series(Angles at, const Series& series, double sign) {
    Angles sum = at;
    for (std::size_t j = 0; j < series.size(); ++j) {
        const double twice = 2 * static_cast<double>(j + 1);
        sum.north += sign * series[j] * std::sin(twice * at.north) * std::cosh(twice * at.east);
        sum.east += sign * series[j] * std::cos(twice * at.north) * std::sinh(twice * at.east);
    }
    return sum;
}

Angles project(double longitude, double latitude) {
    const double e = std::sqrt(flattening * (2 - flattening));
    const double s = std::sin(latitude * radians);
    const double t = std::sinh(std::atanh(s) - e * std::atanh(e * s));
    const double lambda = longitude * radians;
    const Angles sphere{std::atan2(t, std::cos(lambda)),
                        std::asinh(std::sin(lambda) / std::hypot(t, std::cos(lambda)))};
    return add_series(sphere, forward, 1);
}

double wrapped(double degrees) { return degrees - 360 * std::round(degrees / 360); }

bool on_earth(GeoPoint place) {
    return std::isfinite(place.longitude) && std::abs(place.longitude) <= 360 &&
           std::abs(place.latitude) < 90;
}

}  // namespace

PlanePoint LocalPlane::to_plane(GeoPoint place) const {
    if (!on_earth(place)) {
        throw InputError(
            fmt::format("longitude {} and latitude {} are no place (longitude must be from -360 to "
                        "360, latitude between -90 and 90)",
                        place.longitude, place.latitude));
    }
    const double apart = wrapped(place.longitude - centre.longitude);
    if (std::abs(apart) > 80) {
        throw InputError(fmt::format(
            "longitude {} is {:g} degrees from the centre of the plane, {} (must be within 80)",
            place.longitude, std::abs(apart), centre.longitude));
    }
    const Angles at = project(apart, place.latitude);
    const double scale = rectifying / metres;
    const PlanePoint map{scale * at.east, scale * (at.north - project(0, centre.latitude).north)};
    if (!is_turned()) return map;
    const double s = std::sin(azimuth * radians);
    const double c = std::cos(azimuth * radians);
    const double east = map.x - start.x;
    const double north = map.y - start.y;
    return {east * s + north * c, north * s - east * c};
}

PlanePoint LocalPlane::east_north(PlanePoint point) const {
    if (!is_turned()) return point;
    const double s = std::sin(azimuth * radians);
    const double c = std::cos(azimuth * radians);
    return {start.x + point.x * s - point.y * c, start.y + point.x * c + point.y * s};
}

LocalPlane LocalPlane::along(PlanePoint from, PlanePoint direction) const {
    const PlanePoint first = east_north(from);
    const PlanePoint next = east_north({from.x + direction.x, from.y + direction.y});
    const double angle = std::atan2(next.x - first.x, next.y - first.y) / radians;
    return {centre, metres, first, angle};
}

LocalPlane LocalPlane::scaled(double factor) const {
    return {centre, metres / factor, {factor * start.x, factor * start.y}, azimuth};
}

GeoPoint LocalPlane::to_geographic(PlanePoint given) const {
    const PlanePoint point = east_north(given);
    const double scale = metres / rectifying;
    const Angles at{point.y * scale + project(0, centre.latitude).north, point.x * scale};
    const Angles sphere = add_series(at, backward, -1);
    const double conformal = std::asin(std::sin(sphere.north) / std::cosh(sphere.east));
    double latitude = conformal;
    for (std::size_t j = 0; j < from_conformal.size(); ++j) {
        latitude += from_conformal[j] * std::sin(2 * static_cast<double>(j + 1) * conformal);
    }
    const double longitude = std::atan2(std::sinh(sphere.east), std::cos(sphere.north));
    return {wrapped(centre.longitude + longitude / radians), latitude / radians};
}

LocalPlane plane_round(const std::vector<GeoPoint>& places, double metres) {
    if (places.empty()) throw InputError("there is no place to put a plane round");
    GeoPoint sum;
    for (const GeoPoint& place : places) {
        if (!on_earth(place)) LocalPlane{}.to_plane(place);
        sum.longitude += wrapped(place.longitude - places.front().longitude);
        sum.latitude += place.latitude;
    }
    const auto count = static_cast<double>(places.size());
    return {{wrapped(places.front().longitude + sum.longitude / count), sum.latitude / count},
            metres};
}

std::string to_text(const LocalPlane& plane) {
    const std::string turned = plane.is_turned()
                                   ? fmt::format(" east={} north={} azimuth={}", plane.start.x,
                                                 plane.start.y, plane.azimuth)
                                   : "";
    return fmt::format("local plane: longitude={} latitude={} metres={}{}", plane.centre.longitude,
                       plane.centre.latitude, plane.metres, turned);
}

std::optional<LocalPlane> plane_from(std::string_view text) {
    constexpr std::string_view start = "local plane:";
    text = trim(text);
    if (!text.starts_with(start)) return std::nullopt;
    // The first three must be there, the others are those of turned axes.
    constexpr std::array<std::string_view, 6> names = {
        "longitude=", "latitude=", "metres=", "east=", "north=", "azimuth="};
    std::array<double, 6> found = {NAN, NAN, NAN, 0, 0, 90};
    for (const std::string_view word : split_words(text.substr(start.size()))) {
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (!word.starts_with(names[i])) continue;
            found[i] = parse_number(word.substr(names[i].size())).value_or(NAN);
        }
    }
    for (const double number : found) {
        if (!std::isfinite(number)) return std::nullopt;
    }
    const LocalPlane plane{{found[0], found[1]}, found[2], {found[3], found[4]}, found[5]};
    if (!on_earth(plane.centre) || !(plane.metres > 0)) return std::nullopt;
    return plane;
}

std::optional<LocalPlane> read_plane(const TextFile& table) {
    std::optional<LocalPlane> plane;
    table.look_at_head([&](std::string_view text) {
        plane = plane_from(text);
        return plane.has_value();
    });
    return plane;
}

std::string read_projection(const TextFile& table) {
    std::string projection;
    table.look_at_head([&](std::string_view text) {
        if (text.starts_with("proj:")) projection = text;
        return !projection.empty();
    });
    return projection;
}

void note_distortion(const std::string& what, const LocalPlane& plane, double widest,
                     Notes& notes) {
    const double angle = widest * plane.metres / equator;
    const double error = 0.5 * angle * angle;
    if (error <= 1e-3) return;
    notes.add(fmt::format(
        "{}: the survey reaches {:.0f} km east or west of its middle, where lengths on the local "
        "plane are {:.1f} % too long",
        what, widest * plane.metres / 1000, 100 * error));
}

}  // namespace fermat
