#pragma once

#include <CLI/CLI.hpp>
#include <istream>
#include <string>
#include <vector>

#include "cli/toml.hpp"

namespace fermat::cli {

/// The commands that the command line chose, outermost first: {model, gradient}.
std::vector<CLI::App*> running_commands(const CLI::App& root);

/// The running command's flags as they were given, by the command line or by a file: a TOML file
/// that `--config` reads to do the same again.
std::string given_flags(const CLI::App& root);

/// Refuses, before it is opened for reading, what is no file of a size that somebody wrote: a
/// device never ends and a pipe may never begin. Throws InputError; gives an empty text, as CLI11
/// wants of a check.
std::string check_config_file(const std::string& path);

/// Flags from a TOML file. A key is a flag without its dashes. Keys before the first table belong
/// to the command that runs; keys of a table such as [times] or [model.gradient] only to that one,
/// and they win over the former. Every key is checked, also those of commands that do not run.
class CommandConfig : public CLI::ConfigBase {
  public:
    explicit CommandConfig(CLI::App& root) : root_(root) {}

    std::vector<CLI::ConfigItem> from_config(std::istream& input) const override;

  private:
    struct Target {
        const CLI::App* command = nullptr;  ///< whose flag it is: a command or the program itself
        bool runs = false;
    };

    Target find(const TomlEntry& entry) const;

    CLI::App& root_;
};

}  // namespace fermat::cli
