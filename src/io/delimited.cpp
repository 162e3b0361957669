#include "io/delimited.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_set>

#include "core/error.hpp"
#include "io/cell_text.hpp"
#include "io/input_file.hpp"
#include "io/text.hpp"

namespace fermat {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

bool is_comment(std::string_view line) {
    return line.starts_with('#') || line.starts_with('%') || line.starts_with('!');
}

std::string_view without_quotes(std::string_view field) {
    if (field.size() >= 2 && field.front() == '"' && field.back() == '"') {
        return trim(field.substr(1, field.size() - 2));
    }
    return field;
}

}  // namespace

DelimitedTable::DelimitedTable(const std::filesystem::path& path)
    : path_(path), content_(std::make_shared<const std::string>(read_whole_file(path))) {
    std::string_view rest = *content_;
    if (rest.starts_with(byte_order_mark)) rest.remove_prefix(byte_order_mark.size());
    LineReader reader(rest);
    std::string_view comment;
    while (const auto line = reader.next()) {
        const std::string_view shown = trim(*line);
        if (shown.empty()) continue;
        if (is_comment(shown)) {
            comment = shown.substr(1);
            continue;
        }
        if (names_.empty()) {
            choose_delimiter(shown);
            if (take_names(split(shown), comment)) continue;
        }
        const auto fields = split(shown);
        if (fields.size() != names_.size()) {
            throw InputError(fmt::format("'{}' line {}: {} fields in {} (the table has {} columns)",
                                         path_.string(), reader.number(), fields.size(),
                                         in_quotes(shown), names_.size()));
        }
        fields_.insert(fields_.end(), fields.begin(), fields.end());
        lines_.push_back(reader.number());
    }
    if (lines_.empty()) throw InputError(fmt::format("'{}' has no rows", path_.string()));
}

void DelimitedTable::choose_delimiter(std::string_view line) {
    for (const char candidate : {';', ',', '\t'}) {
        if (line.find(candidate) == std::string_view::npos) continue;
        delimiter_ = candidate;
        return;
    }
}

std::vector<std::string_view> DelimitedTable::split(std::string_view line) const {
    std::vector<std::string_view> fields;
    if (delimiter_ == ' ') {
        fields = split_words(line);
    } else {
        for (std::size_t begin = 0;;) {
            const std::size_t end = line.find(delimiter_, begin);
            fields.push_back(trim(line.substr(begin, end - begin)));
            if (end == std::string_view::npos) break;
            begin = end + 1;
        }
    }
    for (std::string_view& field : fields) field = unguarded_cell(without_quotes(field));
    return fields;
}

/// The first line has names if none of its fields is a number; if all are, the comment before it
/// may.
bool DelimitedTable::take_names(const std::vector<std::string_view>& first,
                                std::string_view comment) {
    const auto is_number = [&](std::string_view field) { return parse(field).has_value(); };
    const bool names_first = std::none_of(first.begin(), first.end(), is_number);
    const auto before = split(trim(comment));
    if (names_first) {
        names_.assign(first.begin(), first.end());
        has_names_ = true;
    } else if (before.size() == first.size() &&
               std::none_of(before.begin(), before.end(), is_number)) {
        names_.assign(before.begin(), before.end());
        has_names_ = true;
    } else {
        for (std::size_t i = 0; i < first.size(); ++i) names_.push_back(std::to_string(i + 1));
    }
    std::unordered_set<std::string_view> seen;
    for (std::size_t i = 0; i < names_.size(); ++i) {
        if (!names_[i].empty() && seen.insert(names_[i]).second) continue;
        throw InputError(fmt::format("'{}': column {} is named {} (names must differ)",
                                     path_.string(), i + 1, in_quotes(names_[i])));
    }
    return names_first;
}

std::optional<std::size_t> DelimitedTable::find_column(std::string_view name) const {
    for (std::size_t i = 0; i < names_.size(); ++i) {
        if (names_[i] == name) return i;
    }
    return std::nullopt;
}

std::optional<double> DelimitedTable::parse(std::string_view text) const {
    if (delimiter_ == ';' && std::count(text.begin(), text.end(), ',') == 1) {
        std::string point(text);
        std::replace(point.begin(), point.end(), ',', '.');
        return parse_number(point);
    }
    return parse_number(text);
}

double DelimitedTable::number(std::size_t row, std::size_t column) const {
    const std::string_view field = text(row, column);
    if (field.empty() || field == "-") return std::numeric_limits<double>::quiet_NaN();
    const auto value = parse(field);
    if (!value) {
        throw InputError(fmt::format("{}column {} is {} (must be a number)", where(row),
                                     in_quotes(names_[column]), in_quotes(field)));
    }
    return *value;
}

std::string DelimitedTable::where(std::size_t row) const {
    return fmt::format("'{}' line {}: ", path_.string(), lines_[row]);
}

}  // namespace fermat
