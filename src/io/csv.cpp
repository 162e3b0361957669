#include "io/csv.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <unordered_set>

#include "core/error.hpp"
#include "io/cell_text.hpp"
#include "io/input_file.hpp"
#include "io/text.hpp"

namespace fermat {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

template <class Visit>
std::size_t for_each_field(std::string_view line, Visit visit) {
    std::size_t count = 0;
    for (std::size_t begin = 0;; ++count) {
        const std::size_t comma = line.find(',', begin);
        visit(unguarded_cell(trim(line.substr(begin, comma - begin))));
        if (comma == std::string_view::npos) return count + 1;
        begin = comma + 1;
    }
}

}  // namespace

CsvTable::CsvTable(const std::filesystem::path& path)
    : path_(path), content_(std::make_shared<const std::string>(read_whole_file(path))) {
    std::string_view rest = *content_;
    if (rest.starts_with(byte_order_mark)) rest.remove_prefix(byte_order_mark.size());
    LineReader reader(rest);
    while (const auto line = reader.next()) {
        const std::string_view shown = trim(*line);
        if (shown.empty() || shown.starts_with('#')) continue;
        add_row(shown, reader.number());
    }
    if (names_.empty()) {
        throw InputError(
            fmt::format("'{}' is empty (a header with column names is needed)", path_.string()));
    }
}

void CsvTable::add_row(std::string_view line, std::size_t number) {
    if (names_.empty()) {
        read_header(line, number);
        return;
    }
    const std::size_t fields =
        for_each_field(line, [&](std::string_view field) { fields_.push_back(field); });
    const std::size_t columns = names_.size() + (has_run_ ? 1 : 0);
    if (fields != columns) {
        throw InputError(fmt::format("'{}' line {}: {} fields in {} (the header has {} columns)",
                                     path_.string(), number, fields, in_quotes(line), columns));
    }
    if (has_run_) {
        if (lines_.empty()) run_ = fields_.back();
        if (run_ != fields_.back()) run_ = "several";
        fields_.pop_back();
    }
    lines_.push_back(number);
}

void CsvTable::read_header(std::string_view line, std::size_t number) {
    for_each_field(line, [&](std::string_view name) { names_.emplace_back(name); });
    std::unordered_set<std::string_view> seen;
    for (std::size_t i = 0; i < names_.size(); ++i) {
        const bool again = !seen.insert(names_[i]).second;
        if (names_[i].empty() || again || parse_number(names_[i])) {
            throw InputError(fmt::format(
                "'{}' line {}: column {} is named {} (the first line must be a header of different "
                "names)",
                path_.string(), number, i + 1, in_quotes(names_[i])));
        }
    }
    has_run_ = names_.size() > 1 && names_.back() == run_mark;
    if (has_run_) names_.pop_back();
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
    throw InputError(fmt::format("'{}' has no column '{}' (its columns are {})", path_.string(),
                                 name, in_quotes(list)));
}

std::string CsvTable::where(std::size_t row) const {
    return fmt::format("'{}' line {}: ", path_.string(), lines_[row]);
}

void CsvTable::fail(std::size_t row, std::size_t column, std::string_view problem) const {
    throw InputError(fmt::format("{}column '{}' is {} ({})", where(row), names_[column],
                                 in_quotes(text(row, column)), problem));
}

double CsvTable::number(std::size_t row, std::size_t column) const {
    const auto value = parse_number(text(row, column));
    if (!value) fail(row, column, "must be a number");
    if (!std::isfinite(*value)) fail(row, column, "must be finite");
    return *value;
}

std::int64_t CsvTable::integer(std::size_t row, std::size_t column) const {
    const auto value = parse_integer(text(row, column));
    if (!value) fail(row, column, "must be a whole number");
    return *value;
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
