#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/execution.hpp"
#include "tomography/layers/phase_picks.hpp"

namespace fermat {

/// Names that codes of a file stand for: ("1", "Pg").
using PhaseNames = std::vector<std::pair<std::string, std::string>>;

/// Whether a name is a code, that is a whole number.
bool is_code(const std::string& name);
/// Whether any pick has a code for a name.
bool has_codes(const PhasePicks& picks);

/// The picks with other names; codes that become one name are one phase. Throws InputError for
/// names that no pick has.
PhasePicks renamed(const PhasePicks& picks, const PhaseNames& names);

/// What codes stand for by their times over distances alone: those that bend as reflections do
/// (t^2 = t0^2 + (x/v)^2) and come after the waves of the first layer are reflections, sorted by
/// t0; the others turn in layers, sorted by their velocities (one alone whose far picks are much
/// faster is P, wherever it turns). With one interface they are called Pg, PmP and Pn, with more
/// P0, P1, P1P and so on.
PhaseNames guess_codes(const PhasePicks& picks);

/// What codes stand for in a medium: of all waves that turn in a layer or are reflected at an
/// interface, the one whose times are nearest to the picks'.
PhaseNames match_codes(const LayeredMedium& medium, const PhasePicks& picks,
                       const Execution& execution);

/// "code 1 is Pg (213 picks), code 2 PmP (90)", and the option that changes it.
std::string describe(const PhaseNames& names, const PhasePicks& picks);

}  // namespace fermat
