#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/execution.hpp"
#include "model/layered_medium.hpp"
#include "phases/phases.hpp"
#include "survey/survey.hpp"
#include "tomography/invert.hpp"
#include "tomography/layers/layer_options.hpp"
#include "tomography/layers/phase_picks.hpp"

namespace fermat {

struct LayerInversionOptions {
    /// Of the one loop: iterations, targets, outliers, norm, bounds of velocity and, in its part of
    /// joint runs, what moves of events.
    InversionOptions loop;
    LayerPrior prior;
    PhaseOptions rays;
};

/// How well an interface or a layer's velocity is known, at points.
struct LayerDeviation {
    std::string of;                 ///< id of the interface, or "P of layer 0"
    bool is_depth = false;          ///< of an interface
    std::vector<Vec3> points;       ///< of users
    std::vector<double> change;     ///< from the start: a length, or relative
    std::vector<double> deviation;  ///< after the picks; of the prior where they say nothing
    /// The diagonal of the resolution: how much of a change at the point the picks tell by
    /// themselves. The rest is that of the points around, and of the start.
    std::vector<double> resolution;
    /// Of depths: how far their errors go with those of the mean velocity of the layer above them
    /// (correlation: 1 if a deeper interface below a faster layer explains the picks as well). NaN
    /// of velocities, and where the velocity above is kept.
    std::vector<double> trade_off;
    double prior = 0;
};

struct LayerInversion {
    LayeredMedium medium;
    InversionResult run;  ///< history, residuals, events and use of picks; its model is merged P
    std::vector<LayerDeviation> deviations{};
    std::vector<std::string> statuses{};  ///< of each pick's ray in the final medium
    /// Measured depths less those of the final medium, as LayerPrior::depths.
    std::vector<double> depth_residual{};
};

/// Notes points that stand where a layer has no thickness: they lie in the one below it.
void note_thin_layers(const LayeredMedium& medium, const Survey& survey, Notes& notes);

/// Throws InputError where an inversion cannot be made: phases that the medium does not know,
/// points outside it, picks without errors, options that layers do not have. Nothing
/// is traced.
void require_invertible(const LayeredMedium& start, const PhasePicks& picks,
                        const LayerInversionOptions& options);

/// Finds velocities of layers and depths of interfaces, and with `relocate` events, from picks of
/// first and later phases, by the loop of all inversions, or goes on from a state of the same run.
/// On other ranks than 0 the result holds the medium alone.
LayerInversion invert_layers(const LayeredMedium& start, const PhasePicks& picks,
                             const LayerInversionOptions& options, const Execution& execution = {},
                             const InversionListener& listener = {},
                             std::optional<InversionState> resume = std::nullopt);

/// A name for the run that these make, up to the last bit, as that of run_fingerprint in
/// invert.hpp.
std::string run_fingerprint(const LayeredMedium& start, const PhasePicks& picks,
                            const LayerInversionOptions& options);

}  // namespace fermat
