#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "core/choice.hpp"
#include "core/error.hpp"
#include "core/grid.hpp"
#include "core/vec3.hpp"

namespace fermat {

// Options are described once: a table beside each struct of options gives the name, the place, the
// meaning and the rule of each. The command line makes its flags and help of it, Python its
// keywords, validate() its checks and a run's fingerprint its content:
//
//     template <> inline constexpr auto options_of<EikonalOptions> = std::tuple{
//         Option{"solver", &EikonalOptions::solver, "method of the traveltimes"},
//         Option{"order", &EikonalOptions::order, "of the differences", one_or_two}};

/// What a value must be, as a test and in words; without a test every value is right.
template <class Value>
struct Rule {
    bool (*holds)(const Value&) = nullptr;
    std::string_view words{};

    bool admits(const Value& value) const { return holds == nullptr || holds(value); }
};

template <class Struct, class Value>
struct Option {
    std::string_view name;  ///< the keyword in Python; the flag has dashes for underscores
    Value Struct::*member;
    std::string_view meaning;
    Rule<Value> rule{};
    /// What is done without it, where the default value does not tell: "found".
    std::string_view otherwise{};
    /// Of values per axis: what y is in 2-D.
    double flat_y = 1;
};
template <class Struct, class Value, class... Rest>
Option(std::string_view, Value Struct::*, std::string_view, Rest...) -> Option<Struct, Value>;

/// A member that is a struct of options with a table of its own.
template <class Struct, class Part>
struct OptionPart {
    Part Struct::*member;
};
template <class Struct, class Part>
OptionPart(Part Struct::*) -> OptionPart<Struct, Part>;

/// The table of a struct: a tuple of Option and OptionPart.
template <class Struct>
inline constexpr auto options_of = nullptr;

namespace detail {

template <class Values, class Visit, class Struct, class Value>
void visit_option(Values& values, Visit& visit, const Option<Struct, Value>& option) {
    visit(option, values.*(option.member));
}

template <class Values, class Visit, class Struct, class Part>
void visit_option(Values& values, Visit& visit, const OptionPart<Struct, Part>& part);

}  // namespace detail

/// Calls visit(option, value) for every option of a struct and its parts, in the order of the
/// table.
template <class Struct, class Visit>
void for_each_option(Struct& values, Visit&& visit) {
    std::apply([&](const auto&... entry) { (detail::visit_option(values, visit, entry), ...); },
               options_of<std::remove_const_t<Struct>>);
}

template <class Values, class Visit, class Struct, class Part>
void detail::visit_option(Values& values, Visit& visit, const OptionPart<Struct, Part>& part) {
    for_each_option(values.*(part.member), visit);
}

/// Values as messages show them.
std::string option_text(double value);
std::string option_text(int value);
std::string option_text(Vec3 value);
std::string option_text(Index3 value);
std::string quoted(std::string_view name);
inline std::string option_text(const std::optional<double>& value) {
    return value ? option_text(*value) : "none";
}
template <class Enum>
requires std::is_enum_v<Enum> std::string option_text(Enum value) { return quoted(name_of(value)); }

/// "target rms" of "target_rms".
std::string spoken_name(std::string_view name);

/// Throws InputError: "order is 3 (must be 1 or 2)".
[[noreturn]] void refuse_option(std::string_view name, const std::string& value,
                                std::string_view words);

/// Throws InputError that names the first option that breaks its rule.
template <class Struct>
void validate_options(const Struct& values) {
    for_each_option(values, [](const auto& option, const auto& value) {
        if constexpr (requires { option_text(value); }) {
            if (!option.rule.admits(value)) {
                refuse_option(option.name, option_text(value), option.rule.words);
            }
        }
    });
}

inline bool is_not_negative(const double& value) { return value >= 0 && std::isfinite(value); }
inline constexpr Rule<double> not_negative{&is_not_negative, ">= 0"};

}  // namespace fermat
