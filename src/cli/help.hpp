#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace fermat::cli {

/// CLI11's help, with the program's common flags below those of a command. Examples keep their
/// lines, which later versions of CLI11 would reflow.
class HelpFormatter : public CLI::Formatter {
  public:
    HelpFormatter();

    std::string make_subcommands(const CLI::App* app, CLI::AppFormatMode mode) const override;
    std::string make_footer(const CLI::App* app) const override;
    std::string make_help(const CLI::App* app, std::string name,
                          CLI::AppFormatMode mode) const override;
};

/// The end of a help text. `lines` are shell commands.
std::string example_text(const std::string& lines);

}  // namespace fermat::cli
