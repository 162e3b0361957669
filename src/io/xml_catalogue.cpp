// QuakeML 1.2 (BED), SeisComP's SCML and the stations of both: StationXML and SCML's inventory.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <map>
#include <set>

#include "core/error.hpp"
#include "io/clock.hpp"
#include "io/format_table.hpp"
#include "io/xml.hpp"
#include "survey/settle.hpp"

namespace fermat {
namespace {

constexpr std::size_t most_elements = 20'000'000;

std::string_view local_name(std::string_view name) {
    const std::size_t colon = name.find(':');
    return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

const XmlElement* child_of(const XmlElement& parent, std::string_view name) {
    for (const XmlElement& one : parent.children) {
        if (local_name(one.name) == name) return &one;
    }
    return nullptr;
}

/// The text of a child, without the blanks and the ends of lines round it.
std::string text_of(const XmlElement& parent, std::string_view name) {
    const XmlElement* const found = child_of(parent, name);
    if (found == nullptr) return {};
    constexpr std::string_view blanks = " \t\r\n";
    const std::size_t first = found->text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return std::string(found->text.substr(first, found->text.find_last_not_of(blanks) - first + 1));
}

/// The text behind the five entities of XML.
std::string plain(std::string_view text) {
    constexpr std::array<std::pair<std::string_view, char>, 5> entities = {
        {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}}};
    std::string out;
    while (!text.empty()) {
        const auto found = std::find_if(entities.begin(), entities.end(), [&](const auto& one) {
            return text.starts_with(one.first);
        });
        out += found == entities.end() ? text.front() : found->second;
        text.remove_prefix(found == entities.end() ? 1 : found->first.size());
    }
    return out;
}

std::string attribute(const XmlElement& element, std::string_view key) {
    return plain(element.attribute(key).value_or(""));
}

/// The number of a child, or of its `value`; NaN if there is none. Throws for other texts.
double number_of(const XmlElement& parent, std::string_view name) {
    const XmlElement* const found = child_of(parent, name);
    if (found == nullptr) return std::numeric_limits<double>::quiet_NaN();
    const bool deep = child_of(*found, "value") != nullptr;
    const std::string text = deep ? text_of(*found, "value") : text_of(parent, name);
    const auto value = parse_number(text);
    if (value && std::isfinite(*value)) return *value;
    throw InputError(fmt::format("{} is {} (must be a number)", name, in_quotes(text)));
}

double time_of(const XmlElement& parent) {
    const XmlElement* const found = child_of(parent, "time");
    const std::string text = found == nullptr ? "" : text_of(*found, "value");
    const auto time = parse_clock(text);
    if (time) return *time;
    throw InputError(fmt::format("a time is {} (must be a date such as 2018-11-30T17:29:35.11Z)",
                                 in_quotes(text)));
}

struct XmlPick {
    std::string network{};
    std::string station{};
    std::string phase{};
    double time = 0;
    double error = missing_error;
    Polarity polarity = 0;
};

struct XmlOrigin {
    NamedPlace place{};
    std::vector<std::pair<std::string, std::string>> arrivals{};  ///< pick and phase
};

struct XmlEvent {
    std::string id{};
    std::vector<std::string> picks{};
    std::map<std::string, std::string> phases{};  ///< of picks, where an origin tells them
    NamedPlace place{};
    bool placed = false;
};

/// What is in such a file. SCML has picks and origins beside the events, QuakeML inside them.
class XmlCatalogue {
  public:
    explicit XmlCatalogue(const TextFile& file) : file_(file) {
        try {
            const XmlDocument document = parse_xml(file.text(), "", most_elements);
            const bool scml = local_name(document.root.name) == "seiscomp";
            metres_ = scml ? 1000 : 1;
            const XmlElement* const all =
                child_of(document.root, scml ? "EventParameters" : "eventParameters");
            if (all == nullptr) throw InputError("has no events");
            gather(*all);
            for (const XmlElement& event : all->children) {
                if (local_name(event.name) == "event") add_event(event);
            }
        } catch (const InputError& error) {
            throw InputError(fmt::format("{}: {}", file.quoted(), error.what()));
        }
        shorten_ids();
    }

    std::vector<XmlEvent> events{};
    std::map<std::string, XmlPick> picks{};

