#pragma once

#include "core/notes.hpp"
#include "io/phase_picks.hpp"

namespace fermat::python {

/// What a file of arrivals, or of events and stations alone, holds.
struct PhasePicks {
    SurveyFile file;
    Notes notes;

    const Survey& survey() const { return file.picks; }
};

}  // namespace fermat::python
