#include "io/phase_cards.hpp"
#include "io/format_table.hpp"

#include <array>
#include <cctype>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "io/card_lines.hpp"

namespace fermat {
namespace {

namespace fs = std::filesystem;

bool is_one_of(char letter, std::string_view letters) {
    return letters.find(letter) != std::string_view::npos;
}

/// A blank card, or one of "0" or "9999", ends an event or the file.
bool is_end(std::string_view card) {
    const std::string_view shown = trim(card);
    return shown.empty() || shown == "0" || shown == "9999";
}

bool has_date(std::string_view card) {
    for (const std::size_t n : {0U, 2U, 4U, 7U, 9U}) {
        const auto part = card_number(card, n, n + 2);
        if (!part || !std::isdigit(static_cast<unsigned char>(card_letter(card, n + 1)))) {
            return false;
        }
    }
    return card_number(card, 12, 17).has_value() && card_letter(card, 6) == ' ';
}

bool is_velest_event(std::string_view card) {
    return card.size() >= 36 && has_date(card) && is_one_of(card_letter(card, 25), "NSns") &&
           is_one_of(card_letter(card, 35), "EWew") && card_number(card, 18, 25) &&
           card_number(card, 27, 35);
}

bool is_simulps_event(std::string_view card) {
    return card.size() >= 36 && has_date(card) && is_one_of(card_letter(card, 20), " NSns") &&
           is_one_of(card_letter(card, 30), " EWew") && card_number(card, 17, 20) &&
           card_number(card, 21, 26) && card_number(card, 27, 30) && card_number(card, 31, 36);
}

bool is_event(std::string_view card, PhaseCards kind) {
    return kind == PhaseCards::velest ? is_velest_event(card) : is_simulps_event(card);
}

NamedPlace event_of(const CardLines& lines, PhaseCards kind, std::size_t number) {
    const auto whole = [&](std::size_t at, std::string_view what) {
        return static_cast<int>(lines.number(at, at + 2, what));
    };
    const int year = whole(0, "the year");
    const auto time = seconds_of(year + (year < 70 ? 2000 : 1900), whole(2, "the month"),
                                 whole(4, "the day"), whole(7, "the hour"), whole(9, "the minute"),
                                 lines.number(12, 17, "the second"));
    if (!time) lines.fail("there is no such date and time");
    double latitude = 0;
    double longitude = 0;
    if (kind == PhaseCards::velest) {
        latitude = lines.number(18, 25, "the latitude");
        longitude = lines.number(27, 35, "the longitude");
        if (is_one_of(card_letter(lines.card, 25), "Ss")) latitude = -latitude;
        if (is_one_of(card_letter(lines.card, 35), "Ww")) longitude = -longitude;
    } else {
        latitude = lines.number(17, 20, "the latitude") + lines.number(21, 26, "its minutes") / 60;
        longitude =
            lines.number(27, 30, "the longitude") + lines.number(31, 36, "its minutes") / 60;
        if (is_one_of(card_letter(lines.card, 20), "Ss")) latitude = -latitude;
        if (!is_one_of(card_letter(lines.card, 30), "Ee")) longitude = -longitude;
    }
    return {fmt::format("{}", number),
            {longitude, latitude, lines.number(36, 43, "the depth")},
            *time,
            lines.number(43, 50, "the magnitude")};
}

/// Where a reading has what, in columns from its first.
struct ReadingColumns {
    std::size_t width;
    std::size_t name;  ///< letters of the station
    std::size_t phase;
    std::size_t weight;
    std::size_t time;
};
constexpr std::array<ReadingColumns, 2> velest_columns = {{{12, 4, 4, 5, 6}, {14, 6, 6, 7, 8}}};
constexpr std::array<ReadingColumns, 3> simulps_columns = {
    {{14, 4, 5, 7, 8}, {15, 4, 5, 7, 8}, {12, 4, 4, 5, 6}}};

struct CardReading {
    std::string station;
    char phase = ' ';
    int weight = 0;
    double time = 0;
    Polarity polarity = 0;
};

/// The readings of a card; nothing if it does not have these columns.
std::optional<std::vector<CardReading>> readings_of(std::string_view card,
                                                    const ReadingColumns& at) {
    std::vector<CardReading> out;
    for (std::size_t first = 0; first < card.size(); first += at.width) {
        const std::string_view group = card.substr(first, at.width);
        if (is_end(group)) continue;
        const char weight = card_letter(group, at.weight);
        const auto time = card_number(group, at.time, at.width);
        const char phase = card_letter(group, at.phase);
        const bool good = (std::isalpha(static_cast<unsigned char>(phase)) || phase == '-') &&
                          (weight == ' ' || std::isdigit(static_cast<unsigned char>(weight))) &&
                          time && !card_field(group, at.time, at.width).empty() &&
                          !card_field(group, 0, at.name).empty();
        if (!good) return std::nullopt;
        out.push_back({std::string(card_field(group, 0, at.name)), phase,
                       weight == ' ' ? 0 : weight - '0', *time,
                       polarity_of(group.substr(at.phase + 1, at.weight - at.phase - 1))});
    }
    return out;
}

/// Finds the columns at the first card of readings; all others must have them too.
class ReadingCards {
  public:
    explicit ReadingCards(PhaseCards kind) : kind_(kind) {}

