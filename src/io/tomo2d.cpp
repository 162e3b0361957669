#include <fmt/format.h>

#include "io/format_table.hpp"
#include "io/number_lines.hpp"
#include "io/suffix.hpp"

namespace fermat {
namespace {

/// tomo2d's data: the number of sources, then 's x z n' and n lines 'r x z code time error', in km
/// and s. Code 0 is a refraction, 1 a reflection.
SurveyFile read_tomo2d(const TextFile& file, const PickReadOptions& options, Notes& notes) {
    NumberLines lines(file);
    const auto first = lines.need("the number of sources");
    const std::size_t sources = lines.count(first, 0, "the number of sources");
    PickDialect dialect = PickDialect::of_lines("km", "s");
    dialect.has_errors = true;
    PickBuilder builder(file.path(), options, dialect);
    const std::string wanted = options.phase.empty() ? "0" : options.phase;
    for (std::size_t s = 0; s < sources; ++s) {
        const auto head = lines.need(fmt::format("source {} of {}", s + 1, sources));
        if (head[0] != "s") {
            lines.fail(fmt::format("the line starts with {} (source {} of {} starts with 's')",
                                   in_quotes(head[0]), s + 1, sources));
        }
        const Vec3 source{lines.finite(head, 1, "x of the source"), 0,
                          lines.finite(head, 2, "z of the source")};
        const std::size_t count = lines.count(head, 3, "the number of receivers");
        for (std::size_t r = 0; r < count; ++r) {
            const auto words = lines.need(fmt::format("receiver {} of {}", r + 1, count));
            if (words[0] != "r") {
                lines.fail(
                    fmt::format("the line starts with {} (receiver {} of {} starts with 'r')",
                                in_quotes(words[0]), r + 1, count));
            }
            const Vec3 receiver{lines.finite(words, 1, "x of the receiver"), 0,
                                lines.finite(words, 2, "z of the receiver")};
            const double time = lines.number(words, 4, "time");
            const double error = words.size() > 5 ? lines.number(words, 5, "error") : missing_error;
            const std::string code = fmt::format("{:g}", lines.finite(words, 3, "the code"));
            const bool all = options.named_phases && options.phase.empty();
            if (!all && code != wanted) {
                builder.leave_out(fmt::format(
                    "have another code than {} (0 is a refraction, 1 a reflection)", wanted));
                continue;
            }
            PickRow row{source, receiver, time, error, lines.line()};
            row.name = code;
            builder.add(row);
        }
    }
    if (!lines.next().empty()) {
        lines.fail(fmt::format("there are more lines than {} sources (the first line counts them)",
                               sources));
    }
    return builder.finish(notes);
}

}  // namespace

const PickReader tomo2d_picks{
    PickFormat::tomo2d, nullptr,
    [](const Words&, const Words& second) { return second[0] == "s" && second.size() == 4; },
    read_tomo2d};

}  // namespace fermat
