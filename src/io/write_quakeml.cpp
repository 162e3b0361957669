// QuakeML 1.2 (BED) and, for its stations, StationXML 1.1. Lengths are m, angles degrees. Elements
// stand in the order of the schema.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>

#include "core/error.hpp"
#include "io/clock.hpp"
#include "io/text.hpp"
#include "io/written_catalogue.hpp"

namespace fermat {
namespace {

namespace fs = std::filesystem;

constexpr double km_per_degree = 111.195;

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
            case '&':
                out += "&amp;";
                break;
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '"':
                out += "&quot;";
                break;
            default:
                out += static_cast<unsigned char>(c) < 32 ? ' ' : c;
        }
    }
    return out;
}

/// Ids that QuakeML's names of resources can hold, all different.
class ResourceIds {
  public:
    std::string of(const std::string& id) {
        std::string kept;
        for (const char c : id) {
            const bool good = std::isalnum(static_cast<unsigned char>(c)) ||
                              std::string_view("-.*()_~'+?=,;&").find(c) != std::string_view::npos;
            kept += good ? c : '_';
        }
        const int times = ++seen_[kept];
        if (times > 1) kept += fmt::format("_{}", times);
        changed += kept != id;
        return escaped(kept);
    }
    std::size_t changed = 0;

  private:
    std::map<std::string, int> seen_;
};

/// The network and the code of a station: "CI" and "NJQ" of "CI.NJQ", and of "CI_NJQ", where two
/// letters at most are a network's.
struct StationCode {
    std::string network;
    std::string station;

    explicit StationCode(const std::string& name) {
        std::size_t mark = name.find('.');
        if (mark == std::string::npos) {
            mark = name.find('_');
            if (mark > 2) mark = std::string::npos;
        }
        const bool both = mark != std::string::npos && mark > 0 && mark + 1 < name.size();
        network = both ? name.substr(0, mark) : "XX";
        station = both ? name.substr(mark + 1) : name;
    }
};

std::string element(std::string_view name, std::string_view value, int depth) {
    return fmt::format("{:{}}<{}>{}</{}>\n", "", 2 * depth, name, value, name);
}
/// Nothing for numbers that are not known.
std::string element(std::string_view name, double value, int depth, int decimals) {
    return std::isfinite(value) ? element(name, fmt::format("{:.{}f}", value, decimals), depth)
                                : std::string();
}
std::string quantity(std::string_view name, std::string_view value, double error, int depth,
                     int decimals) {
    return fmt::format("{:{}}<{}>\n", "", 2 * depth, name) + element("value", value, depth + 1) +
           (error > 0 ? element("uncertainty", error, depth + 1, decimals) : std::string()) +
           fmt::format("{:{}}</{}>\n", "", 2 * depth, name);
}

double turned(double azimuth, const LocalPlane& plane) {
    return std::fmod(azimuth + plane.azimuth - 90 + 720, 360);
}

/// Axes of the horizontal ellipse that holds 68 % of the probability.
std::string ellipse(const Hypocentre& event, const LocalPlane& plane) {
    const Matrix3& c = event.covariance;
    const double mean = (c[0][0] + c[1][1]) / 2;
    const double root = std::hypot((c[0][0] - c[1][1]) / 2, c[0][1]);
    // x is east and y north: the azimuth of the long axis is clockwise from y.
    const double azimuth =
        0.5 * std::atan2(2 * c[0][1], c[1][1] - c[0][0]) * 180 / 3.14159265358979;
    const double reach = region_reach(2).of_68 * plane.metres;
    if (!(mean + root > 0)) return {};
    return "        <originUncertainty>\n" +
           element("minHorizontalUncertainty", reach * std::sqrt(std::max(mean - root, 0.0)), 5,
                   1) +
           element("maxHorizontalUncertainty", reach * std::sqrt(mean + root), 5, 1) +
           element("azimuthMaxHorizontalUncertainty", std::fmod(turned(azimuth, plane), 180), 5,
                   1) +
           element("preferredDescription", "uncertainty ellipse", 5) +
           element("confidenceLevel", "68", 5) + "        </originUncertainty>\n";
}

class QuakeMl {
  public:
    explicit QuakeMl(const WrittenCatalogue& out) : out_(out) {}

