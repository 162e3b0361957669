#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/notes.hpp"
#include "io/text_file.hpp"

namespace fermat {

/// A place on the ellipsoid WGS84, in degrees.
struct GeoPoint {
    double longitude = 0;
    double latitude = 0;
};

/// A place on a local plane: x to the east, y to the north.
struct PlanePoint {
    double x = 0;
    double y = 0;
};

/// A map of the surroundings of a place: the transverse Mercator projection of WGS84 whose central
/// meridian passes through it, with scale 1 on that meridian, and with the place at (0, 0). Angles
/// are true; at a distance x to the east or west lengths are too long by x^2 / (2 R^2): 0.03 % at
/// 150 km, 0.3 % at 500 km. Krueger's series to the fourth power of the third flattening, good to
/// less than a millimetre: C. F. F. Karney, Transverse Mercator with an accuracy of a few
/// nanometers, J. Geodesy 85 (2011), 475-485, equations 7 to 35.
///
/// Axes may be turned and moved: then x runs from `start` along `azimuth`, as distances along a
/// line do, and y to its left.
struct LocalPlane {
    GeoPoint centre{};
    double metres = 1000;  ///< in one unit of x and y
    PlanePoint start{};    ///< where x = y = 0 lies, in these units to the east and north of centre
    double azimuth = 90;   ///< of the x axis, in degrees from north to east

    /// Throws InputError unless the place is on the earth and within 80 degrees of longitude.
    PlanePoint to_plane(GeoPoint place) const;
    GeoPoint to_geographic(PlanePoint point) const;

    bool is_turned() const { return azimuth != 90 || start.x != 0 || start.y != 0; }
    /// The plane whose x axis runs from a point of this one along a direction of this one.
    LocalPlane along(PlanePoint from, PlanePoint direction) const;
    /// The plane with all lengths multiplied by a factor: 0.001 from m to km.
    LocalPlane scaled(double factor) const;

    friend bool operator==(const LocalPlane& a, const LocalPlane& b) {
        return a.centre.longitude == b.centre.longitude && a.centre.latitude == b.centre.latitude &&
               a.metres == b.metres && a.start.x == b.start.x && a.start.y == b.start.y &&
               a.azimuth == b.azimuth;
    }

  private:
    /// A point of the turned axes, to the east and north of centre.
    PlanePoint east_north(PlanePoint point) const;
};

/// The plane round the mean of some places, which may lie on both sides of the date line.
LocalPlane plane_round(const std::vector<GeoPoint>& places, double metres);

/// The plane as text that is kept with data: "local plane: longitude=12.5 latitude=45 metres=1000",
/// and " east=-3 north=2 azimuth=30" where its axes are turned.
std::string to_text(const LocalPlane& plane);
/// The plane of such a text; nothing if it is not one.
std::optional<LocalPlane> plane_from(std::string_view text);

/// The plane that a table keeps in a '#' line before its header; nothing if it keeps none.
std::optional<LocalPlane> read_plane(const TextFile& table);
/// What a table keeps in a line "# proj: ...": a projection of PROJ, which the Python package knows
/// and the program passes on; empty if there is none.
std::string read_projection(const TextFile& table);

/// Notes how much lengths are off at the edges of the plane if that is over 0.1 %.
void note_distortion(const std::string& what, const LocalPlane& plane, double widest, Notes& notes);

}  // namespace fermat
