#include "io/place_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include "core/error.hpp"
#include "io/clock.hpp"
#include "io/columns.hpp"
#include "io/csv.hpp"
#include "io/format_table.hpp"
#include "io/number_lines.hpp"

namespace fermat {
namespace {

namespace fs = std::filesystem;

/// One id, one place: a second row must repeat the first.
class Places {
  public:
    void add(NamedPlace row, const std::string& where, std::string_view kind) {
        if (row.id.empty()) {
            throw InputError(fmt::format("{}{} is empty (must be an id)", where, kind));
        }
        const auto [entry, added] = numbers_.emplace(row.id, table.rows.size());
        if (!added && table.rows[entry->second].place != row.place) {
            throw InputError(fmt::format("{}{} {} has two places (must have one)", where, kind,
                                         in_quotes(row.id)));
        }
        if (added) table.rows.push_back(std::move(row));
    }
    PlaceTable table;

  private:
    std::map<std::string, std::size_t, std::less<>> numbers_;
};

/// The depth of a row of a CSV table.
struct DepthColumn {
    std::size_t column = 0;
    double factor = 1;

    static DepthColumn find(const CsvTable& table) {
        if (const auto z = table.find_column("z")) return {*z, 1};
        if (const auto z = table.find_column("depth")) return {*z, 1};
        if (const auto up = table.find_column("height")) return {*up, -1};
        if (const auto up = table.find_column("elevation")) return {*up, -1e-3};
        return {table.column("z"), 1};
    }
};

/// Whether fermat locate, invert or relocate wrote a table: its further columns are results, which
/// nobody expects to be read.
bool is_our_catalogue(const CsvTable& table) {
    return table.find_column("status") || table.find_column("shift_time");
}

PlaceTable read_csv(const TextFile& file, const char* kind, Notes& notes) {
    const CsvTable table(file);
    const std::size_t id = table.column(kind);
    const auto longitude = table.find_column("longitude");
    const bool geographic = longitude.has_value() && !table.find_column("x");
    const std::size_t x = geographic ? *longitude : table.column("x");
    const auto y = geographic ? std::optional(table.column("latitude")) : table.find_column("y");
    const DepthColumn depth = DepthColumn::find(table);
    const auto time = table.find_column("origin_time");
    const auto magnitude = table.find_column("magnitude");
    if (!is_our_catalogue(table)) {
        const std::array<std::string_view, 11> known = {
            kind,    "x",         "y",      "z",         "longitude",  "latitude",
            "depth", "elevation", "height", "magnitude", "origin_time"};
        note_unused_columns(file.quoted(), table.names(), known,
                            fmt::format("read are {},x,y,z", kind), notes);
    }
    Places places;
    places.table.geographic = geographic;
    places.table.is_2d = !y;
    places.table.has_dates =
        time && table.rows() > 0 && parse_clock(table.text(0, *time)).has_value();
    std::size_t empty = 0;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (table.text(row, x).empty() && table.find_column("status")) {
            ++empty;
            continue;
        }
        NamedPlace one{std::string(table.text(row, id)),
                       {table.number(row, x), y ? table.number(row, *y) : 0.0,
                        depth.factor * table.number(row, depth.column)}};
        if (time && !table.text(row, *time).empty()) {
            const auto clock = parse_clock(table.text(row, *time));
            one.time = clock ? *clock : table.number(row, *time);
        }
        if (magnitude) one.magnitude = table.number_or_nan(row, *magnitude);
        places.add(std::move(one), table.where(row), kind);
    }
    if (empty > 0) {
        notes.add(fmt::format("{}: {} of {} {}s have no place and are left out", file.quoted(),
                              empty, table.rows(), kind));
    }
    return std::move(places.table);
}

/// Degrees, also as 37:12.5 (degrees and minutes).
double angle_of(const NumberLines& lines, const std::vector<std::string_view>& words,
                std::size_t column, std::string_view what) {
    if (column >= words.size()) return lines.finite(words, column, what);
    const std::string_view word = words[column];
    const auto colon = word.find(':');
    if (colon == std::string_view::npos) return lines.finite(words, column, what);
    const auto whole = parse_number(word.substr(0, colon));
    const auto minutes = parse_number(word.substr(colon + 1));
    if (!whole || !minutes || !std::isfinite(*whole) || !(*minutes >= 0 && *minutes < 60)) {
        lines.fail(
            fmt::format("{} is {} (must be degrees, or degrees:minutes)", what, in_quotes(word)));
    }
    return *whole + (word.starts_with('-') ? -*minutes : *minutes) / 60;
}

std::string where_of(const NumberLines& lines) {
    return fmt::format("{} line {}: ", lines.quoted(), lines.line());
}

PlaceTable read_hypodd_stations(const TextFile& file) {
    NumberLines lines(file);
    Places places;
    places.table.geographic = true;
    for (auto words = lines.next(); !words.empty(); words = lines.next()) {
        const double latitude = angle_of(lines, words, 1, "the latitude");
        const double longitude = angle_of(lines, words, 2, "the longitude");
        const double height =
            words.size() > 3 ? lines.finite(words, 3, "the elevation") / 1000 : 0.0;
        places.add({std::string(words[0]), {longitude, latitude, 0.0 - height}}, where_of(lines),
                   "station");
    }
    return std::move(places.table);
}

/// What the lines of a control file of NonLinLoc and of the files that it includes gave.
struct ControlStations {
    Places places;
    std::size_t other = 0;  ///< lines that say something else
    bool any = false;
};

constexpr int deepest_include = 8;

/// The file of a line INCLUDE: beside the one that includes it, as people pass them on, or where
/// NonLinLoc looks, in the working folder.
fs::path included_file(const fs::path& by, std::string_view name) {
    fs::path beside = by.parent_path() / name;
    std::error_code ignored;
    return fs::exists(beside, ignored) ? beside : fs::path(name);
}

/// GTSRCE label XYZ x y z elev, LATLON lat lon z elev, LATLONDM deg min N deg min E z elev.
void add_control_stations(const TextFile& file, int depth, ControlStations& found) {
    NumberLines lines(file);
    Places& places = found.places;
    bool& any = found.any;
    for (auto words = lines.next(); !words.empty(); words = lines.next()) {
        if (words[0] == "INCLUDE") {
            if (words.size() < 2) lines.fail("INCLUDE has no name (a file is needed)");
            if (depth == deepest_include) {
                lines.fail(fmt::format("INCLUDE is {} files deep (does a file include itself?)",
                                       deepest_include));
            }
            add_control_stations(included_file(file.path(), words[1]), depth + 1, found);
            continue;
        }
        if (words[0] != "GTSRCE") {
            ++found.other;
            continue;
        }
        const std::string_view kind = words.size() > 2 ? words[2] : "";
        const bool geographic = kind == "LATLON" || kind == "LATLONDM";
        if (!geographic && kind != "XYZ") {
            lines.fail(fmt::format("the coordinates are {} (must be XYZ, LATLON or LATLONDM)",
                                   in_quotes(kind)));
        }
        if (any && geographic != places.table.geographic) {
            lines.fail("stations are given by XYZ and by LATLON (must be one of them)");
        }
        any = true;
        places.table.geographic = geographic;
        Vec3 place;
        std::size_t z = 5;
        if (kind == "LATLONDM") {
            z = 9;
            const auto angle = [&](std::size_t at, std::string_view negative) {
                const double size = lines.finite(words, at, "degrees") +
                                    lines.finite(words, at + 1, "minutes") / 60;
                return words.size() > at + 2 && words[at + 2] == negative ? -size : size;
            };
            place = {angle(6, "W"), angle(3, "S"), 0};
        } else {
            const double first = lines.finite(words, 3, geographic ? "the latitude" : "x");
            const double second = lines.finite(words, 4, geographic ? "the longitude" : "y");
            place = geographic ? Vec3{second, first, 0} : Vec3{first, second, 0};
        }
        place.z = lines.finite(words, z, "z") -
                  (words.size() > z + 1 ? lines.finite(words, z + 1, "the elevation") : 0.0);
        places.add({std::string(words[1]), place}, where_of(lines), "station");
    }
}

PlaceTable read_control_stations(const TextFile& file, Notes& notes) {
    ControlStations found;
    add_control_stations(file, 0, found);
    if (found.places.table.rows.empty()) {
        throw InputError(
            fmt::format("{} and the files that it includes have no line GTSRCE "
                        "(stations of NonLinLoc are such lines)",
                        file.quoted()));
    }
    if (found.other > 0) {
        notes.add(
            fmt::format("{}: {} lines other than GTSRCE are not read", file.quoted(), found.other));
    }
    return std::move(found.places.table);
}

/// True if a line begins with a word of NonLinLoc's control files that stations need.
bool is_control_file(const TextFile& file) {
    LineReader lines(file.text());
    while (const auto line = lines.next()) {
        const std::string_view shown = trim(*line);
        if (shown.starts_with("GTSRCE ") || shown.starts_with("INCLUDE ")) return true;
    }
    return false;
}

/// date time latitude longitude depth magnitude EH EV RMS id; the time is hhmmsscc.
PlaceTable read_hypodd_events(const TextFile& file) {
    NumberLines lines(file);
    Places places;
    places.table.geographic = places.table.has_dates = true;
    for (auto words = lines.next(); !words.empty(); words = lines.next()) {
        const auto date = words.empty() ? std::nullopt : parse_integer(words[0]);
        const auto clock = words.size() < 2 ? std::nullopt : parse_integer(words[1]);
        std::optional<double> time;
        if (date && clock && *date > 0 && *clock >= 0) {
            const auto part = [](std::int64_t number, std::int64_t unit, std::int64_t count) {
                return static_cast<int>(number / unit % count);
            };
            time = seconds_of(static_cast<int>(*date / 10000), part(*date, 100, 100),
                              part(*date, 1, 100), static_cast<int>(*clock / 1000000),
                              part(*clock, 10000, 100), 0.01 * part(*clock, 1, 10000));
        }
        if (!time) lines.fail("the date and time must be yyyymmdd hhmmsscc");
        const double latitude = lines.finite(words, 2, "the latitude");
        const double longitude = lines.finite(words, 3, "the longitude");
        const double depth = lines.finite(words, 4, "the depth");
        if (words.size() < 10) {
            lines.fail(
                fmt::format("the line has {} words (must be date time latitude longitude "
                            "depth magnitude EH EV RMS id)",
                            words.size()));
        }
        places.add({std::string(words[9]),
                    {longitude, latitude, depth},
                    *time,
                    lines.number(words, 5, "the magnitude")},
                   where_of(lines), "event");
    }
    return std::move(places.table);
}

}  // namespace

