#include "bindings.hpp"

NB_MODULE(_core, module) {
    module.doc() = "The C++ part of fermat; import fermat instead.";
    // When Python ends, it does not free objects that daemon threads and some modules still hold.
    // These are no leaks of this module, so users need no warning.
    nanobind::set_leak_warnings(false);
    fermat::python::bind_errors(module);
    fermat::python::bind_info(module);
    fermat::python::bind_monitor(module);
    fermat::python::bind_model(module);
    fermat::python::bind_cuda(module);
    fermat::python::bind_times(module);
    fermat::python::bind_fields(module);
    fermat::python::bind_rays(module);
    fermat::python::bind_bending(module);
    fermat::python::bind_adjoint(module);
    fermat::python::bind_adjoint_cuda(module);
    fermat::python::bind_metric_adjoint(module);
    fermat::python::bind_amplitudes(module);
    fermat::python::bind_analytic(module);
    fermat::python::bind_picks(module);
    fermat::python::bind_smoothing(module);
    fermat::python::bind_trust(module);
    fermat::python::bind_invert(module);
    fermat::python::bind_locate(module);
    fermat::python::bind_relocate(module);
    fermat::python::bind_pictures(module);
    fermat::python::bind_phases(module);
    fermat::python::bind_tables(module);
    fermat::python::bind_layers(module);
}
