#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/completion.hpp"
#include "cli/flags.hpp"

namespace fermat::cli {
namespace {

struct CompletionOptions {
    Shell shell = Shell::bash;
    const CLI::App* root = nullptr;
};

void add_flags(CLI::App& app, CompletionOptions& options) {
    add_value(app, "--shell,shell", "NAME", options.shell, "the shell: " + names_of<Shell>(),
              parse_named<Shell>)
        ->required();
    options.root = app.get_parent();
}

void show_script(const CompletionOptions& options, const Run&) {
    fmt::print("{}", completion_script(*options.root, options.shell));
}

}  // namespace

void add_completion_command(Program& program) {
    program.add_command<CompletionOptions>(
        program.root(), "completion", "Print a script that completes commands and flags in a shell",
        "source <(fermat completion bash)", &add_flags, &show_script);
}

}  // namespace fermat::cli
