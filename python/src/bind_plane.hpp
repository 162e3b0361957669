#pragma once

#include <nanobind/nanobind.h>

namespace fermat::python {

/// Longitudes and latitudes on a local plane, called by bind_picks.
void bind_plane(nanobind::module_& module);

}  // namespace fermat::python
