#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/csv.hpp"

namespace fermat::bench {

/// A cell as a table on the terminal shows it; '-' for an empty text.
std::string cell_text(const CsvCell& value);

/// Columns are as wide as their names or the longest number; names of things stand on the left.
enum class BenchCell { name, number };
void print_cell(BenchCell kind, std::string_view column, std::string_view text);
void end_bench_line();

/// A table that is printed as its rows are measured and, if asked for, kept as a CSV file.
class BenchTable {
  public:
    BenchTable(std::string_view title, std::vector<std::string> columns,
               const std::optional<std::filesystem::path>& csv);

    /// One cell a column, the first of them a name.
    void add(const std::vector<CsvCell>& row);
    void commit();

  private:
    void print(const std::vector<CsvCell>& row) const;

    std::vector<std::string> columns_;
    std::optional<CsvWriter> csv_;
};

}  // namespace fermat::bench
