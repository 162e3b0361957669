#pragma once

#include <optional>

#include "model/model.hpp"
#include "tomography/start/depth_profile.hpp"
#include "tomography/start/guess_options.hpp"
#include "tomography/start/survey_shape.hpp"

namespace fermat {

/// The velocity v0 + gradient * d at the depth d below the ground that explains the picks best.
struct GradientFit {
    double v0 = 0;
    double gradient = 0;
    double misfit = 0;   ///< median of |time - fitted| / time
    double deepest = 0;  ///< to which rays of the longest pick dive; 0 without a gradient
};
/// By the closed form of a constant gradient, least sum of |differences|; the ground is taken for
/// level.
GradientFit fit_gradient(const Survey& picks, const SurveyShape& shape,
                         const std::optional<Surface>& ground);

/// A grid and a start model for picks that came without.
struct FirstGuess {
    Model start;
    SurveyShape shape;
    GradientFit fit;
    bool has_ground = false;  ///< the model has air above the points
    /// Where velocities hardly differ: what the start model has in place of the gradient.
    std::optional<DepthProfile> profile{};
};

/// The grid holds all points with a margin. Its spacing is half of the points' distance, unless
/// that made more than a hundred thousand nodes in 2-D and half a million in 3-D, or fewer than
/// forty along the longest side. Below a surface it reaches a third deeper than the longest ray in
/// the fitted gradient, at least a sixth and at most half of that ray's distance. The start model
/// is that gradient, no faster than where the longest ray turns or, where the survey is not along a
/// surface, at the deepest point. Along level ground whose velocities hardly differ it is the
/// profile that times over distances tell, where there are enough of them. `buried`: events are
/// earthquakes below the ground, however few they are.
FirstGuess first_guess(const Survey& picks, const GuessOptions& options, bool buried = false);

}  // namespace fermat
