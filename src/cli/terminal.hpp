#pragma once

#include <memory>
#include <string>

namespace spdlog::sinks {
class sink;
}

namespace fermat::cli {

/// Opens those of the standard streams that were closed, so that no file of ours gets their number
/// and with it what others print. Writing to one fails as before.
void fill_standard_streams();

/// From now on temporary files are removed by every signal that ends the program and can be caught;
/// it then ends as it would have. Signals that are ignored stay so.
void remove_files_at_signals();

/// A line on standard error, printable whatever it quotes. That it cannot be written is no failure:
/// there is nobody left to tell.
void print_line_to_stderr(const std::string& line);

/// Where the log goes: such lines.
std::shared_ptr<spdlog::sinks::sink> stderr_sink();

}  // namespace fermat::cli
