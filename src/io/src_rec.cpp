#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "io/format_table.hpp"
#include "io/number_lines.hpp"
#include "io/place_table.hpp"
#include "io/suffix.hpp"
#include "io/text.hpp"

namespace fermat {
namespace {

/// An arrival before the plane is known.
struct GeoRow {
    GeoPoint source;
    GeoPoint receiver;
    double depth = 0;
    double height = 0;
    double time = 0;
    std::size_t line = 0;
    Phase phase = Phase::P;
    std::string event{};
    std::string station{};
    double origin = 0;  ///< since 1970
    double magnitude = 0;
};

/// The origin time of an event's line: number year month day hour minute second ...; nothing if
/// that is no date, as in files of synthetic picks.
std::optional<double> date_of(const std::vector<std::string_view>& words) {
    std::array<int, 5> parts{};
    for (std::size_t n = 0; n < parts.size(); ++n) {
        const auto part = parse_number(words[n + 1]);
        if (!part || !(std::abs(*part) < 1e5) || *part != std::floor(*part)) return std::nullopt;
        parts[n] = static_cast<int>(*part);
    }
    const auto second = parse_number(words[6]);
    if (!second || !(*second < 61)) return std::nullopt;
    return seconds_of(parts[0], parts[1], parts[2], parts[3], parts[4], *second);
}

constexpr double not_a_magnitude = std::numeric_limits<double>::quiet_NaN();

/// The plane round the stations and events, and the rows on it.
void put_on_plane(const std::vector<GeoRow>& rows, const std::string& quoted, bool on_sphere,
                  bool dated, PickBuilder& builder, Notes& notes) {
    std::vector<GeoPoint> places;
    for (const GeoRow& row : rows) {
        places.push_back(row.source);
        places.push_back(row.receiver);
    }
    if (places.empty()) return;
    const LocalPlane plane = plane_round(places, 1000);
    double widest = 0;
    const auto place = [&](GeoPoint at, double z) {
        const PlanePoint p = plane.to_plane(at);
        widest = std::max(widest, std::abs(p.x));
        return Vec3{p.x, p.y, z};
    };
    for (const GeoRow& row : rows) {
        const double origin = dated ? row.origin : 0;
        builder.add({place(row.source, row.depth), place(row.receiver, 0.0 - row.height),
                     origin + row.time, missing_error, row.line, row.phase, row.event, row.station,
                     origin});
    }
    builder.keep_plane(plane, !on_sphere);
    if (on_sphere) return;
    note_distortion(quoted, plane, widest, notes);
}

/// An event's line (number, date, place, magnitude, arrivals, name, weight) and the line of its
/// first arrival, at one station or of two, with or without a weight.
bool is_src_rec(const Words& event, const Words& arrival) {
    constexpr std::size_t numbers = 12;
    if (event.size() < numbers || event.size() > numbers + 2) return false;
    if (!std::all_of(event.begin(), event.begin() + numbers,
                     [](std::string_view word) { return parse_number(word).has_value(); })) {
        return false;
    }
    const bool single = arrival.size() == 8 || arrival.size() == 9;
    const bool of_two = arrival.size() >= 13 && arrival.size() <= 15;
    return (single || of_two) && arrival[0] == event[0] && !parse_number(arrival[single ? 6 : 11]);
}

/// TomoATT's `src_rec`: per event a line with latitude, longitude, depth in km and number of
/// arrivals, then per arrival latitude, longitude, elevation in m, phase and time in s.
SurveyFile read_src_rec(const TextFile& file, const PickReadOptions& options, Notes& notes) {
    NumberLines lines(file);
    PickBuilder builder(file.path(), options, PickDialect::of_program("km", "s"));
    std::vector<GeoRow> rows;
    std::size_t events = 0;
    std::size_t undated = 0;
    while (true) {
        const auto event = lines.next();
        if (event.empty()) break;
        // number year month day hour minute second latitude longitude depth magnitude arrivals name
        const GeoPoint source{lines.finite(event, 8, "the longitude of the event"),
                              lines.finite(event, 7, "the latitude of the event")};
        const double depth = lines.finite(event, 9, "the depth of the event");
        const std::size_t arrivals = lines.count(event, 11, "the number of arrivals");
        const double magnitude = lines.number(event, 10, "the magnitude of the event");
        const auto date = date_of(event);
        ++events;
        undated += !date;
        const std::string event_name(event.size() > 12 ? event[12] : event[0]);
        for (std::size_t n = 0; n < arrivals; ++n) {
            const auto words = lines.need(fmt::format("arrival {} of {}", n + 1, arrivals));
            // event number, then station number name latitude longitude elevation phase time
            if (words.size() > 9) {
                builder.leave_out("have two stations, whose differences are not read");
                continue;
            }
            const GeoPoint receiver{lines.finite(words, 4, "the longitude of the station"),
                                    lines.finite(words, 3, "the latitude of the station")};
            const double height = lines.finite(words, 5, "the elevation of the station") / 1000;
            const double time = lines.number(words, 7, "time");
            if (words[6] != "P" && words[6] != "S") {
                builder.leave_out("have another phase than P and S");
                continue;
            }
            if (!options.phase.empty() && words[6] != options.phase) {
                builder.leave_out(fmt::format("have another phase than '{}'", options.phase));
                continue;
            }
            rows.push_back({source, receiver, depth, height, time, lines.line(),
                            words[6] == "S" ? Phase::S : Phase::P, event_name,
                            std::string(words[2]), date.value_or(0), magnitude});
        }
    }
    if (undated > 0) {
        notes.add(
            fmt::format("{}: {} of {} events have no date: times count from the origin of each",
                        lines.quoted(), undated, events));
    }
    put_on_plane(rows, lines.quoted(), options.on_sphere, undated == 0, builder, notes);
    SurveyFile out = builder.finish(notes);
    std::map<std::string, double> magnitudes;
    for (const GeoRow& row : rows) magnitudes.try_emplace(row.event, row.magnitude);
    for (const Event& event : out.picks.events) {
        const auto at = magnitudes.find(event.id);
        out.magnitudes.push_back(at == magnitudes.end() ? not_a_magnitude : at->second);
    }
    return out;
}

}  // namespace

const PickReader src_rec_picks{
    PickFormat::src_rec,
    [](const TextFile& file) { return lower_name(file.path()).starts_with("src_rec"); }, is_src_rec,
    read_src_rec};

}  // namespace fermat
