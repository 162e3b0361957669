#include "bindings.hpp"

NB_MODULE(_core, module) {
    module.doc() = "The C++ part of fermat; import fermat instead.";
    // Python does not free what daemon threads and some modules still hold when it ends: that is no
    // leak of ours, and nothing to tell a user of.
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
    fermat::python::bind_analytic(module);
    fermat::python::bind_picks(module);
    fermat::python::bind_smoothing(module);
    fermat::python::bind_trust(module);
    fermat::python::bind_invert(module);
    fermat::python::bind_pictures(module);
}
