#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace fermat::cli {

/// Lines that are appended to a file, or that come on standard input ("-").
class GrowingText {
  public:
    explicit GrowingText(const std::filesystem::path& path);

    /// Whole lines that came meanwhile; waits for at most a fifth of a second.
    std::vector<std::string> next();
    bool ended() const { return ended_; }
    bool is_standard() const { return standard_; }

  private:
    void take_from_input();
    void take_from_file();

    bool standard_;
    std::filesystem::path path_;
    std::uintmax_t offset_ = 0;
    std::string rest_;
    bool ended_ = false;
};

}  // namespace fermat::cli
