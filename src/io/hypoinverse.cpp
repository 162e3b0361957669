// Phases of HYPO71 (Lee & Lahr 1975) and of HYPOINVERSE (Klein 2002), on cards.
#include <cctype>
#include <map>

#include "io/card_lines.hpp"
#include "io/format_table.hpp"

namespace fermat {
namespace {

/// Where a card has what, in columns from 0.
struct HypoColumns {
    std::size_t name_end;      ///< the station's letters start the card
    std::size_t date;          ///< of year, month, day, hour, minute
    std::size_t year_letters;  ///< 2 or 4
    std::size_t p_second;
    std::size_t p_weight;
    std::size_t p_remark;
    std::size_t s_second;
    std::size_t s_weight;
    std::size_t s_remark;
};
constexpr HypoColumns hypo71{4, 9, 2, 19, 7, 4, 31, 39, 36};
constexpr HypoColumns inverse{5, 17, 4, 29, 16, 13, 41, 49, 46};

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// Digits, with blanks for zeros before them; the last letter is a digit.
std::optional<int> whole(std::string_view card, std::size_t from, std::size_t count) {
    int value = 0;
    for (std::size_t n = from; n < from + count; ++n) {
        const char c = card_letter(card, n);
        if (!is_digit(c) && c != ' ') return std::nullopt;
        value = 10 * value + (c == ' ' ? 0 : c - '0');
    }
    if (!is_digit(card_letter(card, from + count - 1))) return std::nullopt;
    return value;
}

/// The minute of a card, in seconds since 1970; nothing if its date is none.
std::optional<double> minute_of(std::string_view card, const HypoColumns& at) {
    const auto year = whole(card, at.date, at.year_letters);
    const std::size_t rest = at.date + at.year_letters;
    const auto month = whole(card, rest, 2);
    const auto day = whole(card, rest + 2, 2);
    const auto hour = whole(card, rest + 4, 2);
    const auto minute = whole(card, rest + 6, 2);
    if (!year || !month || !day || !hour || !minute) return std::nullopt;
    const int full = at.year_letters == 4 ? *year : *year + (*year < 70 ? 2000 : 1900);
    return seconds_of(full, *month, *day, *hour, *minute, 0);
}

bool is_phase(std::string_view card, const HypoColumns& at) {
    return std::isalnum(static_cast<unsigned char>(card_letter(card, 0))) != 0 &&
           !card_field(card, 0, at.name_end).empty() && minute_of(card, at).has_value() &&
           card_number(card, at.p_second, at.p_second + 5).has_value();
}

/// Both begin with the station; HYPO71's P stands in the sixth column.
std::optional<HypoColumns> columns_of(std::string_view card) {
    const char p = card_letter(card, 5);
    if (is_phase(card, hypo71) && (p == 'P' || p == 'p' || p == ' ') && card.size() >= 24) {
        return hypo71;
    }
    if (is_phase(card, inverse) && card.size() >= 34) return inverse;
    return std::nullopt;
}

/// A summary card of HYPOINVERSE: the date and time, then the place, in degrees and minutes.
bool is_summary(std::string_view card) {
    for (std::size_t n = 0; n < 8; ++n) {
        if (!is_digit(card_letter(card, n))) return false;
    }
    const char east = card_letter(card, 26);
    return card.size() >= 36 && (east == ' ' || east == 'E' || east == 'W' || east == 'e') &&
           whole(card, 8, 4) && card_number(card, 16, 18) && card_number(card, 23, 26);
}

/// A number of Fortran's f4.2 and the like, whose point may be left out.
double fixed(const CardLines& lines, std::size_t from, std::size_t to, int decimals,
             std::string_view what) {
    const std::string_view field = card_field(lines.card, from, to);
    const double value = lines.number(from, to, what);
    const bool pointed = field.find('.') != std::string_view::npos;
    return pointed ? value : value * std::pow(10.0, -decimals);
}

NamedPlace summary_of(const CardLines& lines, std::size_t number) {
    const auto part = [&](std::size_t at, std::size_t count) {
        return whole(lines.card, at, count).value_or(-1);
    };
    const auto time = seconds_of(part(0, 4), part(4, 2), part(6, 2), part(8, 2), part(10, 2),
                                 fixed(lines, 12, 16, 2, "the second"));
    if (!time) lines.fail("there is no such date and time");
    double latitude = lines.number(16, 18, "the latitude") +
                      fixed(lines, 19, 23, 2, "the minutes of the latitude") / 60;
    double longitude = lines.number(23, 26, "the longitude") +
                       fixed(lines, 27, 31, 2, "the minutes of the longitude") / 60;
    if (card_letter(lines.card, 18) == 'S') latitude = -latitude;
    if (card_letter(lines.card, 26) != 'E' && card_letter(lines.card, 26) != 'e') {
        longitude = -longitude;
    }
    const std::string_view id = card_field(lines.card, 136, 146);
    NamedPlace out{id.empty() ? fmt::format("{}", number) : std::string(id),
                   {longitude, latitude, fixed(lines, 31, 36, 2, "the depth")},
                   *time};
    if (!card_field(lines.card, 147, 150).empty()) {
        out.magnitude = fixed(lines, 147, 150, 2, "the magnitude");
    }
    return out;
}

/// Calls `event` for each summary, `reading` for each card of a station and `end` behind an event.
template <class Event, class Reading, class End>
void read_cards(const TextFile& file, Event event, Reading reading, End end) {
    CardLines lines(file);
    std::optional<HypoColumns> at;
    while (lines.next()) {
        if (lines.card.starts_with('$')) continue;  // shadow cards repeat what is known
        if (trim(lines.card).empty() || card_letter(lines.card, 0) == ' ') {
            end();
            continue;
        }
        if (is_summary(lines.card)) {
            event(lines);
            continue;
        }
        if (!at) at = columns_of(lines.card);
        if (!at || !is_phase(lines.card, *at)) {
            lines.fail(
                fmt::format("{} is no card of a station (its name, P and its weight, the "
                            "date, hour and minute, and the second of P are in columns)",
                            in_quotes(trim(lines.card))));
        }
        reading(lines, *at);
    }
    end();
}

bool is_hypo(const TextFile& file) {
    CardLines lines(file);
    for (int looked_at = 0; looked_at < 3 && lines.next();) {
        if (trim(lines.card).empty() || lines.card.starts_with('$')) continue;
        ++looked_at;
        if (columns_of(lines.card)) return true;
        if (!is_summary(lines.card)) return false;
    }
    return false;
}

std::optional<PlaceTable> read_summaries(const TextFile& file, bool, Notes&) {
    PlaceTable table;
    table.geographic = table.has_dates = true;
    std::size_t number = 0;
    bool inside = false;
    read_cards(
        file,
        [&](const CardLines& lines) {
            table.rows.push_back(summary_of(lines, ++number));
            inside = true;
        },
        [&](const CardLines&, const HypoColumns&) {
            number += !inside;
            inside = true;
        },
        [&] { inside = false; });
    if (table.rows.empty()) return std::nullopt;
    return table;
}

void read_phases(const TextFile& file, PhaseRows& rows, Notes& notes) {
    constexpr double error_of_full_weight = 0.05;
    std::size_t number = 0;
    bool inside = false;
    bool two_letters = false;
    std::string id;
    read_cards(
        file,
        [&](const CardLines& lines) {
            id = summary_of(lines, ++number).id;
            inside = true;
        },
        [&](const CardLines& lines, const HypoColumns& at) {
            if (!inside) id = fmt::format("{}", ++number);
            inside = true;
            two_letters = two_letters || at.year_letters == 2;
            std::string station(card_field(lines.card, 0, at.name_end));
            const std::string_view network =
                at.year_letters == 4 ? card_field(lines.card, 5, 7) : "";
            if (!network.empty()) {
                const std::string both = fmt::format("{}.{}", network, station);
                if (rows.has_station(both)) station = both;
            }
            const double minute = *minute_of(lines.card, at);
            const auto add = [&](std::string_view phase, std::size_t second, std::size_t weight) {
                const char letter = card_letter(lines.card, weight);
                const int n = is_digit(letter) ? letter - '0' : 0;
                if (n >= 4) {
                    rows.leave_out(station);
                    return;
                }
                const double time = fixed(lines, second, second + 5, 2, "the second");
                // The first motion stands before the weight: IPU0.
                const char motion = phase == "P" ? card_letter(lines.card, weight - 1) : ' ';
                rows.add(id, station, phase, minute + time, std::ldexp(error_of_full_weight, n),
                         lines.where(), polarity_of(std::string_view(&motion, 1)));
            };
            const bool has_p = !card_field(lines.card, at.p_remark, at.p_remark + 3).empty() ||
                               lines.number(at.p_second, at.p_second + 5, "the second of P") != 0;
            const bool has_s = !card_field(lines.card, at.s_second, at.s_second + 5).empty() &&
                               (!card_field(lines.card, at.s_remark, at.s_remark + 2).empty() ||
                                lines.number(at.s_second, at.s_second + 5, "the second of S") != 0);
            if (has_p) add("P", at.p_second, at.p_weight);
            if (has_s) add("S", at.s_second, at.s_weight);
        },
        [&] { inside = false; });
    notes.add(fmt::format("{}: the weights 0, 1, 2, 3 became errors of 0.05, 0.1, 0.2, 0.4 s{}",
                          file.quoted(),
                          two_letters ? "; years have two digits and are from 1970 to 2069" : ""));
}

/// A station of HYPOINVERSE: name, network, component, degrees and minutes with N, S, E, W,
/// elevation in m. Longitudes without a letter are west.
bool is_station(std::string_view card) {
    const char north = card_letter(card, 25);
    const char east = card_letter(card, 37);
    return card.size() >= 38 && std::isalnum(static_cast<unsigned char>(card_letter(card, 0))) &&
           whole(card, 15, 2) && whole(card, 26, 3) &&
           (north == 'N' || north == 'S' || north == ' ') &&
           (east == 'E' || east == 'W' || east == ' ') && card_number(card, 18, 25) &&
           card_field(card, 18, 25).find('.') != std::string_view::npos &&
           card_number(card, 30, 37) && card_letter(card, 5) == ' ';
}

PlaceTable read_inverse_stations(const TextFile& file, Notes&) {
    CardLines lines(file);
    PlaceTable table;
    table.geographic = true;
    std::map<std::string, Vec3> seen;
    while (lines.next()) {
        if (trim(lines.card).empty()) continue;
        if (!is_station(lines.card)) lines.fail("the card is none of a station");
        double latitude = *whole(lines.card, 15, 2) + lines.number(18, 25, "the minutes") / 60;
        double longitude = *whole(lines.card, 26, 3) + lines.number(30, 37, "the minutes") / 60;
        if (card_letter(lines.card, 25) == 'S') latitude = -latitude;
        if (card_letter(lines.card, 37) != 'E') longitude = -longitude;
        const Vec3 place{longitude, latitude, 0.0 - lines.number(38, 42, "the elevation") / 1000};
        const std::string name(card_field(lines.card, 0, 5));
        const auto [entry, is_new] = seen.emplace(name, place);
        // Components of a station have cards of their own.
        if (is_new) table.rows.push_back({name, place});
        if (!is_new && !(entry->second == place)) {
            lines.fail(fmt::format("station {} has two places (must have one)", in_quotes(name)));
        }
    }
    return table;
}

}  // namespace

const CatalogueReader hypo_catalogue{is_hypo, read_phases, read_summaries, nullptr, true};

const PlaceReader hypoinverse_stations{[](const TextFile& file) {
                                           CardLines lines(file);
                                           return lines.next() && is_station(lines.card);
                                       },
                                       read_inverse_stations};

const PlaceReader hypoinverse_events{
    [](const TextFile& file) {
        CardLines lines(file);
        return lines.next() && lines.card.size() >= 100 && is_summary(lines.card);
    },
    [](const TextFile& file, Notes& notes) {
        return read_summaries(file, false, notes).value_or(PlaceTable{});
    }};

}  // namespace fermat
