#include <cmath>

#include "io/format_table.hpp"
#include "io/hypodd.hpp"
#include "io/number_lines.hpp"

namespace fermat {
namespace {

namespace fs = std::filesystem;

// id latitude longitude depth, x y z and their errors, year month day hour minute second,
// magnitude, numbers of differences, two RMS and the cluster.
constexpr std::size_t words_of_line = 24;
constexpr std::size_t year = 10;

int whole(const NumberLines& lines, const std::vector<std::string_view>& words, std::size_t n) {
    const double value = lines.finite(words, n, "the date");
    return std::abs(value) < 1e5 ? static_cast<int>(value) : -1;  // no date has it
}

}  // namespace

bool is_hypodd_reloc(const TextFile& file) {
    NumberLines lines(file);
    const auto words = lines.next();
    if (words.size() < words_of_line) return false;
    for (std::size_t n = 0; n < words_of_line; ++n) {
        if (!parse_number(words[n])) return false;
    }
    const double first = *parse_number(words[year]);
    return first >= 1000 && first < 10000;
}

PlaceTable read_hypodd_reloc(const TextFile& file) {
    NumberLines lines(file);
    PlaceTable table;
    table.geographic = table.has_dates = true;
    for (auto words = lines.next(); !words.empty(); words = lines.next()) {
        const double latitude = lines.finite(words, 1, "the latitude");
        const double longitude = lines.finite(words, 2, "the longitude");
        const double depth = lines.finite(words, 3, "the depth");
        const double second = lines.finite(words, year + 5, "the second");
        const auto time =
            second < 61 ? seconds_of(whole(lines, words, year), whole(lines, words, year + 1),
                                     whole(lines, words, year + 2), whole(lines, words, year + 3),
                                     whole(lines, words, year + 4), second)
                        : std::nullopt;
        if (!time) lines.fail("there is no such date");
        table.rows.push_back({std::string(words[0]),
                              {longitude, latitude, depth},
                              *time,
                              lines.number(words, year + 6, "the magnitude")});
    }
    return table;
}

const PlaceReader hypodd_relocated{
    is_hypodd_reloc, [](const TextFile& file, Notes&) { return read_hypodd_reloc(file); }};

}  // namespace fermat
