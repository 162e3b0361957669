// Phases and stations on cards, as VELEST and SIMULPS read them; phase_cards.hpp has the columns.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "core/error.hpp"
#include "io/date_parts.hpp"
#include "io/text.hpp"
#include "io/written_catalogue.hpp"

namespace fermat {
namespace {

namespace fs = std::filesystem;

/// A number in columns of a fixed width.
std::string fixed(double value, std::size_t width, int decimals, std::string_view what) {
    std::string text = fmt::format("{:{}.{}f}", value, width, decimals);
    if (text.size() > width) {
        throw InputError(
            fmt::format("{} is {:g} and does not fit into {} columns", what, value, width));
    }
    return text;
}

/// The weight from 0 to 3 whose error is nearest: 0.05, 0.1, 0.2 or 0.4 s.
int weight_of(double error) {
    constexpr int worst = 3;
    return std::clamp(static_cast<int>(std::lround(std::log2(error / best_error))), 0, worst);
}

/// Errors become weights; told with the number of those that change.
class Weights {
  public:
    explicit Weights(const WrittenCatalogue& out) : out_(out) {}

    int of(std::int32_t pick) {
        ++picks_;
        const double error = out_.arrival(pick).error;
        if (!out_.survey.has_errors || !(error > 0)) return 0;
        const int weight = weight_of(error);
        constexpr double share = 0.005;
        changed_ += std::abs(std::ldexp(best_error, weight) - error) > share * error;
        return weight;
    }
    void tell(const fs::path& path, Notes& notes) const {
        if (!out_.survey.has_errors) {
            notes.add(fmt::format("'{}': {} picks have no errors and get the weight 0 (0.05 s)",
                                  path.string(), picks_));
        } else {
            notes.add(fmt::format(
                "'{}': errors became the weights 0, 1, 2, 3 of 0.05, 0.1, 0.2, 0.4 s; {} of {} "
                "changed",
                path.string(), changed_, picks_));
        }
    }

  private:
    const WrittenCatalogue& out_;
    std::size_t picks_ = 0;
    std::size_t changed_ = 0;
};

/// Date and time of day as both formats have them, up to column 17.
std::string date_card(double origin) {
    const DateParts at = date_parts(origin, 2);
    return fmt::format("{:02}{:02}{:02} {:02}{:02} {:05.2f}", at.year % 100, at.month, at.day,
                       at.hour, at.minute, at.second);
}

/// Degrees, a letter and minutes to a hundredth.
struct Minutes {
    int degrees;
    double minutes;
    char letter;

