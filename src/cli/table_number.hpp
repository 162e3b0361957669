#pragma once

#include <cstddef>
#include <limits>
#include <optional>

#include "io/csv.hpp"
#include "io/text.hpp"

namespace fermat::cli {

/// A number of a table; not one where the column is missing, or the field is empty or a word.
inline double number_or_nan(const CsvTable& table, std::size_t row,
                            std::optional<std::size_t> column) {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    return column ? parse_number(table.text(row, *column)).value_or(none) : none;
}

}  // namespace fermat::cli
