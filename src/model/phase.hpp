#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/choice.hpp"

namespace fermat {

/// The wave that an arrival belongs to. A medium has one slowness per phase.
enum class Phase : std::uint8_t { P, S };
template <>
inline constexpr auto choices<Phase> = choice_table<Phase>("phase",
                                                           {{"P", Phase::P}, {"S", Phase::S}});

inline constexpr std::size_t phase_count = choices<Phase>.entries.size();
/// In the order of their values.
inline constexpr std::array<Phase, phase_count> all_phases{Phase::P, Phase::S};

/// The first arrival that a catalogue's name stands for: "p", "Pg", "Pn", "Pdif", "P1" and "PKP"
/// are P, "s", "Sg", "Sn" and "S*" are S. Throws InputError for other names, reflections such as
/// PmP and converted waves such as PS among them.
Phase phase_of_name(std::string_view name);

}  // namespace fermat
