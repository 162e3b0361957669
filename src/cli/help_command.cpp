#include <fmt/format.h>

#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/man_page.hpp"
#include "cli/suggest.hpp"
#include "core/error.hpp"
#include "io/text.hpp"

namespace fermat::cli {
namespace {

struct HelpOptions {
    std::vector<std::string> words;
    bool man = false;
    const CLI::App* root = nullptr;
};

void add_flags(CLI::App& app, HelpOptions& options) {
    app.add_option("--command,command", options.words, "the command, such as model gradient")
        ->type_name("COMMAND");
    app.add_flag("--man", options.man, "print the manual page of the whole program, for man");
    options.root = app.get_parent();
}

void show_help(const HelpOptions& options, const Run&) {
    if (options.man) {
        if (!options.words.empty()) {
            throw InputError(
                fmt::format("--man and {} were both given (the manual page is of the "
                            "whole program)",
                            in_quotes(options.words.front())));
        }
        fmt::print("{}", man_page(*options.root));
        return;
    }
    const CLI::App* command = options.root;
    std::string name = command->get_name();
    for (const std::string& word : options.words) {
        const auto inner = command->get_subcommands(
            [&word](const CLI::App* each) { return each->get_name() == word; });
        if (inner.empty()) {
            throw InputError(fmt::format("unknown command {} ({}see {} --help)", in_quotes(word),
                                         did_you_mean(word, command_names(*command)), name));
        }
        command = inner.front();
        name += " " + word;
    }
    // App::help() of the program would show the help of the command that runs, which is this one.
    fmt::print("{}",
               command->get_formatter()->make_help(command, name, CLI::AppFormatMode::Normal));
}

}  // namespace

void add_help_command(Program& program) {
    program.add_command<HelpOptions>(
        program.root(), "help", "Show the help of a command",
        "fermat help\nfermat help model gradient\nfermat help --man > fermat.1", &add_flags,
        &show_help);
}

}  // namespace fermat::cli
