#pragma once

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <string>

namespace fermat {

/// The name of a file as messages show it, in quotes.
inline std::string quoted(const std::filesystem::path& path) {
    return fmt::format("'{}'", path.string());
}

/// The number, or 0 where it is not known and a column must hold one.
inline double or_zero(double value) { return std::isfinite(value) ? value : 0.0; }

}  // namespace fermat
