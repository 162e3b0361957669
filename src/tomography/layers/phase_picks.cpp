#include "tomography/layers/phase_picks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "phases/branch.hpp"

namespace fermat {

PhasePicks phase_picks(Survey survey, const std::vector<std::string>& names) {
    PhasePicks out;
    out.survey = std::move(survey);
    for (const std::string& name : names) {
        auto found = std::find(out.phases.begin(), out.phases.end(), name);
        if (found == out.phases.end()) found = out.phases.insert(found, name);
        out.phase_of.push_back(static_cast<std::int32_t>(found - out.phases.begin()));
    }
    return out;
}

PhasePicks known_picks(const LayeredMedium& medium, const PhasePicks& picks, Notes& notes) {
    std::vector<bool> known;
    std::string listed;
    std::string why;
    std::size_t left_out = 0;
    for (std::size_t k = 0; k < picks.phases.size(); ++k) {
        try {
            require_waves(branch_of(medium, picks.phases[k]), medium);
            known.push_back(true);
        } catch (const InputError& error) {
            known.push_back(false);
            const std::size_t count = picks_of(picks, k).size();
            left_out += count;
            listed += fmt::format("{}{} of {}", listed.empty() ? "" : ", ", count, picks.phases[k]);
            why = error.what();
        }
    }
    if (left_out == 0) return picks;
    if (left_out == picks.phase_of.size()) {
        throw InputError(fmt::format("no pick is of a phase that the medium knows: {}", why));
    }
    notes.add(
        fmt::format("{} of {} picks are of phases that the medium does not know and are left out "
                    "({})",
                    left_out, picks.phase_of.size(), listed));
    std::vector<std::int32_t> kept;
    std::vector<std::string> names;
    for (std::size_t n = 0; n < picks.phase_of.size(); ++n) {
        if (!known[static_cast<std::size_t>(picks.phase_of[n])]) continue;
        kept.push_back(static_cast<std::int32_t>(n));
        names.push_back(picks.name_of(n));
    }
    return phase_picks(compact(picks.survey, kept), names);
}

std::vector<std::size_t> picks_of(const PhasePicks& picks, std::size_t phase) {
    std::vector<std::size_t> out;
    for (std::size_t n = 0; n < picks.phase_of.size(); ++n) {
        if (static_cast<std::size_t>(picks.phase_of[n]) == phase) out.push_back(n);
    }
    return out;
}

}  // namespace fermat
