#include "bindings.hpp"
#include "core/error.hpp"
#include "keywords.hpp"

namespace fermat::python {

namespace nb = nanobind;

void bind_errors(nb::module_&) {
    nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
        try {
            std::rethrow_exception(thrown);
        } catch (const InputError& error) {
            PyErr_SetString(PyExc_ValueError, with_keywords(error.what()).c_str());
        } catch (const Cancelled& error) {
            PyErr_SetString(PyExc_KeyboardInterrupt, error.what());
        } catch (const Error& error) {
            PyErr_SetString(PyExc_RuntimeError, with_keywords(error.what()).c_str());
        }
    });
}

}  // namespace fermat::python
