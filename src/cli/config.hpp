#pragma once

#include <CLI/CLI.hpp>
#include <istream>
#include <string>
#include <vector>

#include "cli/toml.hpp"

namespace fermat::cli {

/// The commands that the command line selected, outermost first: {model, gradient}.
std::vector<CLI::App*> running_commands(const CLI::App& root);

/// A flag without its dashes, and its value as TOML.
struct GivenFlag {
    std::string name;
    std::string value;
};
/// The flags of the running command that were given, on the command line or by a file.
std::vector<GivenFlag> given_flags(const CLI::App& root);
/// These flags as a TOML file from which `--config` repeats the run.
std::string given_settings(const CLI::App& root);

/// Refuses anything but a regular file of reasonable size before it is opened: a device never ends
/// and a pipe may never begin. Throws InputError; otherwise returns an empty text, as CLI11
/// requires of a check.
std::string check_config_file(const std::string& path);

/// Reads flags from a TOML file. A key is a flag without its dashes. Keys before the first table
/// apply to the running command; keys of a table such as [times] or [model.gradient] apply only to
/// that command and take precedence. Every key is checked, also those of commands that do not run.
class CommandConfig : public CLI::ConfigBase {
  public:
    explicit CommandConfig(CLI::App& root) : root_(root) {}

    std::vector<CLI::ConfigItem> from_config(std::istream& input) const override;

  private:
    struct Target {
        const CLI::App* command = nullptr;  ///< owner of the flag: a command or the program itself
        bool runs = false;
    };

    Target find(const TomlEntry& entry) const;

    CLI::App& root_;
};

}  // namespace fermat::cli
