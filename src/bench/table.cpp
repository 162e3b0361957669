#include "bench/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace fermat::bench {

std::string cell_text(const CsvCell& value) {
    if (const auto* real = std::get_if<double>(&value)) return fmt::format("{:.3g}", *real);
    if (const auto* number = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *number);
    const auto text = std::get<std::string_view>(value);
    return text.empty() ? "-" : std::string(text);
}

void print_cell(BenchCell kind, std::string_view column, std::string_view text) {
    constexpr std::size_t name_width = 14;
    constexpr std::size_t least_width = 8;
    if (kind == BenchCell::name) {
        fmt::print("{:<{}}", text, name_width);
    } else {
        fmt::print("  {:>{}}", text, std::max(least_width, column.size()));
    }
}

void end_bench_line() {
    fmt::print("\n");
    std::fflush(stdout);
}

BenchTable::BenchTable(std::string_view title, std::vector<std::string> columns,
                       const std::optional<std::filesystem::path>& csv)
    : columns_(std::move(columns)) {
    if (csv) csv_.emplace(*csv, columns_);
    fmt::print("{}\n", title);
    std::vector<CsvCell> names;
    for (const std::string& column : columns_) names.emplace_back(std::string_view(column));
    print(names);
}

void BenchTable::add(const std::vector<CsvCell>& row) {
    print(row);
    if (csv_) csv_->add_row(row);
}

void BenchTable::print(const std::vector<CsvCell>& row) const {
    for (std::size_t i = 0; i < row.size(); ++i) {
        print_cell(i == 0 ? BenchCell::name : BenchCell::number, columns_[i], cell_text(row[i]));
    }
    end_bench_line();
}

void BenchTable::commit() {
    if (csv_) csv_->commit();
}

}  // namespace fermat::bench
