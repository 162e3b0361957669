#include "bench/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "bench/table.hpp"

namespace fermat::bench {
namespace {

struct BenchColumn {
    std::string_view name;
    CsvCell (*value)(const BenchRow&);
};

template <class T>
CsvCell cell(const std::optional<T>& value) {
    return value ? CsvCell(*value) : CsvCell(std::string_view());
}
CsvCell whole(int value) { return std::int64_t{value}; }

constexpr std::array columns = {
    BenchColumn{"table", [](const BenchRow& r) { return CsvCell(std::string_view(r.table)); }},
    BenchColumn{"scenario",
                [](const BenchRow& r) { return CsvCell(std::string_view(r.scenario)); }},
    BenchColumn{"nx", [](const BenchRow& r) { return whole(r.shape.x); }},
    BenchColumn{"ny", [](const BenchRow& r) { return whole(r.shape.y); }},
    BenchColumn{"nz", [](const BenchRow& r) { return whole(r.shape.z); }},
    BenchColumn{"solver", [](const BenchRow& r) { return CsvCell(name_of(r.solver)); }},
    BenchColumn{"order", [](const BenchRow& r) { return whole(r.order); }},
    BenchColumn{"threads", [](const BenchRow& r) { return whole(r.threads); }},
    BenchColumn{"shots", [](const BenchRow& r) { return whole(r.shots); }},
    BenchColumn{"seconds", [](const BenchRow& r) { return CsvCell(r.seconds); }},
    BenchColumn{"with_rays_s", [](const BenchRow& r) { return cell(r.with_rays); }},
    BenchColumn{"mnodes_per_s",
                [](const BenchRow& r) { return CsvCell(1e-6 / r.seconds_per_node()); }},
    BenchColumn{"mean_error", [](const BenchRow& r) { return cell(r.mean_error); }},
    BenchColumn{"max_error", [](const BenchRow& r) { return cell(r.max_error); }},
    BenchColumn{"rays_lost", [](const BenchRow& r) { return cell(r.rays_lost); }},
    BenchColumn{"peak_mib", [](const BenchRow& r) { return cell(r.peak_mib); }},
    BenchColumn{"bytes_per_node", [](const BenchRow& r) { return cell(r.bytes_per_node); }},
    BenchColumn{"growth", [](const BenchRow& r) { return cell(r.growth); }},
    BenchColumn{"speedup", [](const BenchRow& r) { return cell(r.speedup); }},
    BenchColumn{"ttcrpy_laptop_s", [](const BenchRow& r) { return cell(r.ttcrpy); }},
    BenchColumn{"jetson_nano_s", [](const BenchRow& r) { return cell(r.jetson); }},
};

/// Prints a cell; the first column, the scenario, is left-aligned.
void print(std::size_t column, std::string_view text) {
    const std::string_view name = columns[column].name;
    print_cell(name == "scenario" ? BenchCell::name : BenchCell::number, name, text);
}

}  // namespace

double BenchRow::seconds_per_node() const {
    return seconds / (static_cast<double>(shape.count()) * shots);
}

BenchReport::BenchReport(const std::optional<std::filesystem::path>& csv) {
    if (!csv) return;
    std::vector<std::string> names;
    for (const BenchColumn& column : columns) names.emplace_back(column.name);
    csv_.emplace(*csv, names);
}

void BenchReport::begin(std::string_view title, std::initializer_list<std::string_view> names) {
    fmt::print("\n{}\n", title);
    shown_.clear();
    for (const std::string_view name : names) {
        const auto* found = std::find_if(columns.begin(), columns.end(),
                                         [&](const auto& column) { return column.name == name; });
        shown_.push_back(static_cast<std::size_t>(found - columns.begin()));
        print(shown_.back(), name);
    }
    end_bench_line();
}

void BenchReport::add(const BenchRow& row) {
    for (const std::size_t column : shown_) {
        print(column, cell_text(columns[column].value(row)));
    }
    end_bench_line();
    if (!csv_) return;
    std::vector<CsvCell> cells;
    for (const BenchColumn& column : columns) cells.push_back(column.value(row));
    csv_->add_row(cells);
}

void BenchReport::say(std::string_view line) const {
    fmt::print("{}", line);
    end_bench_line();
}

void BenchReport::commit() {
    if (csv_) csv_->commit();
}

}  // namespace fermat::bench
