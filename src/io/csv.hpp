#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "io/atomic_file.hpp"
#include "io/run_mark.hpp"

namespace fermat {

/// A comma-separated table with a header of column names. Blank lines and lines that start with '#'
/// are skipped; LF and CRLF both end a line; there is no quoting. Fields are parsed only when they
/// are read, so unused columns may hold anything. In a table that a run wrote, the last column
/// identifies the run; names() does not list it.
class CsvTable {
  public:
    /// Throws InputError that names file and line.
    explicit CsvTable(const std::filesystem::path& path);

    const std::filesystem::path& path() const { return path_; }
    const std::vector<std::string>& names() const { return names_; }
    std::size_t rows() const { return lines_.size(); }

    std::optional<std::size_t> find_column(std::string_view name) const;
    /// Index of a column. Throws InputError that lists the columns of the table.
    std::size_t column(std::string_view name) const;

    std::string_view text(std::size_t row, std::size_t column) const {
        return fields_[row * names_.size() + column];
    }
    /// A field as a finite number. Throws InputError that names file, line, column and text.
    double number(std::size_t row, std::size_t column) const;
    std::int64_t integer(std::size_t row, std::size_t column) const;
    /// Identity of the run that wrote the table, see run_mark; empty if there is none or the table
    /// has no rows.
    const std::string& run() const { return run_; }
    /// The start of a message about a row: "'picks.csv' line 7: ".
    std::string where(std::size_t row) const;

  private:
    void add_row(std::string_view line, std::size_t number);
    void read_header(std::string_view line, std::size_t number);
    [[noreturn]] void fail(std::size_t row, std::size_t column, std::string_view problem) const;

    std::filesystem::path path_;
    std::shared_ptr<const std::string> content_;  ///< owns the text of the fields
    std::vector<std::string> names_;
    std::vector<std::string_view> fields_;
    std::vector<std::size_t> lines_;
    bool has_run_ = false;
    std::string run_;
};

using CsvCell = std::variant<double, std::int64_t, std::string_view>;

/// Writes a table row by row; the file appears at commit(). Numbers have as many digits as reading
/// back the same value needs.
class CsvWriter {
  public:
    /// If `run` is given, the last column holds it in every row.
    CsvWriter(const std::filesystem::path& path, const std::vector<std::string>& names,
              const std::string& run = "");

    void add_row(const std::vector<CsvCell>& cells);
    void commit() { file_.commit(); }

  private:
    OutputFile file_;
    std::size_t columns_;
    std::string run_;  ///< appended to every line
    std::string line_;
};

}  // namespace fermat
