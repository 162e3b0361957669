#include "io/text.hpp"

#include <algorithm>
#include <charconv>

namespace fermat {
namespace {

constexpr std::string_view blanks = " \t\r";
constexpr std::size_t longest_quote = 40;

template <class Number>
std::optional<Number> parse(std::string_view text) {
    text = trim(text);
    if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

}  // namespace

std::string_view trim(std::string_view text) {
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string_view> split_words(std::string_view text) {
    std::vector<std::string_view> words;
    while (!(text = trim(text)).empty()) {
        const std::size_t end = std::min(text.find_first_of(blanks), text.size());
        words.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return words;
}

std::optional<double> parse_number(std::string_view text) { return parse<double>(text); }

std::optional<std::int64_t> parse_integer(std::string_view text) {
    return parse<std::int64_t>(text);
}

std::string in_quotes(std::string_view text) {
    std::string shown = "'";
    for (const char c : text.substr(0, longest_quote)) {
        const auto byte = static_cast<unsigned char>(c);
        shown += byte < 0x20 || byte == 0x7f ? '?' : c;
    }
    return shown + (text.size() > longest_quote ? "...'" : "'");
}

std::optional<std::string_view> LineReader::next() {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (number_ == 0 && rest_.starts_with(byte_order_mark)) {
        rest_.remove_prefix(byte_order_mark.size());
    }
    if (rest_.empty()) return std::nullopt;
    const std::size_t end = rest_.find('\n');
    std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    ++number_;
    return line;
}

}  // namespace fermat
