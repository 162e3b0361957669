#include "cli/help.hpp"

#include <sstream>
#include <utility>
#include <vector>

namespace fermat::cli {
namespace {

constexpr std::size_t left_column = 34;

}  // namespace

HelpFormatter::HelpFormatter() {
    column_width(left_column);
    label("REQUIRED", "(required)");
    label("OPTIONS", "flags");
    label("SUBCOMMAND", "command");
}

std::string HelpFormatter::make_subcommands(const CLI::App* app, CLI::AppFormatMode mode) const {
    std::string text = CLI::Formatter::make_subcommands(app, mode);
    const CLI::App* root = app;
    while (root->get_parent() != nullptr) root = root->get_parent();
    const bool only_groups = app->get_require_subcommand_min() > 0;
    if (root == app || only_groups) return text;
    const auto common = root->get_options([root](const CLI::Option* option) {
        return option != root->get_help_ptr() && option != root->get_version_ptr();
    });
    return text + make_group("Common flags", false, common);
}

std::string HelpFormatter::make_footer(const CLI::App*) const { return {}; }

std::string HelpFormatter::make_help(const CLI::App* app, std::string name,
                                     CLI::AppFormatMode mode) const {
    std::string text = CLI::Formatter::make_help(app, std::move(name), mode);
    text.erase(text.find_last_not_of('\n') + 1);
    return text + "\n\n" + app->get_footer() + "\n";
}

std::string example_text(const std::string& lines) {
    std::string text = "Example:";
    std::istringstream in(lines);
    for (std::string line; std::getline(in, line);) text += "\n  " + line;
    return text;
}

}  // namespace fermat::cli
