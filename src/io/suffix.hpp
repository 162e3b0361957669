#pragma once

#include <algorithm>
#include <filesystem>
#include <string>

namespace fermat {

/// The suffix of a file's name in lower case, with its dot.
inline std::string suffix_of(const std::filesystem::path& path) {
    std::string suffix = path.extension().string();
    std::transform(suffix.begin(), suffix.end(), suffix.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return suffix;
}

/// The same of a file to read, which may be packed: ".csv" of picks.csv.gz.
inline std::string input_suffix_of(const std::filesystem::path& path) {
    const std::string suffix = suffix_of(path);
    return suffix == ".gz" ? suffix_of(path.stem()) : suffix;
}

}  // namespace fermat
