#pragma once

#include <string>
#include <string_view>

#include "core/notes.hpp"

namespace fermat::cli {

struct Run;

/// A message of the library with its options (core/option_names.hpp) as flags: "use `device=cpu`"
/// becomes "use --device cpu".
std::string with_flags(std::string_view message);

/// Prints the notes of readers as `fermat: warning: ...` on stderr, one line each; --quiet and the
/// log level silence them. A command calls it after its inputs are read and before the work.
void tell(const Notes& notes);

/// Prints a line on stdout at once, by rank 0 alone and not with --quiet.
void say(const Run& run, const std::string& line);

}  // namespace fermat::cli
