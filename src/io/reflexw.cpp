#include <fmt/format.h>

#include "io/format_table.hpp"
#include "io/number_lines.hpp"
#include "io/suffix.hpp"

namespace fermat {
namespace {

/// ReflexW's `.tom`, its ASCII file of times for tomography: per pick the time in ms, a code, x and
/// z of the shot and x and z of the receiver in m. z counts downward, as in ReflexW's models.
SurveyFile read_reflexw(const TextFile& file, const PickReadOptions& options, Notes& notes) {
    NumberLines lines(file);
    PickBuilder builder(file.path(), options, PickDialect::of_lines("m", "ms"));
    const double down = options.heights ? -1 : 1;
    std::size_t longer = 0;
    for (Words words = lines.need("a pick"); !words.empty(); words = lines.next()) {
        if (words.size() < 6) {
            lines.fail(
                fmt::format("the line has {} columns (must be time, code, x and z of the "
                            "shot, x and z of the receiver)",
                            words.size()));
        }
        longer += words.size() > 6;
        const auto point = [&](std::size_t column, const char* x, const char* z) {
            return Vec3{lines.finite(words, column, x), 0,
                        down * lines.finite(words, column + 1, z)};
        };
        builder.add({point(2, "x of the shot", "z of the shot"),
                     point(4, "x of the receiver", "z of the receiver"),
                     lines.number(words, 0, "the time"), missing_error, lines.line()});
    }
    notes.add(
        fmt::format("{}: read as time in ms, code, x and z of the shot, x and z of the "
                    "receiver in m, with z {}{}",
                    lines.quoted(), options.heights ? "upward" : "downward",
                    longer > 0 ? "; further columns were not read" : ""));
    return builder.finish(notes);
}

}  // namespace

const PickReader reflexw_picks{
    PickFormat::reflexw,
    [](const TextFile& file) { return input_suffix_of(file.path()) == ".tom"; }, nullptr,
    read_reflexw};

}  // namespace fermat
