#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace fermat::fuzz {

/// A reader, good files for it, and the call that reads one. A companion file, which `.hdr` needs,
/// is written beside it.
struct Target {
    std::string name;
    std::string suffix;
    std::vector<std::string> seeds;
    std::function<void(const std::filesystem::path&)> read;
    std::string companion_suffix{};
    std::string companion{};
    bool on_request = false;  ///< fuzzed only when asked for by name
};

/// One for every reader of the library. Seeds of binary formats are written into `folder` first.
std::vector<Target> all_targets(const std::filesystem::path& folder);

}  // namespace fermat::fuzz
