#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/notes.hpp"
#include "model/layered_medium.hpp"
#include "survey/survey.hpp"

namespace fermat {

/// Picks of named phases: a survey, and of each arrival the number of its phase among `phases`.
struct PhasePicks {
    Survey survey;
    std::vector<std::string> phases;
    std::vector<std::int32_t> phase_of;

    const std::string& name_of(std::size_t pick) const {
        return phases[static_cast<std::size_t>(phase_of[pick])];
    }
};

/// Picks with a name each, as a file has them.
PhasePicks phase_picks(Survey survey, const std::vector<std::string>& names);

/// The picks of phases that the medium knows. What is left out is noted with counts and names.
/// Throws InputError where nothing is left.
PhasePicks known_picks(const LayeredMedium& medium, const PhasePicks& picks, Notes& notes);

/// Numbers of the picks of a phase.
std::vector<std::size_t> picks_of(const PhasePicks& picks, std::size_t phase);

}  // namespace fermat
