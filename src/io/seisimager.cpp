#include <fmt/format.h>

#include <algorithm>

#include "io/format_table.hpp"
#include "io/number_lines.hpp"
#include "io/suffix.hpp"

namespace fermat {
namespace {

/// SeisImager's `.vs`: a line of the version, a line with the number of shots, then per shot its
/// position and number of traces, and per trace position in m, time in ms and layer. Heights are
/// not in the file.
SurveyFile read_seisimager(const TextFile& file, const PickReadOptions& options, Notes& notes) {
    NumberLines lines(file);
    lines.need("the line of the version");
    const auto counts = lines.need("the number of shots");
    const std::size_t shots = lines.count(counts, 1, "the number of shots");

    PickBuilder builder(file.path(), options, PickDialect::of_lines("m", "ms"));
    double latest = 0;
    std::size_t third = 0;
    for (std::size_t shot = 0; shot < shots; ++shot) {
        const auto head = lines.need(fmt::format("shot {} of {}", shot + 1, shots));
        const Vec3 source{lines.finite(head, 0, "the position of the shot"), 0, 0};
        const std::size_t traces = lines.count(head, 1, "the number of traces");
        if (head.size() > 2 && lines.finite(head, 2, "the third number of the shot") != 0) ++third;
        for (std::size_t trace = 0; trace < traces; ++trace) {
            const auto words = lines.need(fmt::format("trace {} of {}", trace + 1, traces));
            if (words.size() > 4) {
                lines.fail(
                    fmt::format("the trace has {} numbers (position, time and layer are read; "
                                "export the picks without more)",
                                words.size()));
            }
            const double time = lines.number(words, 1, "time");
            latest = std::max(latest, time);
            builder.add({source,
                         {lines.finite(words, 0, "the position of the receiver"), 0, 0},
                         time,
                         missing_error,
                         lines.line()});
        }
    }
    std::size_t rest = 0;
    while (true) {
        const auto words = lines.next();
        if (words.empty()) break;
        rest += std::any_of(words.begin(), words.end(),
                            [](std::string_view word) { return word != "0"; });
    }
    if (third > 0) {
        notes.add(fmt::format("{}: the third number of {} of {} shots is not 0 and was not read",
                              lines.quoted(), third, shots));
    }
    if (rest > 0) {
        notes.add(
            fmt::format("{}: {} lines after the last shot were not read", lines.quoted(), rest));
    }
    notes.add(fmt::format("{}: the format has no heights, so z is 0 everywhere", lines.quoted()));
    if (options.units.time.empty() && latest < 1) {
        notes.add(
            fmt::format("{}: the latest time is {:g} ms (if the file has seconds, say so with "
                        "`unit`)",
                        lines.quoted(), latest));
    }
    return builder.finish(notes);
}

}  // namespace

const PickReader seisimager_picks{
    PickFormat::seisimager,
    [](const TextFile& file) { return input_suffix_of(file.path()) == ".vs"; },
    [](const Words& first, const Words&) { return first[0] == "1996" && first.size() == 3; },
    read_seisimager};

}  // namespace fermat
