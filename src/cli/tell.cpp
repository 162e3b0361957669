#include "cli/tell.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdio>

#include "cli/app.hpp"
#include "core/option_names.hpp"

namespace fermat::cli {
namespace {

std::string as_flag(std::string_view name, std::string_view value) {
    // These are no options of the command that fails, but what `model convert` does.
    if (name == "to_nodes") return "fermat model convert --to-nodes";
    if (name == "placement") return fmt::format("fermat model convert --{}", value);
    std::string flag = fmt::format("--{}{}{}", name, value.empty() ? "" : " ", value);
    std::replace(flag.begin(), flag.begin() + static_cast<std::ptrdiff_t>(name.size()) + 2, '_',
                 '-');
    return flag;
}

}  // namespace

std::string with_flags(std::string_view message) { return with_options_written(message, &as_flag); }

void tell(const Notes& notes) {
    for (const std::string& sentence : notes.sentences()) {
        spdlog::warn("{}", with_flags(sentence));
    }
}

void say(const Run& run, const std::string& line) {
    if (run.common.quiet || !run.ranks.is_root()) return;
    fmt::print("{}\n", line);
    std::fflush(stdout);
}

}  // namespace fermat::cli