    Minutes(double angle, char positive, char negative) : letter(angle < 0 ? negative : positive) {
        const auto hundredths = std::lround(std::abs(angle) * 6000);
        degrees = static_cast<int>(hundredths / 6000);
        minutes = static_cast<double>(hundredths % 6000) / 100;
    }
};

void add_readings(std::string& text, const std::vector<std::string>& readings) {
    constexpr std::size_t per_line = 6;
    for (std::size_t n = 0; n < readings.size(); ++n) {
        text += readings[n];
        if (n % per_line == per_line - 1 || n + 1 == readings.size()) text += '\n';
    }
}

std::string event_label(const WrittenEvent& event) {
    return fmt::format("of event {}", in_quotes(event.id));
}

/// Depth and magnitude, (2f7.2).
std::string depth_card(const WrittenEvent& event) {
    return fixed(event.depth, 7, 2, "the depth " + event_label(event)) +
           fixed(shown_magnitude(event), 7, 2, "the magnitude " + event_label(event));
}

FormatNeeds card_needs(std::string_view shown, std::size_t letters) {
    FormatNeeds needs;
    needs.shown = shown;
    needs.name_letters = letters;
    needs.short_years = true;
    return needs;
}

}  // namespace

CatalogueTexts velest_texts(const fs::path& path, const WrittenPicks& picks, Notes& notes) {
    const Survey& survey = picks.file.picks;
    const bool wide = std::any_of(survey.stations.begin(), survey.stations.end(),
                                  [&](const auto& s) { return name_of(survey, s).size() > 4; });
    const std::size_t letters = wide ? 6 : 4;
    const WrittenCatalogue out = prepared(path, picks, card_needs("VELEST", letters), notes);
    note_losses(path, out, true, notes);
    note_lost_polarities(path, out, notes);
    CatalogueTexts texts;
    Weights weights(out);
    for (const WrittenEvent& event : out.events) {
        texts.picks += fmt::format("{} {:7.4f}{} {:8.4f}{}{}", date_card(event.origin),
                                   std::abs(event.at.latitude), event.at.latitude < 0 ? 'S' : 'N',
                                   std::abs(event.at.longitude), event.at.longitude < 0 ? 'W' : 'E',
                                   depth_card(event));
        if (event.found != nullptr && std::isfinite(event.found->gap) &&
            std::isfinite(event.found->rms)) {
            texts.picks += fmt::format("    {:3.0f}     {:5.2f}", event.found->gap,
                                       std::min(event.found->rms, 99.99));
        }
        texts.picks += '\n';
        std::vector<std::string> readings;
        for (const std::int32_t pick : event.picks) {
            readings.push_back(fmt::format(
                "{:<{}}{}{}{}", out.station_of(pick).name, letters,
                name_of(out.arrival(pick).phase), weights.of(pick),
                fixed(out.travel_time(pick), 6, 2, "a time of travel " + event_label(event))));
        }
        add_readings(texts.picks, readings);
        texts.picks += '\n';
    }
    weights.tell(path, notes);
    notes.add(fmt::format(
        "'{}': times are held to 0.01 s, places to 0.0001 degrees and 0.01 km, heights to 1 m{}",
        path.string(), wide ? "; names have 6 columns (a6), which VELEST as it was has not" : ""));
    texts.stations =
        fmt::format("(a{},f7.4,a1,1x,f8.4,a1,1x,i4,1x,i1,1x,i3,1x,f5.2,2x,f5.2)\n", letters);
    for (std::size_t n = 0; n < out.stations.size(); ++n) {
        const WrittenStation& station = out.stations[n];
        texts.stations +=
            fmt::format("{:<{}}{:7.4f}{} {:8.4f}{} {} 1 {:3}  0.00   0.00\n", station.name, letters,
                        std::abs(station.at.latitude), station.at.latitude < 0 ? 'S' : 'N',
                        std::abs(station.at.longitude), station.at.longitude < 0 ? 'W' : 'E',
                        fixed(1000 * station.height, 4, 0,
                              fmt::format("the elevation of station {}", in_quotes(station.name))),
                        n + 1);
    }
    texts.stations += '\n';
    return texts;
}

CatalogueTexts simulps_texts(const fs::path& path, const WrittenPicks& picks, Notes& notes) {
    const WrittenCatalogue out = prepared(path, picks, card_needs("SIMULPS", 4), notes);
    note_losses(path, out, true, notes);
    CatalogueTexts texts;
    Weights weights(out);
    std::size_t lonely = 0;
    for (const WrittenEvent& event : out.events) {
        const Minutes north(event.at.latitude, 'N', 'S');
        const Minutes west(event.at.longitude, 'E', 'W');
        texts.picks += fmt::format("{}{:3}{}{:5.2f} {:3}{}{:5.2f}{}\n", date_card(event.origin),
                                   north.degrees, north.letter, north.minutes, west.degrees,
                                   west.letter, west.minutes, depth_card(event));
        std::map<std::int32_t, double> p_times;  // as they are written
        for (const std::int32_t pick : event.picks) {
            if (out.arrival(pick).phase == Phase::P) {
                p_times.try_emplace(out.arrival(pick).station,
                                    std::round(100 * out.travel_time(pick)) / 100);
            }
        }
        std::vector<std::string> readings;
        for (const std::int32_t pick : event.picks) {
            double time = out.travel_time(pick);
            const bool is_s = out.arrival(pick).phase == Phase::S;
            if (is_s) {
                const auto p = p_times.find(out.arrival(pick).station);
                if (p == p_times.end()) {
                    ++lonely;
                    continue;
                }
                time -= p->second;
            }
            readings.push_back(fmt::format(
                "{:<4} {}{}{}{}", out.station_of(pick).name, is_s ? 'S' : 'P',
                is_s                      ? 'P'
                : out.polarity(pick) == 0 ? ' '
                                          : motion_letter(out.polarity(pick)),
                weights.of(pick), fixed(time, 6, 2, "a time of travel " + event_label(event))));
        }
        add_readings(texts.picks, readings);
        texts.picks += "0\n";
    }
    if (lonely > 0) {
        notes.add(fmt::format(
            "'{}': {} of {} picks are left out: S without P at its station (SIMULPS has S minus P)",
            path.string(), lonely, out.survey.arrivals.size()));
    }
    weights.tell(path, notes);
    notes.add(fmt::format(
        "'{}': times are held to 0.01 s, places to 0.01 minutes (18 m) and 0.01 km, heights to 1 m",
        path.string()));
    const GeoPoint centre = out.plane->to_geographic({0, 0});
    const auto minutes_of = [](double angle) { return 60 * (angle - std::trunc(angle)); };
    texts.stations =
        fmt::format("{:.0f} {:.4f} {:.0f} {:.4f} 0.00 0\n{}\n", std::trunc(centre.latitude),
                    minutes_of(centre.latitude), std::trunc(-centre.longitude),
                    minutes_of(-centre.longitude), out.stations.size());
    for (const WrittenStation& station : out.stations) {
        const Minutes north(station.at.latitude, 'N', 'S');
        const Minutes west(station.at.longitude, 'E', 'W');
        texts.stations += fmt::format(
            "  {:<4}{:2}{}{:5.2f}{:4}{}{:5.2f}{} 0.00 0.00  1\n", station.name, north.degrees,
            north.letter, north.minutes, west.degrees, west.letter, west.minutes,
            fixed(1000 * station.height, 5, 0,
                  fmt::format("the elevation of station {}", in_quotes(station.name))));
    }
    return texts;
}

}  // namespace fermat
