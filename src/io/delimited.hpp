#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fermat {

/// A table of text as people have it: columns between commas, semicolons, tabs or blanks, with or
/// without a line of names. Lines that start with '#', '%' or '!' are comments; one directly before
/// the data that has a word per column names them. Without names the columns are "1", "2" and so
/// on. Between semicolons a number may have a decimal comma.
class DelimitedTable {
  public:
    /// Throws InputError that names file and line, also for a row with another number of fields.
    explicit DelimitedTable(const std::filesystem::path& path);

    const std::filesystem::path& path() const { return path_; }
    const std::vector<std::string>& names() const { return names_; }
    bool has_names() const { return has_names_; }
    std::size_t rows() const { return lines_.size(); }
    std::size_t line(std::size_t row) const { return lines_[row]; }

    std::optional<std::size_t> find_column(std::string_view name) const;
    std::string_view text(std::size_t row, std::size_t column) const {
        return fields_[row * names_.size() + column];
    }
    /// A field as a number; NaN if it is empty, "nan" or "-". Throws InputError for other texts.
    double number(std::size_t row, std::size_t column) const;
    std::string where(std::size_t row) const;

  private:
    void choose_delimiter(std::string_view line);
    std::vector<std::string_view> split(std::string_view line) const;
    /// True if the first line itself has the names.
    bool take_names(const std::vector<std::string_view>& first, std::string_view comment);
    std::optional<double> parse(std::string_view text) const;

    std::filesystem::path path_;
    std::shared_ptr<const std::string> content_;  ///< owns the text of the fields
    char delimiter_ = ' ';
    bool has_names_ = false;
    std::vector<std::string> names_;
    std::vector<std::string_view> fields_;
    std::vector<std::size_t> lines_;
};

}  // namespace fermat
