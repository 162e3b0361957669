#include "cli/bending_flags.hpp"

#include <string>
#include <string_view>

#include "cli/flags.hpp"
#include "core/error.hpp"

namespace fermat::cli {
namespace {

/// Parses a list such as "straight,deep,sides".
StartSet parse_starts(std::string_view flag, std::string_view text) {
    constexpr std::string_view right =
        "must be some of straight, deep, sides, descent and graph, with commas between";
    StartSet starts;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const std::string_view name = text.substr(begin, end - begin);
        bool known = false;
        for (const auto& [entry, start] : choices<RayStart>.entries) {
            if (entry != name || start == RayStart::none) continue;
            starts.add(start);
            known = true;
        }
        if (!known) throw InputError(flag_message(flag, text, right));
        begin = end + 1;
    }
    return starts;
}

double parse_segment(std::string_view flag, std::string_view text) {
    const double length = parse_real(flag, text);
    if (!(length > 0)) throw InputError(flag_message(flag, text, "must be a length > 0"));
    return length;
}

}  // namespace

void add_bending_flags(CLI::App& app, BendingOptions& options) {
    add_value(app, "--starts", "NAMES", options.starts,
              "of --tracer bending, the fastest wins: straight, deep, sides, descent, graph",
              parse_starts)
        ->default_str("straight,deep,sides");
    add_value(app, "--segment", "V", options.segment,
              "of --tracer bending: longest segment of a ray (default: half the least spacing)",
              parse_segment);
    add_choice(app, "--tasks", options.tasks, "of --tracer bending, dealt out to threads");
}

}  // namespace fermat::cli
