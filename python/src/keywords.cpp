#include "keywords.hpp"

#include <algorithm>

#include "core/option_names.hpp"
#include "core/printable.hpp"

namespace fermat::python {
namespace {

/// Whether a value is a number or several numbers: "2", "1,0.5".
bool is_numbers(std::string_view value) {
    return value.find_first_not_of("0123456789.,+-e") == value.npos;
}

std::string as_keyword(std::string_view name, std::string_view value) {
    // A method of the model, and a keyword of Model.load.
    if (name == "to_nodes") return "model.to_nodes()";
    if (name == "placement") return value == "nodes" ? "cells=False" : "cells=True";
    std::string out(name);
    if (value.empty()) return out;
    const bool several = value.find(',') != value.npos;
    const std::string_view quote = is_numbers(value) ? "" : "'";
    if (!quote.empty() || !several)
        return out.append("=").append(quote).append(value).append(quote);
    out += "=(";
    for (const char c : value) out.append(1, c).append(c == ',' ? " " : "");
    return out + ")";
}

}  // namespace

std::string with_keywords(std::string_view message) {
    // Messages may quote files, whose bytes need not be UTF-8.
    return printable(with_options_written(message, &as_keyword));
}

nanobind::str text_of(std::string_view text) {
    const auto size = static_cast<Py_ssize_t>(text.size());
    PyObject* decoded = PyUnicode_DecodeUTF8(text.data(), size, nullptr);
    if (decoded == nullptr) {
        PyErr_Clear();
        decoded = PyUnicode_DecodeLatin1(text.data(), size, nullptr);
    }
    if (decoded == nullptr) throw nanobind::python_error();
    return nanobind::steal<nanobind::str>(decoded);
}

void throw_type_error(std::string_view name, nanobind::handle value, std::string_view wanted) {
    namespace nb = nanobind;
    const nb::object type = nb::borrow(value.type());
    const bool plain = value.is_none() || nb::isinstance<nb::str>(value) ||
                       nb::isinstance<nb::float_>(value) || nb::isinstance<nb::int_>(value);
    const std::string shown = plain ? nb::repr(value).c_str()
                                    : fmt::format("a {}", nb::str(type.attr("__name__")).c_str());
    throw nb::type_error(fmt::format("{} is {} (must be {})", name, shown, wanted).c_str());
}

}  // namespace fermat::python
