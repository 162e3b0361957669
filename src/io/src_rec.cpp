#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/number_lines.hpp"
#include "io/pick_readers.hpp"

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
};

/// The plane round the stations and events, and the rows on it.
void put_on_plane(const std::vector<GeoRow>& rows, const std::string& quoted, bool on_sphere,
                  PickBuilder& builder, Notes& notes) {
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
        builder.add({place(row.source, row.depth), place(row.receiver, 0.0 - row.height), row.time,
                     missing_error, row.line, row.phase, row.event, row.station});
    }
    builder.keep_plane(plane, !on_sphere);
    if (on_sphere) return;
    note_distortion(quoted, plane, widest, notes);
}

}  // namespace

SurveyFile read_src_rec(const std::filesystem::path& path, const PickReadOptions& options,
                        Notes& notes) {
    NumberLines lines(path);
    PickDialect dialect;
    dialect.leave_out_bad = true;
    dialect.length = "km";
    dialect.usual_length = "km";
    dialect.time = "s";
    dialect.usual_time = "s";
    PickBuilder builder(path, options, dialect);
    std::vector<GeoRow> rows;
    while (true) {
        const auto event = lines.next();
        if (event.empty()) break;
        // number year month day hour minute second latitude longitude depth magnitude arrivals name
        const GeoPoint source{lines.finite(event, 8, "the longitude of the event"),
                              lines.finite(event, 7, "the latitude of the event")};
        const double depth = lines.finite(event, 9, "the depth of the event");
        const std::size_t arrivals = lines.count(event, 11, "the number of arrivals");
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
                            std::string(words[2])});
        }
    }
    put_on_plane(rows, lines.quoted(), options.on_sphere, builder, notes);
    return builder.finish(notes);
}

}  // namespace fermat
