#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "core/choice.hpp"

namespace fermat::cli {

enum class Shell { bash, zsh, fish };

/// A script that completes commands and flags in a shell, made from the commands of the program.
/// Where neither is due, the shell completes names of files.
std::string completion_script(const CLI::App& root, Shell shell);

}  // namespace fermat::cli

namespace fermat {

template <>
inline constexpr auto choices<cli::Shell> = choice_table<cli::Shell>(
    "shell", {{"bash", cli::Shell::bash}, {"zsh", cli::Shell::zsh}, {"fish", cli::Shell::fish}});

}  // namespace fermat
