#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/notes.hpp"

namespace fermat {

/// Notes the columns that a reader does not use: those that are neither `known` nor labels such as
/// name, id or station. `what` is a file in quotes or a table. `remedy` ends the sentence and says
/// which columns are read.
void note_unused_columns(const std::string& what, std::span<const std::string> names,
                         std::span<const std::string_view> known, std::string_view remedy,
                         Notes& notes);

/// Finds the column of picks that holds their errors, by one of its usual names (error, err, t_err,
/// sigma, uncertainty, std, dt ...) in upper or lower case; `error` has precedence. Notes which
/// column was taken if its name is not error or err, and the columns that are neither this one nor
/// `known`. Throws InputError if two columns qualify.
std::optional<std::size_t> find_error_column(const std::string& what,
                                             std::span<const std::string> names,
                                             std::span<const std::string_view> known, Notes& notes);

/// The columns of a table of picks, without the error.
std::span<const std::string_view> pick_column_names();

bool among(std::span<const std::string_view> names, std::string_view name);

/// True for names of columns that can hold errors of picks.
bool is_error_name(std::string_view name);

}  // namespace fermat
