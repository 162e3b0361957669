#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <tuple>
#include <vector>

#include "model/model.hpp"
#include "rays/bending/rays.hpp"

namespace fermat::python {

// One function per file; module.cpp calls them.
void bind_errors(nanobind::module_& module);
void bind_info(nanobind::module_& module);
void bind_monitor(nanobind::module_& module);
void bind_model(nanobind::module_& module);
void bind_cuda(nanobind::module_& module);
void bind_times(nanobind::module_& module);
void bind_fields(nanobind::module_& module);
void bind_rays(nanobind::module_& module);
void bind_bending(nanobind::module_& module);
void bind_adjoint(nanobind::module_& module);
void bind_adjoint_cuda(nanobind::module_& module);
void bind_metric_adjoint(nanobind::module_& module);
void bind_amplitudes(nanobind::module_& module);
void bind_analytic(nanobind::module_& module);
void bind_smoothing(nanobind::module_& module);
void bind_picks(nanobind::module_& module);
void bind_invert(nanobind::module_& module);
void bind_locate(nanobind::module_& module);
void bind_relocate(nanobind::module_& module);
void bind_trust(nanobind::module_& module);
void bind_pictures(nanobind::module_& module);
void bind_phases(nanobind::module_& module);
void bind_tables(nanobind::module_& module);
void bind_layers(nanobind::module_& module);

/// The makers of Model; bind_model calls it.
void bind_makers(nanobind::class_<Model>& type);
/// Model.load and Model.save; bind_model calls it.
void bind_files(nanobind::class_<Model>& type);
/// The pickled state of a RaySet; bind_rays calls it.
void bind_ray_state(nanobind::class_<RaySet>& type);
/// The grid and topography of Model, and its conversions for other libraries; bind_model calls it.
void bind_views(nanobind::class_<Model>& type);

}  // namespace fermat::python
