#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/notes.hpp"

namespace fermat {

/// Notes the columns of `what`, a file in quotes or a table, that its reader has no use for: those
/// that are neither `known` nor mere labels such as name, id or station. `remedy` ends the sentence
/// and says what would be read.
void note_unused_columns(const std::string& what, std::span<const std::string> names,
                         std::span<const std::string_view> known, std::string_view remedy,
                         Notes& notes);

/// The column of picks that holds their errors, by one of the names that people give it (error,
/// err, t_err, sigma, uncertainty, std, dt ...) in any case; `error` goes before the others. Notes
/// which was taken for it, where its name is not error or err, and the columns that are neither
/// that one nor `known`. Throws InputError where two columns could be it.
std::optional<std::size_t> find_error_column(const std::string& what,
                                             std::span<const std::string> names,
                                             std::span<const std::string_view> known, Notes& notes);

/// Columns of picks in a table with a header, beside their error.
std::span<const std::string_view> pick_column_names();

/// Whether a column could hold errors of picks.
bool is_error_name(std::string_view name);

}  // namespace fermat
