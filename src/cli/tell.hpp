#pragma once

#include "core/notes.hpp"

namespace fermat::cli {

/// What readers noted, as `fermat: warning: ...` on stderr, one line each; --quiet and the log
/// level silence it. A command tells it once its inputs are read, before the work.
void tell(const Notes& notes);

}  // namespace fermat::cli
