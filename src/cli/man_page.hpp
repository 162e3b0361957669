#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace fermat::cli {

/// The manual page of the program in roff, for `man`: every command with its flags and examples, as
/// its help has them.
std::string man_page(const CLI::App& root);

}  // namespace fermat::cli
