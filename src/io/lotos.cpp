#include "io/lotos.hpp"
#include "io/format_table.hpp"

#include "io/number_lines.hpp"

namespace fermat {
namespace {

/// Calls `take(place)` for each event and `pick(words)` for each of its lines.
template <class Take, class Pick>
void read_rays(const TextFile& file, Take take, Pick pick) {
    NumberLines lines(file);
    for (auto words = lines.next(); !words.empty(); words = lines.next()) {
        const Vec3 place{lines.finite(words, 0, "the longitude"),
                         lines.finite(words, 1, "the latitude"),
                         lines.finite(words, 2, "the depth")};
        const std::size_t count = lines.count(words, 3, "the number of picks");
        take(place);
        for (std::size_t n = 0; n < count; ++n) {
            pick(lines, lines.need("a pick: phase, station, time"));
        }
    }
}

std::string number_of(std::size_t n) { return fmt::format("{}", n); }

}  // namespace

bool is_lotos_rays(const TextFile& file) {
    LineReader lines(file.text());
    std::vector<std::vector<std::string_view>> first;
    while (first.size() < 2) {
        const auto line = lines.next();
        if (!line) return false;
        if (!trim(*line).empty()) first.push_back(split_words(*line));
    }
    const auto numbers = [](const std::vector<std::string_view>& words, std::size_t count) {
        for (std::size_t n = 0; n < count; ++n) {
            if (n >= words.size() || !parse_number(words[n])) return false;
        }
        return true;
    };
    if (first[0].size() != 4 || !numbers(first[0], 4) || !numbers(first[1], 3)) return false;
    const auto count = parse_number(first[0][3]);
    const auto phase = parse_number(first[1][0]);
    return *count >= 1 && *count == std::floor(*count) && (*phase == 1 || *phase == 2);
}

PlaceTable read_lotos_events(const TextFile& file) {
    PlaceTable table;
    table.geographic = true;
    read_rays(
        file,
        [&](Vec3 place) {
            table.rows.push_back({number_of(table.rows.size() + 1), place, 0.0});
        },
        [](const NumberLines&, const std::vector<std::string_view>&) {});
    return table;
}

void read_lotos_rays(const TextFile& file, PhaseRows& rows) {
    std::size_t event = 0;
    read_rays(
        file, [&](Vec3) { ++event; },
        [&](const NumberLines& lines, const std::vector<std::string_view>& words) {
            const double phase = lines.finite(words, 0, "the phase");
            if (phase != 1 && phase != 2) {
                lines.fail(fmt::format("the phase is {} (must be 1 for P or 2 for S)",
                                       in_quotes(words[0])));
            }
            const double station = lines.finite(words, 1, "the station's number");
            constexpr double most = 1e9;
            if (!(station >= 1 && station <= most) || station != std::floor(station)) {
                lines.fail(fmt::format("the station is {} (must be a number from 1)",
                                       in_quotes(words[1])));
            }
            rows.add(number_of(event), number_of(static_cast<std::size_t>(station)),
                     phase == 1 ? "P" : "S", lines.finite(words, 2, "the time"), 0.0,
                     fmt::format("{} line {}: ", lines.quoted(), lines.line()));
        });
}

PlaceTable read_lotos_stations(const TextFile& file) {
    NumberLines lines(file);
    PlaceTable table;
    table.geographic = true;
    for (auto words = lines.next(); !words.empty(); words = lines.next()) {
        table.rows.push_back(
            {number_of(table.rows.size() + 1),
             {lines.finite(words, 0, "the longitude"), lines.finite(words, 1, "the latitude"),
              lines.finite(words, 2, "the depth")}});
    }
    return table;
}

const CatalogueReader lotos_catalogue{
    is_lotos_rays,
    [](const TextFile& file, PhaseRows& rows, Notes&) { read_lotos_rays(file, rows); },
    [](const TextFile& file, bool, Notes&) { return std::optional(read_lotos_events(file)); },
    read_lotos_stations, false};

}  // namespace fermat