    std::string event_text(const WrittenEvent& event) {
        const std::string id = ids_.of(event.id);
        std::string text = fmt::format("    <event publicID=\"smi:local/event/{}\">\n", id);
        if (event.has_origin) {
            text += element("preferredOriginID", "smi:local/origin/" + id, 3);
        }
        const bool sized = event.has_origin && std::isfinite(event.magnitude);
        if (sized) text += element("preferredMagnitudeID", "smi:local/magnitude/" + id, 3);
        text += element("type", "earthquake", 3);
        for (std::size_t n = 0; n < event.picks.size(); ++n) {
            text += pick_text(event.picks[n], pick_id(id, n));
        }
        if (event.has_origin) text += origin_text(event, id);
        if (sized) {
            text += fmt::format("      <magnitude publicID=\"smi:local/magnitude/{}\">\n", id) +
                    quantity("mag", fmt::format("{:.2f}", event.magnitude), 0, 4, 2) +
                    element("originID", "smi:local/origin/" + id, 4) + "      </magnitude>\n";
        }
        return text + "    </event>\n";
    }
    std::size_t changed() const { return ids_.changed; }

  private:
    static std::string pick_id(const std::string& event, std::size_t n) {
        return fmt::format("{}/{}", event, n + 1);
    }

    std::string pick_text(std::int32_t pick, const std::string& id) const {
        const Arrival& arrival = out_.arrival(pick);
        const StationCode code(out_.station_of(pick).name);
        const Polarity polarity = out_.polarity(pick);
        return fmt::format("      <pick publicID=\"smi:local/pick/{}\">\n", id) +
               quantity("time", clock_text(arrival.time),
                        out_.survey.has_errors ? arrival.error : 0, 4, 6) +
               fmt::format("        <waveformID networkCode=\"{}\" stationCode=\"{}\"/>\n",
                           escaped(code.network), escaped(code.station)) +
               element("phaseHint", out_.phase(pick), 4) +
               (polarity == 0 ? std::string()
                              : element("polarity", polarity > 0 ? "positive" : "negative", 4)) +
               "      </pick>\n";
    }

    std::string origin_text(const WrittenEvent& event, const std::string& id) const {
        const Hypocentre* found = event.found;
        const LocalPlane& plane = *out_.plane;
        const auto deviation = [&](std::size_t a) {
            return found == nullptr ? 0.0 : plane.metres * std::sqrt(found->covariance[a][a]);
        };
        // Errors along the axes of a turned plane are not those along longitude and latitude.
        const bool axes = plane.azimuth == 90;
        const double per_degree = 1000 * km_per_degree;
        const double shrink = std::cos(event.at.latitude * 3.14159265358979 / 180);
        std::string text = fmt::format("      <origin publicID=\"smi:local/origin/{}\">\n", id);
        text += quantity("time", clock_text(event.origin), found == nullptr ? 0 : found->time_error,
                         4, 6);
        text += quantity("longitude", fmt::format("{:.7f}", event.at.longitude),
                         axes ? deviation(0) / (per_degree * shrink) : 0, 4, 7);
        text += quantity("latitude", fmt::format("{:.7f}", event.at.latitude),
                         axes ? deviation(1) / per_degree : 0, 4, 7);
        text += quantity("depth", fmt::format("{:.2f}", 1000 * event.depth), deviation(2), 4, 2);
        if (found == nullptr) return text + "      </origin>\n";
        text += "        <quality>\n" +
                element("associatedPhaseCount", fmt::format("{}", found->picks), 5) +
                element("usedPhaseCount", fmt::format("{}", found->used), 5) +
                element("standardError", found->rms, 5, 6) +
                element("azimuthalGap", found->gap, 5, 1) +
                element("minimumDistance", degrees(found->nearest), 5, 5) + "        </quality>\n";
        text += ellipse(*found, plane);
        for (std::size_t n = 0; n < event.picks.size(); ++n) {
            text += arrival_text(event.picks[n], pick_id(id, n));
        }
        return text + "      </origin>\n";
    }

    double degrees(double length) const {
        return length * out_.plane->metres / 1000 / km_per_degree;
    }

    std::string arrival_text(std::int32_t pick, const std::string& id) const {
        const PickFit& fit = out_.found->fits[static_cast<std::size_t>(pick)];
        if (!std::isfinite(fit.residual)) return {};
        std::string text =
            fmt::format("        <arrival publicID=\"smi:local/arrival/{}\">\n", id) +
            element("pickID", "smi:local/pick/" + id, 5) + element("phase", out_.phase(pick), 5) +
            element("azimuth", turned(fit.azimuth, *out_.plane), 5, 2) +
            element("distance", degrees(fit.distance), 5, 6);
        if (std::isfinite(fit.take_off)) {
            text += quantity("takeoffAngle", fmt::format("{:.2f}", fit.take_off), 0, 5, 2);
        }
        return text + element("timeResidual", fit.residual, 5, 6) +
               element("timeWeight", fit.weight, 5, 4) + "        </arrival>\n";
    }