  private:
    void gather(const XmlElement& parent) {
        for (const XmlElement& one : parent.children) {
            const std::string_view name = local_name(one.name);
            if (name == "pick") add_pick(one);
            if (name == "origin") add_origin(one);
            if (name == "magnitude") add_magnitude(one);
        }
    }

    void add_pick(const XmlElement& element) {
        XmlPick pick;
        pick.time = time_of(element);
        const XmlElement* const time = child_of(element, "time");
        if (child_of(*time, "uncertainty") != nullptr) {
            const double error = number_of(*time, "uncertainty");
            if (error > 0) pick.error = error;
        }
        pick.phase = text_of(element, "phaseHint");
        pick.polarity = polarity_of(text_of(element, "polarity"));
        if (const XmlElement* const stream = child_of(element, "waveformID")) {
            pick.network = attribute(*stream, "networkCode");
            pick.station = attribute(*stream, "stationCode");
        }
        picks[attribute(element, "publicID")] = std::move(pick);
    }

    void add_origin(const XmlElement& element) {
        XmlOrigin origin;
        origin.place.time = time_of(element);
        const double depth = number_of(element, "depth");
        // QuakeML has m and SCML km.
        origin.place.place = {number_of(element, "longitude"), number_of(element, "latitude"),
                              std::isnan(depth) ? 0.0 : depth * metres_ / 1000};
        for (const XmlElement& one : element.children) {
            if (local_name(one.name) == "arrival") {
                origin.arrivals.emplace_back(text_of(one, "pickID"), text_of(one, "phase"));
            }
            if (local_name(one.name) == "magnitude") add_magnitude(one);
        }
        origins_[attribute(element, "publicID")] = std::move(origin);
    }

    void add_magnitude(const XmlElement& element) {
        const double of_quakeml = number_of(element, "mag");
        magnitudes_[attribute(element, "publicID")] =
            std::isnan(of_quakeml) ? number_of(element, "magnitude") : of_quakeml;
    }

    void add_event(const XmlElement& element) {
        XmlEvent event;
        event.id = attribute(element, "publicID");
        gather(element);
        std::string preferred = text_of(element, "preferredOriginID");
        std::set<std::string> own;
        for (const XmlElement& one : element.children) {
            const std::string_view name = local_name(one.name);
            if (name == "pick" && own.insert(attribute(one, "publicID")).second) {
                event.picks.push_back(attribute(one, "publicID"));
            }
            if (preferred.empty() && name == "origin") preferred = attribute(one, "publicID");
            if (preferred.empty() && name == "originReference") {
                preferred = text_of(element, "originReference");
            }
        }
        const auto origin = origins_.find(preferred);
        if (origin != origins_.end()) {
            event.place = origin->second.place;
            event.placed = true;
            for (const auto& [pick, phase] : origin->second.arrivals) {
                if (own.insert(pick).second) event.picks.push_back(pick);
                if (!phase.empty()) event.phases[pick] = phase;
            }
        }
        const auto magnitude = magnitudes_.find(text_of(element, "preferredMagnitudeID"));
        if (magnitude != magnitudes_.end()) event.place.magnitude = magnitude->second;
        events.push_back(std::move(event));
    }

    /// "7" of "smi:local/event/7", where that still tells events apart.
    void shorten_ids() {
        const auto tail = [](const std::string& id) { return id.substr(id.find_last_of('/') + 1); };
        std::map<std::string, int> seen;
        for (const XmlEvent& event : events) ++seen[tail(event.id)];
        for (XmlEvent& event : events) {
            const std::string kept = tail(event.id);
            if (!kept.empty() && seen[kept] == 1) event.id = kept;
            event.place.id = event.id;
        }
    }

