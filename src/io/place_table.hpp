#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/notes.hpp"
#include "core/vec3.hpp"
#include "io/local_plane.hpp"

namespace fermat {

/// A station or an event of a file.
struct NamedPlace {
    std::string id;
    Vec3 place;  ///< x, y, z; or longitude, latitude and z in km
    double time = std::numeric_limits<double>::quiet_NaN();  ///< origin time, if the file has it
    double magnitude = std::numeric_limits<double>::quiet_NaN();
};

struct PlaceTable {
    std::vector<NamedPlace> rows;
    bool is_2d = false;
    bool geographic = false;  ///< places are longitudes and latitudes
    bool has_dates = false;   ///< times are seconds since 1970
};

/// Stations: CSV with station,x,y,z or station,longitude,latitude and z or height (km) or elevation
/// (m); hypoDD's `station.dat` (station, latitude, longitude and perhaps elevation in m; degrees
/// may be 37:12.5); lines GTSRCE of NonLinLoc (XYZ, LATLON, LATLONDM); lists of VELEST and SIMULPS
/// (see phase_cards.hpp). The content tells which.
PlaceTable read_station_table(const TextFile& file, Notes& notes);

/// Events: CSV with event,x,y,z or event,longitude,latitude,z and perhaps origin_time, as `fermat
/// locate` writes it; hypoDD's `event.dat`, `hypoDD.reloc` and `.loc`, or the '#' lines of its
/// `phase.dat`; NonLinLoc's `.hyp`. Rows without a place, as of events that were not located, are
/// left out and counted.
PlaceTable read_event_table(const TextFile& file, Notes& notes);

/// The plane in km round the places of tables, or round `centre`; nothing if they are x and y.
/// Throws InputError if some are geographic and others are not.
std::optional<LocalPlane> plane_of(const std::vector<const PlaceTable*>& tables,
                                   const std::optional<GeoPoint>& centre);

/// Turns longitudes and latitudes into x and y.
void put_on_plane(PlaceTable& table, const LocalPlane& plane);

/// Seconds since 1970 of a date and a time of day, whose seconds may be 60 or more. Nothing if
/// there is no such date.
std::optional<double> seconds_of(int year, int month, int day, int hour, int minute, double second);

}  // namespace fermat
