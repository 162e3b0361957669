#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/app.hpp"
#include "cli/catalogue_export.hpp"
#include "cli/kept_iterations.hpp"
#include "cli/run_folder.hpp"
#include "io/polarity.hpp"
#include "io/units.hpp"
#include "model/medium.hpp"
#include "tomography/invert.hpp"
#include "tomography/synthetic.hpp"

namespace fermat::cli {

/// The inputs of an inversion.
struct InversionInputs {
    Medium start;
    Survey picks;
    InversionOptions options;
    bool guessed_start = false;           ///< the start model was made from the picks
    std::vector<std::string> choices{};   ///< choices made for the user, one sentence each
    std::vector<std::string> warnings{};  ///< inconsistencies of the inputs
    std::optional<Model> board =
        std::nullopt;  ///< model of a checkerboard test, from which the picks were computed
    std::optional<LocalPlane> plane = std::nullopt;  ///< of the picks' longitudes and latitudes
    std::string projection{};                        ///< instead: one of the Python package
    std::vector<Polarity> polarities{};              ///< first motions of the picks, if known
    CatalogueExport exported{};
    UnitNames units{};  ///< names for axes, kept with the run's settings
};

/// What a run does with an earlier run in its folder.
struct RunStart {
    bool resume = false;     ///< continues from the checkpoint, if there is one
    bool overwrite = false;  ///< removes an earlier run instead of keeping it aside
};

inline constexpr auto checkpoint_name = "checkpoint.h5";

/// Prepares the folder for a run. Returns the state to continue from, if there is one.
std::optional<InversionState> enter_run(RunFolder& folder, const Grid& grid, const RunPlan& plan,
                                        bool resume, const Run& run);

/// Runs an inversion on all ranks. Rank 0 reports progress, keeps checkpoints and the iterations
/// that are asked for, and writes the results and the recovery of a checkerboard.
InversionResult run_inversion(const InversionInputs& inputs, RunFolder& folder,
                              const RunStart& start, const IterationChoice& kept, const Run& run);

}  // namespace fermat::cli
