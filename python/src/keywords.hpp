#pragma once

#include <fmt/format.h>
#include <nanobind/nanobind.h>

#include <string>
#include <string_view>
#include <type_traits>

namespace fermat::python {

/// A message of the library with its options (core/option_names.hpp) as keywords: "use
/// `device=cpu`" becomes "use device='cpu'".
std::string with_keywords(std::string_view message);

/// A text of a file as str: UTF-8 or, where it is not, Latin-1.
nanobind::str text_of(std::string_view text);

/// The TypeError of a keyword: "order is 1.5 (must be a whole number)".
[[noreturn]] void throw_type_error(std::string_view name, nanobind::handle value,
                                   std::string_view wanted);

/// The value of a keyword as a T. Throws a TypeError that names the keyword. The caster of T must
/// be included.
template <class T>
T keyword_as(nanobind::handle value, std::string_view name) {
    T out;
    if (nanobind::try_cast(value, out)) return out;
    throw_type_error(name, value,
                     std::is_same_v<T, bool>                 ? "True or False"
                     : std::is_integral_v<T>                 ? "a whole number"
                     : std::is_floating_point_v<T>           ? "a number"
                     : std::is_convertible_v<T, std::string> ? "a text"
                                                             : "of another type");
}

}  // namespace fermat::python
