#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "io/text_file.hpp"

namespace fermat {

/// Reads a file of lines of words, most of them numbers, and says where a word is wrong.
class NumberLines : public FileLines {
  public:
    using FileLines::FileLines;

    /// The words of the next line that is not empty and no '#' comment; none at the end.
    std::vector<std::string_view> next() {
        while (const auto line = lines_.next()) {
            const std::string_view shown = trim(*line);
            if (!shown.empty() && !shown.starts_with('#')) return split_words(shown);
        }
        return {};
    }
    /// The words of the next line; fails where none follows.
    std::vector<std::string_view> need(std::string_view wanted) {
        auto words = next();
        if (words.empty()) {
            fail(fmt::format("the file ends here (it is truncated; {} expected)", wanted));
        }
        return words;
    }

    /// Length of the file, which bounds how many values it can hold.
    std::size_t characters() const { return file_.text().size(); }

    double number(const std::vector<std::string_view>& words, std::size_t column,
                  std::string_view what) const {
        if (column >= words.size()) {
            fail(fmt::format("{} is missing (the line has {} words)", what, words.size()));
        }
        const auto value = parse_number(words[column]);
        if (!value || std::isinf(*value)) {
            fail(fmt::format("{} is {} (must be a number)", what, in_quotes(words[column])));
        }
        return *value;
    }
    double finite(const std::vector<std::string_view>& words, std::size_t column,
                  std::string_view what) const {
        const double value = number(words, column, what);
        if (std::isnan(value)) fail(fmt::format("{} is nan (must be a number)", what));
        return value;
    }
    /// A count of lines to come: whole, also written as "12.0", and not more than fit the file.
    std::size_t count(const std::vector<std::string_view>& words, std::size_t column,
                      std::string_view what) const {
        const double value = finite(words, column, what);
        if (value < 0 || value != std::floor(value) ||
            value > static_cast<double>(file_.text().size())) {
            fail(fmt::format("{} is {} (must be a whole number that fits the file)", what,
                             in_quotes(words[column])));
        }
        return static_cast<std::size_t>(value);
    }
};

}  // namespace fermat
