#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/monitor.hpp"
#include "core/notes.hpp"
#include "eikonal/eikonal.hpp"
#include "model/model.hpp"
#include "rays/rays.hpp"
#include "survey/survey.hpp"

namespace fermat {

/// Gaussian noise on synthetic picks. The same seed gives the same bits on every machine.
struct NoiseOptions {
    double deviation = 0;  ///< standard deviation, in units of time; also the picks' error
    std::uint64_t seed = 1;
};
void validate(const NoiseOptions& noise);

struct SyntheticPicks {
    Survey picks;
    std::int64_t unreached = 0;  ///< arrivals without a time (air between them), which are left out
    Notes notes{};               ///< what is to be told of the times
};

/// First arrivals of a survey in a medium, as if they had been picked. Times that noise would put
/// before the origin time become the origin time. Errors are those of the noise, or without noise
/// those of the survey. A point outside the model, or a phase that the medium does not have, throws
/// InputError.
SyntheticPicks synthetic_picks(const Medium& medium, const Survey& survey,
                               const NoiseOptions& noise = {}, const EikonalOptions& options = {},
                               const Execution& execution = {});

/// How much of a true model an inversion found: relative velocity perturbations v / v_start - 1 of
/// the true and of the found model, over the nodes that belong to a cell of at least `min_coverage`
/// rays and are not air.
struct Recovery {
    double correlation = 0;  ///< Pearson's; NaN where one of them is constant
    double amplitude = 0;    ///< found over true, by least squares
    std::int64_t nodes = 0;
};
Recovery recovery(const Model& start, const Model& truth, const Model& found,
                  FieldView<const float> coverage, double min_coverage);

}  // namespace fermat
