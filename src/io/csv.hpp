#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/vec3.hpp"
#include "io/atomic_file.hpp"
#include "io/run_mark.hpp"
#include "io/text_file.hpp"

namespace fermat {

/// A table of text. Blank lines and comments are skipped; LF and CRLF both end a line. Fields are
/// parsed only when they are read, so unused columns may hold anything.
class CsvTable {
  public:
    enum class Style {
        /// Ours: commas, a header of names, no quoting, '#' comments. In a table that a run wrote,
        /// the last column identifies the run; names() does not list it.
        strict,
        /// As people have it: commas, semicolons, tabs or blanks, with or without a line of names;
        /// '#', '%' and '!' start comments, and one directly before the data that has a word per
        /// column names them. Without names the columns are "1", "2" and so on. Quotes round a
        /// field are taken off. Between semicolons a number may have a decimal comma.
        free
    };

    /// Throws InputError that names file and line, also for a row with another number of fields.
    explicit CsvTable(const TextFile& file, Style style = Style::strict);

    const std::filesystem::path& path() const { return file_.path(); }
    const std::vector<std::string>& names() const { return names_; }
    bool has_names() const { return has_names_; }
    std::size_t rows() const { return lines_.size(); }
    std::size_t line(std::size_t row) const { return lines_[row]; }

    std::optional<std::size_t> find_column(std::string_view name) const;
    /// Index of a column. Throws InputError that lists the columns of the table.
    std::size_t column(std::string_view name) const;

    std::string_view text(std::size_t row, std::size_t column) const {
        return fields_[row * names_.size() + column];
    }
    /// A field as a finite number. Throws InputError that names file, line, column and text.
    double number(std::size_t row, std::size_t column) const;
    /// NaN if the field is empty or "nan", of a free table also if it is "-"; a number of a free
    /// table may be infinite.
    double number_or_nan(std::size_t row, std::size_t column) const;
    std::int64_t integer(std::size_t row, std::size_t column) const;
    /// Identity of the run that wrote the table, see run_mark; empty if there is none or the table
    /// has no rows.
    const std::string& run() const { return run_; }
    /// The start of a message about a row: "'picks.csv' line 7: ".
    std::string where(std::size_t row) const;

  private:
    bool is_comment(std::string_view line) const;
    void add_row(std::string_view line, std::size_t number);
    void read_header(std::string_view line, std::size_t number);
    void choose_delimiter(std::string_view line);
    std::size_t split(std::string_view line, std::vector<std::string_view>& fields) const;
    /// True if the first line itself has the names.
    bool take_names(std::string_view first, std::string_view comment);
    std::optional<double> parse(std::string_view text) const;
    [[noreturn]] void fail(std::size_t row, std::size_t column, std::string_view problem) const;

    TextFile file_;  ///< owns the text of the fields
    Style style_;
    char delimiter_ = ',';
    bool has_names_ = true;
    std::vector<std::string> names_;
    std::vector<std::string_view> fields_;
    std::vector<std::size_t> lines_;
    bool has_run_ = false;
    std::string run_;
};

/// The columns of a table that hold a point: prefix + "x", prefix + "y" (optional), prefix + "z".
class PointColumns {
  public:
    PointColumns(const CsvTable& table, const std::string& prefix);
    /// Nothing if there is no column prefix + "x".
    static std::optional<PointColumns> find(const CsvTable& table, const std::string& prefix);
    /// Those of latitude, longitude and depth.
    static PointColumns geographic(const CsvTable& table);

    bool is_2d() const { return !y_; }
    Vec3 operator()(std::size_t row) const;

  private:
    PointColumns(const CsvTable& table, std::size_t x, std::optional<std::size_t> y, std::size_t z)
        : table_(&table), x_(x), y_(y), z_(z) {}

    const CsvTable* table_;
    std::size_t x_;
    std::optional<std::size_t> y_;
    std::size_t z_;
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
