#pragma once

#include "tomography/validation/validation.hpp"

namespace fermat {

/// A stage that the search tried.
struct StageScore {
    int stage = 0;        ///< of the schedule, from 1
    Stage tried;          ///< with the iterations up to its best model
    double held_out = 0;  ///< how well its best model meets the picks left out
    bool taken = false;
};

struct ScheduleChoice {
    std::vector<Stage> schedule;
    std::vector<StageScore> table;  ///< in the order of the search
    std::string sentence;
};

/// Finds a schedule of boxes for method 'hole' by cross-validation, stage by stage (the adaptive
/// schedule that paper 4 leaves to future work): from the models of all folds each of the next
/// boxes is tried for up to 6 iterations, the same box, half of it and a quarter of it; the box and
/// the number of iterations whose models meet the picks left out best are taken. The search ends,
/// and so does the schedule, once no box gains 1 %.
ScheduleChoice choose_schedule(const Model& start, const Survey& picks,
                               const InversionOptions& options, const ValidationOptions& validation,
                               const Execution& execution);

}  // namespace fermat
