#pragma once

#include <string>
#include <vector>

#include "core/execution.hpp"
#include "model/layered_medium.hpp"
#include "phases/phases.hpp"
#include "survey/survey.hpp"
#include "tomography/invert.hpp"
#include "tomography/layers/layer_options.hpp"

namespace fermat {

/// Picks of named phases: a survey, and of each arrival the number of its phase among `phases`.
struct PhasePicks {
    Survey survey;
    std::vector<std::string> phases;
    std::vector<std::int32_t> phase_of;
};

struct LayerInversionOptions {
    InversionOptions loop;  ///< of the one loop: iterations, targets, outliers, norm
    LayerPrior prior;
    PhaseOptions rays;
};

/// How well an interface or a layer's velocity is known, at points.
struct LayerDeviation {
    std::string of;                 ///< id of the interface, or "P of layer 0"
    std::vector<Vec3> points;       ///< of users
    std::vector<double> change;     ///< from the start: a length, or relative
    std::vector<double> deviation;  ///< after the picks; of the prior where they say nothing
    double prior = 0;
};

struct LayerInversion {
    LayeredMedium medium;
    InversionResult run;  ///< history, residuals and the use of picks; its model is merged P
    std::vector<LayerDeviation> deviations{};
    std::vector<std::string> statuses{};  ///< of each pick's ray in the final medium
};

/// Finds velocities of layers and depths of interfaces from picks of first and later phases, by the
/// loop of all inversions. Picks need errors. Throws InputError for phases that the medium does not
/// know and for points outside it.
LayerInversion invert_layers(const LayeredMedium& start, const PhasePicks& picks,
                             const LayerInversionOptions& options, const Execution& execution = {},
                             const InversionListener& listener = {});

}  // namespace fermat
