#pragma once

#include <string>
#include <string_view>

#include "io/text.hpp"

namespace fermat {

// A spreadsheet takes a cell that begins with one of these for a formula and runs it. Names come
// from the files of others, so those we write have an apostrophe before, which readers take away.
inline constexpr std::string_view formula_starts = "=+-@";

/// The text behind any apostrophes begins as a formula does. A number or a single sign is none.
inline bool is_like_formula(std::string_view text) {
    const std::size_t first = text.find_first_not_of('\'');
    if (first == std::string_view::npos) return false;
    text.remove_prefix(first);
    return text.size() > 1 && formula_starts.find(text.front()) != std::string_view::npos &&
           (first > 0 || !parse_number(text));
}

/// A text as it is written into a cell.
inline std::string guarded_cell(std::string_view text) {
    return (is_like_formula(text) ? "'" : "") + std::string(text);
}

/// The text of a cell that guarded_cell wrote.
inline std::string_view unguarded_cell(std::string_view cell) {
    if (cell.starts_with('\'') && is_like_formula(cell)) cell.remove_prefix(1);
    return cell;
}

}  // namespace fermat
