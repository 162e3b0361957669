#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/execution.hpp"
#include "tomography/invert.hpp"
#include "tomography/start/guess_options.hpp"

namespace fermat {

/// Errors of picks that came without: absolute + relative * time.
struct PickErrors {
    double absolute = 0;
    double relative = 0;
};

/// An inversion with nothing left open, and how that came about.
struct InversionSetup {
    Medium start;
    Survey picks;
    InversionOptions options;
    bool guessed_start = false;
    /// One sentence per choice that the user left open, with the options that would make it.
    std::vector<std::string> choices;
    /// One sentence per thing that does not fit together.
    std::vector<std::string> warnings;
};

/// Chooses what was left open: a start model from the picks, where none is given; the method; the
/// weights of the roughness along the axes; bounds of velocity from the picks' own velocities;
/// errors of the picks, where they have none, by cross-validation. The same on every rank.
InversionSetup set_up_inversion(std::optional<Medium> start, Survey picks, InversionOptions options,
                                const GuessOptions& guess = {},
                                const std::optional<PickErrors>& errors = std::nullopt,
                                const Execution& execution = {});

}  // namespace fermat
