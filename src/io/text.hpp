#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fermat {

/// The text without blanks, tabs and carriage returns at both ends.
std::string_view trim(std::string_view text);

/// The words between blanks and tabs.
std::vector<std::string_view> split_words(std::string_view text);

/// The whole text as a number, independent of the locale; nothing if it is not one. Accepts "nan"
/// and "inf": the caller decides whether they are allowed.
std::optional<double> parse_number(std::string_view text);
std::optional<std::int64_t> parse_integer(std::string_view text);

/// Quotes a text for a message: long texts are cut, unprintable bytes become '?'.
std::string in_quotes(std::string_view text);

/// Splits a text into lines and counts them.
class LineReader {
  public:
    explicit LineReader(std::string_view text) : rest_(text) {}

    /// The next line without its end (LF or CRLF); nothing after the last one.
    std::optional<std::string_view> next();
    /// Number of the line that next() returned last, from 1.
    std::size_t number() const { return number_; }

  private:
    std::string_view rest_;
    std::size_t number_ = 0;
};

}  // namespace fermat
