#pragma once

#include <nanobind/nanobind.h>

#include "core/notes.hpp"

namespace fermat::python {

/// What readers noted, as UserWarnings at the line of Python that called; for functions that users
/// call themselves. Throws where warnings are errors.
inline void warn(const Notes& notes) {
    for (const std::string& sentence : notes.sentences()) {
        if (PyErr_WarnEx(PyExc_UserWarning, sentence.c_str(), 1) != 0) {
            throw nanobind::python_error();
        }
    }
}

/// The same sentences for the package's Python side, which warns at its own caller's line.
inline nanobind::list sentences_of(const Notes& notes) {
    nanobind::list list;
    for (const std::string& sentence : notes.sentences()) list.append(sentence.c_str());
    return list;
}

}  // namespace fermat::python
