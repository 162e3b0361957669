#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/notes.hpp"

namespace fermat::fuzz {

/// A reader, valid files for it, and the call that reads one. If a format needs a companion file,
/// as `.hdr` does, it is written beside the file.
struct Target {
    std::string name;
    std::string suffix;
    std::vector<std::string> seeds;
    std::function<void(const std::filesystem::path&)> read;
    std::string companion_suffix{};
    std::string companion{};
    bool on_request = false;  ///< fuzzed only if named on the command line
};

/// A reader that returns notes. The notes are checked too: each must be one printable line.
std::function<void(const std::filesystem::path&)> noting(
    std::function<void(const std::filesystem::path&, Notes&)> read);

/// Seeds for every reader of the library. Seeds of binary formats are written into `folder` first.
std::vector<Target> library_targets(const std::filesystem::path& folder);

/// Seeds for every reader of the formats of other programs: picks, and grids of models.
std::vector<Target> format_targets(const std::filesystem::path& folder);

/// Seeds for every reader of the program: its configuration, the texts of its flags, pairs of rays,
/// and the run folder of a report, which is made in `folder`.
std::vector<Target> program_targets(const std::filesystem::path& folder);

}  // namespace fermat::fuzz
