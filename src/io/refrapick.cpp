#include "io/format_table.hpp"
#include "io/number_lines.hpp"
#include "io/suffix.hpp"

namespace fermat {
namespace {

/// Refrapick's `.gp`: per shot the positions of geophones in m and their times in ms, one per line,
/// and behind them a line '/' with the position of the shot. Heights are not in the file.
SurveyFile read_refrapick(const TextFile& file, const PickReadOptions& options, Notes& notes) {
    NumberLines lines(file);
    PickBuilder builder(file.path(), options, PickDialect::of_lines("m", "ms"));
    std::vector<PickRow> shot;
    for (Words words = lines.next(); !words.empty(); words = lines.next()) {
        if (words[0] != "/") {
            const double x = lines.finite(words, 0, "the position of the geophone");
            shot.push_back(
                {{}, {x, 0, 0}, lines.number(words, 1, "the time"), missing_error, lines.line()});
            continue;
        }
        const double x = lines.finite(words, 1, "the position of the shot");
        for (PickRow& row : shot) {
            row.source = {x, 0, 0};
            builder.add(row);
        }
        shot.clear();
    }
    if (!shot.empty()) {
        lines.fail(
            fmt::format("the file ends here (it is truncated; a line '/' with the shot of "
                        "{} picks expected)",
                        shot.size()));
    }
    return builder.finish(notes);
}

}  // namespace

const PickReader refrapick_picks{
    PickFormat::refrapick,
    [](const TextFile& file) { return input_suffix_of(file.path()) == ".gp"; }, nullptr,
    read_refrapick};

}  // namespace fermat
