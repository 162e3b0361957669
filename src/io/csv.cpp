#include "io/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <unordered_set>

#include "core/error.hpp"
#include "core/expect.hpp"
#include "io/cell_text.hpp"

namespace fermat {
namespace {

std::string_view without_quotes(std::string_view field) {
    if (field.size() >= 2 && field.front() == '"' && field.back() == '"') {
        return trim(field.substr(1, field.size() - 2));
    }
    return field;
}

}  // namespace

CsvTable::CsvTable(const TextFile& file, Style style) : file_(file), style_(style) {
    LineReader reader(file_.text());
    std::string_view comment;
    while (const auto line = reader.next()) {
        const std::string_view shown = trim(*line);
        if (shown.empty()) continue;
        if (is_comment(shown)) {
            comment = shown.substr(1);
            continue;
        }
        if (names_.empty() && style_ == Style::strict) {
            read_header(shown, reader.number());
            continue;
        }
        if (names_.empty()) {
            choose_delimiter(shown);
            if (take_names(shown, comment)) continue;
        }
        add_row(shown, reader.number());
    }
    if (names_.empty() && style_ == Style::strict) {
        throw InputError(
            fmt::format("{} is empty (a header with column names is needed)", file_.quoted()));
    }
    if (lines_.empty() && style_ == Style::free) throw InputError(file_.quoted() + " has no rows");
}

bool CsvTable::is_comment(std::string_view line) const {
    const bool other = line.starts_with('%') || line.starts_with('!');
    return line.starts_with('#') || (style_ == Style::free && other);
}

void CsvTable::choose_delimiter(std::string_view line) {
    delimiter_ = ' ';
    for (const char candidate : {';', ',', '\t'}) {
        if (line.find(candidate) == std::string_view::npos) continue;
        delimiter_ = candidate;
        return;
    }
}

/// Appends the fields of a line and returns their number.
std::size_t CsvTable::split(std::string_view line, std::vector<std::string_view>& fields) const {
    const std::size_t before = fields.size();
    const auto take = [&](std::string_view field) {
        fields.push_back(unguarded_cell(style_ == Style::free ? without_quotes(field) : field));
    };
    if (delimiter_ == ' ') {
        for (const std::string_view word : split_words(line)) take(word);
        return fields.size() - before;
    }
    for (std::size_t begin = 0;;) {
        const std::size_t end = line.find(delimiter_, begin);
        take(trim(line.substr(begin, end - begin)));
        if (end == std::string_view::npos) return fields.size() - before;
        begin = end + 1;
    }
}

void CsvTable::add_row(std::string_view line, std::size_t number) {
    const std::size_t fields = split(line, fields_);
    const std::size_t columns = names_.size() + (has_run_ ? 1 : 0);
    if (fields != columns) {
        throw InputError(fmt::format("{} line {}: {} fields in {} (the {} has {} columns)",
                                     file_.quoted(), number, fields, in_quotes(line),
                                     style_ == Style::strict ? "header" : "table", columns));
    }
    if (has_run_) {
        if (lines_.empty()) run_ = fields_.back();
        if (run_ != fields_.back()) run_ = "several";
        fields_.pop_back();
    }
    lines_.push_back(number);
}

void CsvTable::read_header(std::string_view line, std::size_t number) {
    std::vector<std::string_view> fields;
    split(line, fields);
    names_.assign(fields.begin(), fields.end());
    std::unordered_set<std::string_view> seen;
    for (std::size_t i = 0; i < names_.size(); ++i) {
        const bool again = !seen.insert(names_[i]).second;
        if (names_[i].empty() || again || parse_number(names_[i])) {
            throw InputError(fmt::format(
                "{} line {}: column {} is named {} (the first line must be a header of different "
                "names)",
                file_.quoted(), number, i + 1, in_quotes(names_[i])));
        }
    }
    has_run_ = names_.size() > 1 && names_.back() == run_mark;
    if (has_run_) names_.pop_back();
}

/// The first line has names if none of its fields is a number; if all are, the comment before it
/// may.
bool CsvTable::take_names(std::string_view line, std::string_view comment) {
    const auto is_number = [&](std::string_view field) { return parse(field).has_value(); };
    std::vector<std::string_view> first;
    std::vector<std::string_view> before;
    split(line, first);
    split(trim(comment), before);
    const bool names_first = std::none_of(first.begin(), first.end(), is_number);
    has_names_ = true;
    if (names_first) {
        names_.assign(first.begin(), first.end());
    } else if (before.size() == first.size() &&
               std::none_of(before.begin(), before.end(), is_number)) {
        names_.assign(before.begin(), before.end());
    } else {
        has_names_ = false;
        for (std::size_t i = 0; i < first.size(); ++i) names_.push_back(std::to_string(i + 1));
    }
    std::unordered_set<std::string_view> seen;
    for (std::size_t i = 0; i < names_.size(); ++i) {
        if (!names_[i].empty() && seen.insert(names_[i]).second) continue;
        throw InputError(fmt::format("{}: column {} is named {} (names must differ)",
                                     file_.quoted(), i + 1, in_quotes(names_[i])));
    }
    return names_first;
}

std::optional<std::size_t> CsvTable::find_column(std::string_view name) const {
    for (std::size_t i = 0; i < names_.size(); ++i) {
        if (names_[i] == name) return i;
    }
    return std::nullopt;
}

std::size_t CsvTable::column(std::string_view name) const {
    if (const auto found = find_column(name)) return *found;
    std::string list;
    for (const std::string& there : names_) list += (list.empty() ? "" : ",") + there;
    throw InputError(fmt::format("{} has no column '{}' (its columns are {})", file_.quoted(), name,
                                 in_quotes(list)));
}

std::string CsvTable::where(std::size_t row) const {
    FERMAT_EXPECT(row < lines_.size());
    return fmt::format("{} line {}: ", file_.quoted(), lines_[row]);
}

void CsvTable::fail(std::size_t row, std::size_t column, std::string_view problem) const {
    FERMAT_EXPECT(column < names_.size());
    throw InputError(fmt::format("{}column '{}' is {} ({})", where(row), names_[column],
                                 in_quotes(text(row, column)), problem));
}

double CsvTable::number(std::size_t row, std::size_t column) const {
    const auto value = parse(text(row, column));
    if (!value) fail(row, column, "must be a number");
    if (!std::isfinite(*value)) fail(row, column, "must be finite");
    return *value;
}

double CsvTable::number_or_nan(std::size_t row, std::size_t column) const {
    const std::string_view field = text(row, column);
    const bool free = style_ == Style::free;
    const auto value = parse(field);
    if (field.empty() || (free && field == "-") || (value && std::isnan(*value))) {
        return std::numeric_limits<double>::quiet_NaN();
    }
    return free && value ? *value : number(row, column);
}

std::optional<double> CsvTable::parse(std::string_view text) const {
    if (delimiter_ == ';' && std::count(text.begin(), text.end(), ',') == 1) {
        std::string point(text);
        std::replace(point.begin(), point.end(), ',', '.');
        return parse_number(point);
    }
    return parse_number(text);
}

std::int64_t CsvTable::integer(std::size_t row, std::size_t column) const {
    const auto value = parse_integer(text(row, column));
    if (!value) fail(row, column, "must be a whole number");
    return *value;
}

PointColumns::PointColumns(const CsvTable& table, const std::string& prefix)
    : PointColumns(table, table.column(prefix + "x"), table.find_column(prefix + "y"),
                   table.column(prefix + "z")) {}

std::optional<PointColumns> PointColumns::find(const CsvTable& table, const std::string& prefix) {
    if (!table.find_column(prefix + "x")) return std::nullopt;
    return PointColumns(table, prefix);
}

PointColumns PointColumns::geographic(const CsvTable& table) {
    const std::size_t latitude = table.column("latitude");
    const std::size_t longitude = table.column("longitude");
    return {table, latitude, longitude, table.column("depth")};
}

Vec3 PointColumns::operator()(std::size_t row) const {
    return {table_->number(row, x_), y_ ? table_->number(row, *y_) : 0.0, table_->number(row, z_)};
}

CsvWriter::CsvWriter(const std::filesystem::path& path, const std::vector<std::string>& names,
                     const std::string& run)
    : file_(path), columns_(names.size()), run_(run.empty() ? "" : "," + run) {
    for (const std::string& name : names) line_ += (line_.empty() ? "" : ",") + name;
    if (!run.empty()) line_ += fmt::format(",{}", run_mark);
    file_.write(line_ + "\n");
}

void CsvWriter::add_row(const std::vector<CsvCell>& cells) {
    if (cells.size() != columns_) {
        throw InputError(fmt::format("table row has {} cells (the header has {} columns)",
                                     cells.size(), columns_));
    }
    line_.clear();
    for (const CsvCell& cell : cells) {
        if (&cell != cells.data()) line_ += ',';
        if (const auto* text = std::get_if<std::string_view>(&cell)) {
            line_ += guarded_cell(*text);
            continue;
        }
        std::visit([&](auto value) { fmt::format_to(std::back_inserter(line_), "{}", value); },
                   cell);
    }
    line_ += run_;
    line_ += '\n';
    file_.write(line_);
}

}  // namespace fermat