std::optional<double> seconds_of(int year, int month, int day, int hour, int minute,
                                 double second) {
    if (hour < 0 || minute < 0 || !(second >= 0)) return std::nullopt;
    const auto date = parse_clock(fmt::format("{:04}-{:02}-{:02}T00:00:00", year, month, day));
    if (!date) return std::nullopt;
    return *date + 3600.0 * hour + 60.0 * minute + second;
}

namespace {

bool has_commas(const TextFile& file) {
    return file.first_line().find(',') != std::string_view::npos;
}

PlaceTable read_by(std::span<const PlaceReader* const> readers, const TextFile& file,
                   Notes& notes) {
    const auto found = std::find_if(readers.begin(), readers.end(), [&](const PlaceReader* one) {
        return one->is == nullptr || one->is(file);
    });
    return (*found)->read(file, notes);
}

}  // namespace

const PlaceReader csv_stations{has_commas, [](const TextFile& file, Notes& notes) {
                                   return read_csv(file, "station", notes);
                               }};
const PlaceReader control_stations{is_control_file, read_control_stations};
const PlaceReader hypodd_stations{
    nullptr, [](const TextFile& file, Notes&) { return read_hypodd_stations(file); }};

const PlaceReader csv_events{
    has_commas, [](const TextFile& file, Notes& notes) { return read_csv(file, "event", notes); }};