    std::vector<CardReading> read(const CardLines& lines) {
        const auto try_all = [&](const auto& choices) {
            for (const ReadingColumns& choice : choices) {
                if (at_ != nullptr || !readings_of(lines.card, choice)) continue;
                at_ = &choice;
            }
        };
        if (kind_ == PhaseCards::velest) {
            try_all(velest_columns);
        } else {
            try_all(simulps_columns);
        }
        auto found = at_ == nullptr ? std::nullopt : readings_of(lines.card, *at_);
        if (found) return std::move(*found);
        lines.fail(kind_ == PhaseCards::velest
                       ? "no readings are here (must be station, phase, weight and time as "
                         "a4,a1,i1,f6.2 or a6,a1,i1,f6.2)"
                       : "no readings are here (must be station, remark and time as a4,a4,f6.2 or "
                         "a4,a4,f7.4, or a4,a1,i1,f6.2)");
    }

  private:
    PhaseCards kind_;
    const ReadingColumns* at_ = nullptr;
};

/// Times of S minus P: all of S in SIMULPS, and the phase '-' that VELEST writes.
bool is_difference(char phase, PhaseCards kind) {
    return phase == '-' || (kind == PhaseCards::simulps && (phase == 'S' || phase == 's'));
}

/// Hands the readings of an event on.
class EventReadings {
  public:
    EventReadings(PhaseCards kind, PhaseRows& rows) : kind_(kind), rows_(rows) {}

    void add(const NamedPlace& event, const std::vector<std::pair<CardReading, std::string>>& all) {
        std::map<std::string, double> p_times;
        for (const auto& [reading, where] : all) {
            if (reading.phase == 'P' || reading.phase == 'p') {
                p_times.try_emplace(reading.station, reading.time);
            }
        }
        for (const auto& [reading, where] : all) {
            double time = reading.time;
            constexpr int least_unused = 4;
            if (reading.weight >= least_unused) {
                rows_.leave_out(reading.station);
                continue;
            }
            const bool difference = is_difference(reading.phase, kind_);
            if (difference) {
                const auto p = p_times.find(reading.station);
                if (p == p_times.end()) {
                    ++without_p;
                    continue;
                }
                time += p->second;
            }
            constexpr double best_error = 0.05;
            rows_.add(event.id, reading.station,
                      difference ? std::string_view("S") : std::string_view(&reading.phase, 1),
                      event.time + time, best_error * (1 << reading.weight), where,
                      reading.polarity);
        }
    }
    std::size_t without_p = 0;

  private:
    PhaseCards kind_;
    PhaseRows& rows_;
};

}  // namespace

std::optional<PhaseCards> phase_cards_of(const TextFile& file) {
    CardLines lines(file);
    while (lines.next()) {
        if (is_end(lines.card)) continue;
        if (is_velest_event(lines.card)) return PhaseCards::velest;
        if (is_simulps_event(lines.card)) return PhaseCards::simulps;
        return std::nullopt;
    }
    return std::nullopt;
}

PlaceTable read_card_events(const TextFile& file, PhaseCards kind, Notes& notes) {
    CardLines lines(file);
    PlaceTable table;
    table.geographic = table.has_dates = true;
    bool expected = true;
    while (lines.next()) {
        if (is_end(lines.card)) {
            expected = true;
        } else if (is_event(lines.card, kind)) {
            table.rows.push_back(event_of(lines, kind, table.rows.size() + 1));
            expected = false;
        } else if (expected) {
            lines.fail("an event's card must stand here (date, time, latitude, longitude, depth)");
        }
    }
    notes.add(fmt::format(
        "{}: years have two digits and are from 1970 to 2069; the weights 0, 1, 2, 3 became errors "
        "of 0.05, 0.1, 0.2, 0.4 s",
        lines.quoted()));
    return table;
}

void read_card_phases(const TextFile& file, PhaseCards kind, PhaseRows& rows, Notes& notes) {
    CardLines lines(file);
    ReadingCards cards(kind);
    EventReadings readings(kind, rows);
    std::size_t events = 0;
    std::optional<NamedPlace> event;
    std::vector<std::pair<CardReading, std::string>> all;
    const auto end_event = [&] {
        if (event) readings.add(*event, all);
        event.reset();
        all.clear();
    };
    while (lines.next()) {
        if (is_end(lines.card)) {
            end_event();
        } else if (is_event(lines.card, kind)) {
            end_event();
            event = event_of(lines, kind, ++events);
        } else if (!event) {
            lines.fail("readings come before their event's card");
        } else {
            for (CardReading& reading : cards.read(lines)) {
                all.emplace_back(std::move(reading), lines.where());
            }
        }
    }
    end_event();
    if (readings.without_p > 0) {
        notes.add(fmt::format("{}: {} times S minus P have no P at their station and are left out",
                              lines.quoted(), readings.without_p));
    }
}

namespace {

template <PhaseCards kind>
constexpr CatalogueReader reader_of_cards{
    [](const TextFile& file) { return phase_cards_of(file) == kind; },
    [](const TextFile& file, PhaseRows& rows, Notes& notes) {
        read_card_phases(file, kind, rows, notes);
    },
    [](const TextFile& file, bool, Notes& notes) {
        return std::optional(read_card_events(file, kind, notes));
    },
    nullptr, true};

}  // namespace

const CatalogueReader velest_catalogue = reader_of_cards<PhaseCards::velest>;
const CatalogueReader simulps_catalogue = reader_of_cards<PhaseCards::simulps>;

}  // namespace fermat
