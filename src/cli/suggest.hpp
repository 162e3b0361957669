#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fermat::cli {

/// The candidate that a mistyped word most likely means; nothing if none is near. Two neighbouring
/// letters that changed places count as one mistake.
std::optional<std::string> nearest_word(std::string_view word,
                                        std::span<const std::string> candidates);

/// The names of the commands that may follow a command.
std::vector<std::string> command_names(const CLI::App& command);

/// The long flags of a command and those of all commands: "--model".
std::vector<std::string> flag_names(const CLI::App& command);

/// "did you mean --model? " for a word that a command does not know; empty if nothing is near it.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

}  // namespace fermat::cli
