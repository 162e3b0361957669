#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/csv.hpp"

namespace fermat::bench {

/// A cell as shown in a table on the terminal; '-' for an empty text.
std::string cell_text(const CsvCell& value);

/// Kinds of columns. Names are left-aligned; columns are as wide as their names or the longest
/// number.
enum class BenchCell { name, number };
void print_cell(BenchCell kind, std::string_view column, std::string_view text);
void end_bench_line();

/// A table that is printed while its rows are measured and, if requested, also written as CSV.
class BenchTable {
  public:
    BenchTable(std::string_view title, std::vector<std::string> columns,
               const std::optional<std::filesystem::path>& csv);

    /// Adds a row with one cell per column; the first cell is a name.
    void add(const std::vector<CsvCell>& row);
    void commit();

  private:
    void print(const std::vector<CsvCell>& row) const;

    std::vector<std::string> columns_;
    std::optional<CsvWriter> csv_;
};

}  // namespace fermat::bench
