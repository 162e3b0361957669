#include "cli/man_page.hpp"

#include <fmt/format.h>

#include <sstream>
#include <string_view>
#include <vector>

#include "core/version.hpp"
#include "io/text.hpp"

namespace fermat::cli {
namespace {

/// Text that roff prints as it stands: flags keep their plain hyphens, and no line is a request.
std::string plain(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) out += "\\&";
        if (c == '\\') {
            out += "\\e";
        } else if (c == '-') {
            out += "\\-";
        } else {
            out += c;
        }
    }
    return out;
}

std::string bold(std::string_view text) { return fmt::format("\\fB{}\\fR", plain(text)); }
std::string italic(std::string_view text) { return fmt::format("\\fI{}\\fR", plain(text)); }

/// "-o, --output FILE", or the name of an argument that has no flag.
std::string flags_line(const CLI::Option& option) {
    std::vector<std::string> names;
    for (const std::string& name : option.get_snames()) names.push_back(bold("-" + name));
    for (const std::string& name : option.get_lnames()) names.push_back(bold("--" + name));
    std::string line = fmt::format("{}", fmt::join(names, ", "));
    const bool takes_value = option.get_items_expected_max() > 0;
    if (takes_value) line += " " + italic(option.get_type_name());
    return line;
}

std::string described(const CLI::Option& option) {
    std::string text = plain(option.get_description());
    if (!option.get_default_str().empty()) {
        text += fmt::format(" [{}]", plain(option.get_default_str()));
    }
    if (option.get_required()) text += " (required)";
    return text;
}

std::string flags_text(const CLI::App& command) {
    const CLI::App* root = &command;
    while (root->get_parent() != nullptr) root = root->get_parent();
    std::string text;
    for (const CLI::Option* option : command.get_options()) {
        // Every command has --help, which the common flags tell.
        if (&command != root && option == command.get_help_ptr()) continue;
        text += fmt::format(".TP\n{}\n{}\n", flags_line(*option), described(*option));
    }
    return text;
}

/// The lines of an example, without what help puts before them.
std::string example_text(const CLI::App& command) {
    std::istringstream lines(command.get_footer());
    std::string text;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("  ")) text += plain(line.substr(2)) + "\n";
    }
    return text.empty() ? text : fmt::format(".PP\n.EX\n.RS\n{}.RE\n.EE\n", text);
}

std::string arguments(const CLI::App& command) {
    std::string text;
    for (const CLI::Option* option : command.get_options()) {
        if (option->get_positional()) {
            text += " " + italic(option->get_name(true, false));
        }
    }
    return text;
}

void add_command(const CLI::App& command, const std::string& path, std::string& text) {
    const std::string name = path + " " + command.get_name();
    text += fmt::format(".SS {}{} [{}]\n{}.\n", bold(name), arguments(command), italic("flags"),
                        plain(command.get_description()));
    text += flags_text(command) + example_text(command);
    for (const CLI::App* inner : command.get_subcommands([](const CLI::App*) { return true; })) {
        add_command(*inner, name, text);
    }
}

}  // namespace

std::string man_page(const CLI::App& root) {
    const std::string& name = root.get_name();
    std::string text = fmt::format(
        ".\\\" Made by fermat help --man.\n"
        ".TH FERMAT 1 \"\" \"Fermat {}\" \"User Commands\"\n"
        ".SH NAME\n{} \\- {}\n"
        ".SH SYNOPSIS\n{} {} [{}]\n"
        ".SH DESCRIPTION\n"
        "Each command does one thing and tells on standard error what it chose, left out or "
        "filled in. Flags may stand in a TOML file that {} names.\n"
        ".SH COMMON FLAGS\n",
        version, plain(name), plain(root.get_description()), bold(name), italic("command"),
        italic("flags"), bold("--config"));
    text += flags_text(root);
    text += ".SH COMMANDS\n";
    for (const CLI::App* command : root.get_subcommands([](const CLI::App*) { return true; })) {
        add_command(*command, name, text);
    }
    return text +
           ".SH EXIT STATUS\n"
           ".TP\n0\nThe work is done.\n"
           ".TP\n1\nThe computation failed.\n"
           ".TP\n2\nThe call or its input is wrong.\n"
           ".TP\n130\nThe user stopped it.\n"
           ".SH ENVIRONMENT\n"
           ".TP\n\\fBFERMAT_PYTHON\\fR\nThe Python whose package does the commands that the "
           "program "
           "hands on (\\fBplot\\fR, \\fBexport\\fR, \\fBgeometry\\fR, \\fBpick\\fR).\n";
}

}  // namespace fermat::cli
