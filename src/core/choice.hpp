#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "core/error.hpp"

namespace fermat {

/// The names of an enum's values for users. Each enum has one table, specialised beside it, for the
/// command line, configuration files, Python and messages:
///
///     template <> inline constexpr auto choices<Solver> =
///         choice_table<Solver>("solver", {{"fim", Solver::fim}, {"fmm", Solver::fmm}});
template <class Enum>
inline constexpr auto choices = nullptr;

template <class Enum, std::size_t N>
struct ChoiceTable {
    std::string_view what;
    std::array<std::pair<std::string_view, Enum>, N> entries;
};

template <class Enum, std::size_t N>
constexpr ChoiceTable<Enum, N> choice_table(std::string_view what,
                                            const std::pair<std::string_view, Enum> (&entries)[N]) {
    ChoiceTable<Enum, N> table{what, {}};
    for (std::size_t i = 0; i < N; ++i) table.entries[i] = entries[i];
    return table;
}

template <class Enum>
constexpr std::string_view name_of(Enum value) {
    for (const auto& [name, entry] : choices<Enum>.entries) {
        if (entry == value) return name;
    }
    return "?";
}

/// The names with commas between them, as in "fim, fmm, fsm": for help texts and messages.
template <class Enum>
std::string names_of() {
    std::string list;
    for (const auto& [name, entry] : choices<Enum>.entries) {
        list += (list.empty() ? "" : ", ") + std::string(name);
    }
    return list;
}

template <class Enum>
Enum parse_choice(std::string_view text) {
    for (const auto& [name, entry] : choices<Enum>.entries) {
        if (name == text) return entry;
    }
    throw InputError("unknown " + std::string(choices<Enum>.what) + " '" + std::string(text) +
                     "' (must be one of " + names_of<Enum>() + ")");
}

}  // namespace fermat
