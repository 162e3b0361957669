#pragma once

#include <nanobind/nanobind.h>

#include "core/notes.hpp"
#include "keywords.hpp"

namespace fermat::python {

/// Issues the notes of readers as UserWarnings at the line of the Python caller, for functions that
/// users call directly. Throws if warnings are errors.
inline void warn(const Notes& notes) {
    for (const std::string& sentence : notes.sentences()) {
        if (PyErr_WarnEx(PyExc_UserWarning, with_keywords(sentence).c_str(), 1) != 0) {
            throw nanobind::python_error();
        }
    }
}

/// Returns the notes of readers as a list. The Python package issues them as warnings at the line
/// of its own caller.
inline nanobind::list sentences_of(const Notes& notes) {
    nanobind::list list;
    for (const std::string& sentence : notes.sentences())
        list.append(with_keywords(sentence).c_str());
    return list;
}

}  // namespace fermat::python
