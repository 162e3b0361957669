#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/app.hpp"
#include "cli/run_folder.hpp"
#include "model/model.hpp"
#include "tomography/invert.hpp"
#include "tomography/synthetic.hpp"

namespace fermat::cli {

/// What an inversion is made of.
struct InversionInputs {
    Model start;
    Picks picks;
    InversionOptions options;
    bool guessed_start = false;                 ///< the start model was made from the picks
    std::vector<std::string> choices{};         ///< what was chosen for the user, a sentence each
    std::vector<std::string> warnings{};        ///< what does not fit together
    std::optional<Model> board = std::nullopt;  ///< of a checkerboard test, whose picks these are
};

/// How a run treats what is in its folder.
struct RunStart {
    bool resume = false;     ///< goes on from the checkpoint, if there is one
    bool overwrite = false;  ///< removes an earlier run instead of keeping it aside
};

/// Runs an inversion on all ranks; rank 0 tells of it, keeps checkpoints and writes the results,
/// and the score of a checkerboard.
InversionResult run_inversion(const InversionInputs& inputs, RunFolder& folder,
                              const RunStart& start, const Run& run);

}  // namespace fermat::cli
