#pragma once

#include <memory>
#include <string>

namespace spdlog::sinks {
class sink;
}

namespace fermat::cli {

/// Opens the standard streams that were closed, so that no other file gets their numbers and
/// receives what is printed. Writing to such a stream still fails.
void fill_standard_streams();

/// Makes every signal that ends the program and can be caught remove the temporary files first.
/// Ignored signals stay ignored.
void remove_files_at_signals();

/// Prints a line on standard error, with unprintable characters replaced. Write errors are ignored,
/// because they cannot be reported.
void print_line_to_stderr(const std::string& line);

/// The sink of the log, which prints such lines.
std::shared_ptr<spdlog::sinks::sink> stderr_sink();

}  // namespace fermat::cli