const PlaceReader hypodd_events{
    nullptr, [](const TextFile& file, Notes&) { return read_hypodd_events(file); }};

PlaceTable read_station_table(const TextFile& file, Notes& notes) {
    return read_by(station_readers(), file, notes);
}

PlaceTable read_event_table(const TextFile& file, Notes& notes) {
    return read_by(event_readers(), file, notes);
}

std::optional<LocalPlane> plane_of(const std::vector<const PlaceTable*>& tables,
                                   const std::optional<GeoPoint>& centre) {
    std::vector<GeoPoint> places;
    std::size_t flat = 0;
    for (const PlaceTable* table : tables) {
        if (table == nullptr || table->rows.empty()) continue;
        flat += !table->geographic;
        for (const NamedPlace& row : table->rows) {
            if (table->geographic) places.push_back({row.place.x, row.place.y});
        }
    }
    if (places.empty()) return std::nullopt;
    if (flat > 0 && !centre) {
        throw InputError(
            "some places are longitudes and latitudes and others x and y (give `centre`, the "
            "longitude and latitude of x = y = 0)");
    }
    if (centre) return LocalPlane{*centre, 1000};
    return plane_round(places, 1000);
}

void put_on_plane(PlaceTable& table, const LocalPlane& plane) {
    if (!table.geographic) return;
    for (NamedPlace& row : table.rows) {
        const PlanePoint at = plane.to_plane({row.place.x, row.place.y});
        row.place = {at.x, at.y, row.place.z};
    }
    table.geographic = false;
}

}  // namespace fermat
