#pragma once

#include <nanobind/nanobind.h>

namespace fermat::python {

/// Closed forms of metric_forms.hpp, for fermat.analytic.
void bind_metric_forms(nanobind::module_& module);

}  // namespace fermat::python