    TextFile file_;
    double metres_ = 1;
    std::map<std::string, XmlOrigin> origins_{};
    std::map<std::string, double> magnitudes_{};
};

bool has_root(const TextFile& file, std::initializer_list<std::string_view> marks) {
    if (!file.first_line(true).starts_with('<')) return false;
    constexpr std::size_t looked_at = 4000;
    const std::string_view head = std::string_view(file.text()).substr(0, looked_at);
    return std::any_of(marks.begin(), marks.end(), [&](std::string_view mark) {
        return head.find(mark) != std::string_view::npos;
    });
}

bool is_catalogue(const TextFile& file) {
    return has_root(file, {"eventParameters", "EventParameters"});
}

/// NET.STA, or STA where the stations are named so.
std::string name_among(const PhaseRows& rows, const XmlPick& pick) {
    const std::string both = pick.network + "." + pick.station;
    if (pick.network.empty()) return pick.station;
    return !rows.has_station(both) && rows.has_station(pick.station) ? pick.station : both;
}

void read_picks(const TextFile& file, PhaseRows& rows, Notes& notes) {
    const XmlCatalogue all(file);
    std::size_t missing = 0;
    for (const XmlEvent& event : all.events) {
        for (const std::string& id : event.picks) {
            const auto found = all.picks.find(id);
            if (found == all.picks.end()) {
                ++missing;
                continue;
            }
            const XmlPick& pick = found->second;
            const auto told = event.phases.find(id);
            rows.add(event.id, name_among(rows, pick),
                     told == event.phases.end() ? pick.phase : told->second, pick.time, pick.error,
                     fmt::format("{} pick {}: ", file.quoted(), in_quotes(id)), pick.polarity);
        }
    }
    if (missing > 0) {
        notes.add(fmt::format("{}: {} arrivals name picks that are not in it, and are left out",
                              file.quoted(), missing));
    }
}

PlaceTable read_hypocentres_of(const TextFile& file) {
    PlaceTable table;
    table.geographic = table.has_dates = true;
    for (const XmlEvent& event : XmlCatalogue(file).events) {
        const bool known = event.placed && std::isfinite(event.place.place.x) &&
                           std::isfinite(event.place.place.y);
        if (known) table.rows.push_back(event.place);
    }
    return table;
}

/// Networks of StationXML or of SCML's inventory.
PlaceTable read_stations(const TextFile& file, Notes& notes) {
    PlaceTable table;
    table.geographic = true;
    std::map<std::string, Vec3> seen;
    std::size_t moved = 0;
    try {
        const XmlDocument document = parse_xml(file.text(), "", most_elements);
        const bool scml = local_name(document.root.name) == "seiscomp";
        const XmlElement* const all = scml ? child_of(document.root, "Inventory") : &document.root;
        if (all == nullptr) throw InputError("has no Inventory");
        for (const XmlElement& network : all->children) {
            if (local_name(network.name) != (scml ? "network" : "Network")) continue;
            for (const XmlElement& station : network.children) {
                if (local_name(station.name) != (scml ? "station" : "Station")) continue;
                const std::string name =
                    attribute(network, "code") + "." + attribute(station, "code");
                const double height = number_of(station, scml ? "elevation" : "Elevation");
                const Vec3 place{number_of(station, scml ? "longitude" : "Longitude"),
                                 number_of(station, scml ? "latitude" : "Latitude"),
                                 std::isnan(height) ? 0.0 : 0.0 - height / 1000};
                if (!is_finite(place)) {
                    throw InputError(
                        fmt::format("station {} has no latitude or longitude", in_quotes(name)));
                }
                const auto [entry, is_new] = seen.emplace(name, place);
                moved += !is_new && !(entry->second == place);
                if (is_new) table.rows.push_back({name, place});
            }
        }
    } catch (const InputError& error) {
        throw InputError(fmt::format("{}: {}", file.quoted(), error.what()));
    }
    if (table.rows.empty()) throw InputError(file.quoted() + " has no stations");
    if (moved > 0) {
        notes.add(
            fmt::format("{}: {} stations stood elsewhere at other times; the first place of "
                        "each is taken",
                        file.quoted(), moved));
    }
    return table;
}

}  // namespace

const CatalogueReader xml_catalogue{
    is_catalogue, read_picks,
    [](const TextFile& file, bool, Notes&) -> std::optional<PlaceTable> {
        PlaceTable found = read_hypocentres_of(file);
        if (found.rows.empty()) return std::nullopt;
        return found;
    },
    nullptr, true};

const PlaceReader xml_stations{[](const TextFile& file) {
                                   return has_root(file, {"FDSNStationXML", "<Inventory"});
                               },
                               read_stations};

const PlaceReader xml_events{
    is_catalogue, [](const TextFile& file, Notes& notes) {
        PlaceTable found = read_hypocentres_of(file);
        if (found.rows.empty()) {
            notes.add(fmt::format("{}: no event has an origin", file.quoted()));
        }
        return found;
    }};

}  // namespace fermat