    const WrittenCatalogue& out_;
    ResourceIds ids_;
};

std::string stations_text(const WrittenCatalogue& out) {
    std::map<std::string, std::string> networks;
    for (const WrittenStation& station : out.stations) {
        const StationCode code(station.name);
        networks[code.network] += fmt::format(
            "    <Station code=\"{0}\">\n      <Latitude>{1:.7f}</Latitude>\n      "
            "<Longitude>{2:.7f}</Longitude>\n      <Elevation>{3:.2f}</Elevation>\n      "
            "<Site>\n        <Name>{0}</Name>\n      </Site>\n    </Station>\n",
            escaped(code.station), station.at.latitude, station.at.longitude,
            1000 * station.height);
    }
    std::string text =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<FDSNStationXML "
        "xmlns=\"http://www.fdsn.org/xml/station/1\" schemaVersion=\"1.1\">\n"
        "  <Source>Fermat</Source>\n  <Created>1970-01-01T00:00:00Z</Created>\n";
    for (const auto& [network, stations] : networks) {
        text +=
            fmt::format("  <Network code=\"{}\">\n{}  </Network>\n", escaped(network), stations);
    }
    return text + "</FDSNStationXML>\n";
}

}  // namespace

CatalogueTexts quakeml_texts(const fs::path& path, const WrittenPicks& picks, Notes& notes) {
    FormatNeeds needs;
    needs.shown = "QuakeML";
    needs.origins = false;
    needs.gross_picks = needs.names_events = needs.lone_events = needs.later_phases = true;
    const WrittenCatalogue out = prepared(path, picks, needs, notes);
    std::size_t unlocated = 0;
    std::size_t bare = 0, marked = 0, dotted = 0, wide = 0;
    QuakeMl writer(out);
    CatalogueTexts texts;
    texts.picks =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<q:quakeml "
        "xmlns:q=\"http://quakeml.org/xmlns/quakeml/1.2\" "
        "xmlns=\"http://quakeml.org/xmlns/bed/1.2\">\n"
        "  <eventParameters publicID=\"smi:local/fermat/catalogue\">\n";
    for (const WrittenEvent& event : out.events) {
        unlocated += !event.has_origin;
        texts.picks += writer.event_text(event);
    }
    texts.picks += "  </eventParameters>\n</q:quakeml>\n";
    std::map<std::string, std::string> codes;
    for (const WrittenStation& station : out.stations) {
        const StationCode code(station.name);
        const bool kept = code.network + "." + code.station == station.name;
        ++(kept ? dotted : code.station == station.name ? bare : marked);
        constexpr std::size_t most_letters = 8;  // of codes in the schema
        wide += std::max(code.network.size(), code.station.size()) > most_letters;
        const auto [at, is_new] = codes.emplace(code.network + "." + code.station, station.name);
        if (!is_new) {
            throw InputError(fmt::format("stations {} and {} would both be {} in '{}' (rename one)",
                                         in_quotes(at->second), in_quotes(station.name),
                                         in_quotes(at->first), path.string()));
        }
    }
    if (unlocated > 0) {
        notes.add(
            fmt::format("'{}': {} of {} events have no place or no origin time, and no origin",
                        path.string(), unlocated, out.events.size()));
    }
    if (bare > 0) {
        notes.add(fmt::format(
            "'{}': {} of {} stations have no network in their names (NET.STA) and get XX",
            path.string(), bare, out.stations.size()));
    }
    if (marked > 0) {
        notes.add(fmt::format(
            "'{}': {} of {} stations have their networks before '_', and are read as NET.STA",
            path.string(), marked, out.stations.size()));
    }
    if (wide > 0) {
        notes.add(fmt::format(
            "'{}': the codes of {} of {} stations have more than the 8 letters of QuakeML's schema "
            "(ObsPy reads them; rename them for others)",
            path.string(), wide, out.stations.size()));
    }
    if (writer.changed() > 0) {
        notes.add(
            fmt::format("'{}': the names of {} events have letters that QuakeML's ids cannot "
                        "hold, which became '_'",
                        path.string(), writer.changed()));
    }
    texts.stations = stations_text(out);
    return texts;
}

}  // namespace fermat
