#pragma once

#include "core/notes.hpp"

namespace fermat::cli {

/// Prints the notes of readers as `fermat: warning: ...` on stderr, one line each; --quiet and the
/// log level silence them. A command calls it after its inputs are read and before the work.
void tell(const Notes& notes);

}  // namespace fermat::cli
