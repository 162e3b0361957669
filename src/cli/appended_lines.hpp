#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>

namespace fermat::cli {

/// Lines that are on the disk before add() returns, so that a killed run loses none. "-" is
/// standard output.
class AppendedLines {
  public:
    /// Forgets what a killed run began to write behind the last whole line.
    explicit AppendedLines(const std::filesystem::path& path);
    ~AppendedLines();
    AppendedLines(const AppendedLines&) = delete;
    AppendedLines& operator=(const AppendedLines&) = delete;

    void add(std::string line);

  private:
    int file_ = STDOUT_FILENO;
};

}  // namespace fermat::cli
