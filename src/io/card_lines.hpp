#pragma once

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "io/text_file.hpp"

namespace fermat {

/// Columns `from` to `to` of a line, from 0, without blanks at both ends; less where it is shorter.
inline std::string_view card_field(std::string_view line, std::size_t from, std::size_t to) {
    if (from >= line.size()) return {};
    return trim(line.substr(from, to - from));
}
inline char card_letter(std::string_view line, std::size_t at) {
    return at < line.size() ? line[at] : ' ';
}
/// A number in columns; an empty field is 0, as Fortran reads it. Nothing if it is none.
inline std::optional<double> card_number(std::string_view line, std::size_t from, std::size_t to) {
    const std::string_view field = card_field(line, from, to);
    if (field.empty()) return 0.0;
    const auto value = parse_number(field);
    return value && std::isfinite(*value) ? value : std::nullopt;
}

/// Lines of a file of cards, blank ones too.
class CardLines : public FileLines {
  public:
    using FileLines::FileLines;

    bool next() {
        const auto line = lines_.next();
        if (line) card = *line;
        return line.has_value();
    }
    /// Columns that must hold a number.
    double number(std::size_t from, std::size_t to, std::string_view what) const {
        const auto value = card_number(card, from, to);
        if (!value) {
            fail(fmt::format("{} is {} (must be a number in columns {} to {})", what,
                             in_quotes(card_field(card, from, to)), from + 1, to));
        }
        return *value;
    }

    std::string_view card;
};

}  // namespace fermat
