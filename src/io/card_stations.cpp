#include <charconv>
#include <map>

#include "io/card_lines.hpp"
#include "io/format_table.hpp"
#include "io/phase_cards.hpp"

namespace fermat {
namespace {

namespace fs = std::filesystem;

/// Adds a station unless it repeats one; two places of one name are refused.
void add_station(PlaceTable& table, std::map<std::string, std::size_t>& seen, NamedPlace row,
                 const CardLines& lines) {
    if (row.id.empty()) lines.fail("the station has no name");
    const auto [at, is_new] = seen.emplace(row.id, table.rows.size());
    if (!is_new && table.rows[at->second].place != row.place) {
        lines.fail(fmt::format("station {} has two places (must have one)", in_quotes(row.id)));
    }
    if (is_new) table.rows.push_back(std::move(row));
}

/// Letters of the name in "(a4,f7.4,...": 4 or 6 as a rule.
std::size_t name_width(const CardLines& lines) {
    const std::string_view format = trim(lines.card);
    std::size_t width = 0;
    if (format.size() > 3 && (format[1] == 'a' || format[1] == 'A')) {
        std::from_chars(format.data() + 2, format.data() + format.size(), width);
    }
    if (width < 1 || width > 20) {
        lines.fail(fmt::format("the format is {} (must start with the name's, as (a4,f7.4,a1,...)",
                               in_quotes(format)));
    }
    return width;
}

/// A number up to one of two letters, the second of which makes it negative.
double angle(std::string_view& rest, char positive, char negative, const CardLines& lines,
             std::string_view what) {
    const auto is = [&](char letter, char wanted) {
        return letter == wanted || letter == static_cast<char>(wanted - 'A' + 'a');
    };
    std::size_t end = 0;
    while (end < rest.size() && !is(rest[end], positive) && !is(rest[end], negative)) ++end;
    const auto value = parse_number(trim(rest.substr(0, end)));
    if (end == rest.size() || !value || !std::isfinite(*value)) {
        lines.fail(fmt::format("{} is {} (must be degrees and {} or {})", what,
                               in_quotes(trim(rest.substr(0, end))), positive, negative));
    }
    const double sign = is(rest[end], negative) ? -1 : 1;
    rest.remove_prefix(end + 1);
    return sign * *value;
}

}  // namespace

bool is_velest_stations(const TextFile& file) {
    CardLines lines(file);
    return lines.next() && trim(lines.card).starts_with('(');
}

bool is_simulps_stations(const TextFile& file) {
    CardLines lines(file);
    if (!lines.next()) return false;
    const auto origin = split_words(lines.card);
    if (origin.size() < 5) return false;
    for (std::size_t n = 0; n < 5; ++n) {
        if (!parse_number(origin[n])) return false;
    }
    if (!lines.next()) return false;
    const auto count = split_words(lines.card);
    return !count.empty() && parse_integer(count[0]).has_value() && count.size() < 3;
}

PlaceTable read_velest_stations(const TextFile& file) {
    CardLines lines(file);
    if (!lines.next()) lines.fail("the file is empty");
    const std::size_t width = name_width(lines);
    PlaceTable table;
    table.geographic = true;
    std::map<std::string, std::size_t> seen;
    while (lines.next()) {
        if (trim(lines.card).empty()) continue;
        const std::string name(card_field(lines.card, 0, width));
        std::string_view rest =
            lines.card.size() > width ? lines.card.substr(width) : std::string_view();
        const double latitude = angle(rest, 'N', 'S', lines, "the latitude");
        const double longitude = angle(rest, 'E', 'W', lines, "the longitude");
        const auto words = split_words(rest);
        const auto height = words.empty() ? std::optional(0.0) : parse_number(words[0]);
        if (!height || !std::isfinite(*height)) {
            lines.fail(fmt::format("the elevation is {} (must be m)", in_quotes(words[0])));
        }
        add_station(table, seen, {name, {longitude, latitude, 0.0 - *height / 1000}}, lines);
    }
    return table;
}

PlaceTable read_simulps_stations(const TextFile& file) {
    CardLines lines(file);
    PlaceTable table;
    table.geographic = true;
    std::map<std::string, std::size_t> seen;
    for (int line = 0; lines.next(); ++line) {
        if (line < 2 || trim(lines.card).empty()) continue;
        double latitude = lines.number(6, 8, "the latitude") +
                          lines.number(9, 14, "the minutes of the latitude") / 60;
        double longitude = lines.number(14, 18, "the longitude") +
                           lines.number(19, 24, "the minutes of the longitude") / 60;
        const char north = card_letter(lines.card, 8);
        const char west = card_letter(lines.card, 18);
        if (north == 'S' || north == 's') latitude = -latitude;
        if (west != 'E' && west != 'e') longitude = -longitude;
        const double height = lines.number(24, 29, "the elevation");
        add_station(
            table, seen,
            {std::string(card_field(lines.card, 2, 6)), {longitude, latitude, 0.0 - height / 1000}},
            lines);
    }
    return table;
}

const PlaceReader velest_stations{
    is_velest_stations, [](const TextFile& file, Notes&) { return read_velest_stations(file); }};
const PlaceReader simulps_stations{
    is_simulps_stations, [](const TextFile& file, Notes&) { return read_simulps_stations(file); }};

}  // namespace fermat
