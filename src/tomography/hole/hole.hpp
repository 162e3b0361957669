#pragma once

#include <optional>

#include "core/execution.hpp"
#include "model/model.hpp"
#include "survey/survey.hpp"
#include "tomography/invert.hpp"

namespace fermat {

/// The loop of Hole (1992) and paper 4: predict, judge, step, through the stages of a schedule.
/// invert() has checked all arguments. `cuda` is the same on all ranks.
InversionResult invert_hole(const Model& start, const Survey& picks,
                            const InversionOptions& options, const Execution& execution,
                            const InversionListener& listener, std::optional<InversionState> resume,
                            bool cuda);

}  // namespace fermat
