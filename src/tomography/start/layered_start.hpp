#pragma once

#include <optional>
#include <string>
#include <vector>

#include "survey/survey.hpp"
#include "tomography/layers/delay_times.hpp"
#include "tomography/start/first_guess.hpp"

namespace fermat {

/// One layer over a refractor with relief, as first arrivals of a line tell it by delay times.
struct LayeredStart {
    DelayTimes delays;
    std::vector<double> thickness;  ///< of the layer at the ground, at the places of delays

    double velocity_at(double x, double below_ground) const;
    /// "436 to 890 at the ground, 2570 below 6.8 (median)".
    std::string description() const;
};

/// Nothing unless picks of a line along the surface tell rock that is twice as fast as the ground,
/// with a jump. Velocity grows with depth in the layer where that meets its picks better.
std::optional<LayeredStart> layered_start(const Survey& picks, const SurveyShape& shape);
/// Whether delay times meet picks of such errors: gradual ground is missed by twice its errors and
/// more, a layer over rock by less (bench/inversion).
bool meets(const LayeredStart& layers, double error);
/// The median of the errors.
double usual_error(const Survey& picks);
/// That picks without errors, which a gradient explains to `error`, tell layers too.
std::string layers_sentence(const LayeredStart& layers, double error);
/// Why a run does not start from layers that meet its picks.
std::string stalled_sentence(const LayeredStart& layers, double reached, double other);

/// The layers on the grid of a guess, with its air. Nodes near the refractor have the mean slowness
/// of two cells, so that a refractor between nodes is one, and rays do not leap with its steps.
/// Nothing where the grid does not reach below the refractor.
std::optional<Model> layered_model(const LayeredStart& layers, const FirstGuess& guess);

/// What a guessed start model is, in a sentence for people.
std::string start_sentence(const FirstGuess& guess, const Model& start,
                           const std::optional<LayeredStart>& layers);

}  // namespace fermat
