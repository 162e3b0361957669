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

/// The name of a file in lower case.
inline std::string lower_name(const std::filesystem::path& path) {
    std::string name = path.filename().string();
    std::transform(name.begin(), name.end(), name.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return name;
}

/// The name in lower case, without the suffix of a packed file: "v.in" of V.in.gz.
inline std::string lower_input_name(const std::filesystem::path& path) {
    return suffix_of(path) == ".gz" ? lower_name(path.stem()) : lower_name(path);
}

/// The suffix of a file to read, which may be packed: ".csv" of picks.csv.gz.
inline std::string input_suffix_of(const std::filesystem::path& path) {
    const std::string suffix = suffix_of(path);
    return suffix == ".gz" ? suffix_of(path.stem()) : suffix;
}

}  // namespace fermat
