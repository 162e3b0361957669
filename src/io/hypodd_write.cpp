#include <fmt/format.h>

#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "core/error.hpp"
#include "io/atomic_file.hpp"
#include "io/date_parts.hpp"
#include "io/hypodd.hpp"
#include "io/shown.hpp"

namespace fermat {
namespace {

namespace fs = std::filesystem;

std::string id_of(const Survey& survey, std::size_t n) { return name_of(survey, survey.events[n]); }

/// Date and time of day in words, with the second to a millisecond.
std::string date_words(double seconds) {
    const DateParts at = date_parts(seconds, 3);
    return fmt::format("{:4} {:2} {:2} {:2} {:2} {:6.3f}", at.year, at.month, at.day, at.hour,
                       at.minute, at.second);
}

}  // namespace

void write_hypodd_differences(const fs::path& path, const Survey& survey,
                              const std::vector<TimeDifference>& differences) {
    std::map<std::tuple<std::int32_t, std::int32_t, Phase>, double> travel;
    for (const Arrival& arrival : survey.arrivals) {
        travel.try_emplace({arrival.event, arrival.station, arrival.phase},
                           arrival.time - survey.event_of(arrival).origin_time);
    }
    std::string text;
    std::pair<EventId, EventId> before{-1, -1};
    for (const TimeDifference& one : differences) {
        if (one.kind != differences.front().kind) {
            throw InputError(
                "differences of both kinds cannot go into one file (write dt.ct and "
                "dt.cc)");
        }
        const bool correlated = one.kind == DifferenceKind::correlation;
        if (before != std::pair(one.first, one.second)) {
            before = {one.first, one.second};
            text += fmt::format(
                "# {:>9} {:>9}{}\n", id_of(survey, static_cast<std::size_t>(one.first)),
                id_of(survey, static_cast<std::size_t>(one.second)), correlated ? " 0.0" : "");
        }
        const std::string station =
            name_of(survey, survey.stations[static_cast<std::size_t>(one.station)]);
        if (correlated) {
            text += fmt::format("{:<7} {:12.6f} {:7.4f} {}\n", station, one.time, one.weight,
                                name_of(one.phase));
            continue;
        }
        const auto second = travel.find({one.second, one.station, one.phase});
        const double other = second == travel.end() ? 0 : second->second;
        text += fmt::format("{:<7} {:9.4f} {:9.4f} {:7.4f} {}\n", station, other + one.time, other,
                            one.weight, name_of(one.phase));
    }
    OutputFile file(path);
    file.write(text);
    file.commit();
}

void write_reloc(const fs::path& path, const Survey& survey, const std::vector<double>& magnitudes,
                 const Relocation& found, const LocalPlane& plane) {
    std::vector<Vec3> centroids(found.cluster_sizes.size());
    for (const RelocatedEvent& event : found.events) {
        if (event.cluster < 0) continue;
        const auto c = static_cast<std::size_t>(event.cluster);
        centroids[c] = centroids[c] + event.position / found.cluster_sizes[c];
    }
    const double metres = plane.metres;
    std::string text;
    for (std::size_t n = 0; n < found.events.size(); ++n) {
        const RelocatedEvent& event = found.events[n];
        if (event.cluster < 0) continue;
        const GeoPoint at = plane.to_geographic({event.position.x, event.position.y});
        const Vec3 off =
            metres * (event.position - centroids[static_cast<std::size_t>(event.cluster)]);
        const Vec3 error = metres * event.error;
        const auto& [ct, cc] = event.used;
        text += fmt::format(
            "{:>9} {:10.6f} {:11.6f} {:9.4f} {:10.1f} {:10.1f} {:10.1f} {:8.1f} {:8.1f} {:8.1f} "
            "{} {:4.1f} {:5} {:5} {:5} {:5} {:7.4f} {:7.4f} {:3}\n",
            id_of(survey, n), at.latitude, at.longitude, event.position.z * metres / 1000, off.x,
            off.y, off.z, error.x, error.y, error.z, date_words(event.origin_time),
            n < magnitudes.size() ? or_zero(magnitudes[n]) : 0.0, cc[0], cc[1], ct[0], ct[1],
            or_zero(event.rms[1]), or_zero(event.rms[0]), event.cluster + 1);
    }
    OutputFile file(path);
    file.write(text);
    file.commit();
}

}  // namespace fermat
