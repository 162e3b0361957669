#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/inversion_run.hpp"
#include "cli/layer_flags.hpp"
#include "io/survey_file.hpp"
#include "tomography/layers/invert_layers.hpp"
#include "tomography/start/set_up.hpp"

namespace fermat::cli {

/// What `fermat invert` was given, as far as runs of later phases know it.
struct LayerCall {
    std::optional<std::filesystem::path> model;
    std::filesystem::path picks;
    std::optional<std::filesystem::path> known;
    const LayerFlags& layers;
    const AxisFlags& axes;
    const GuessOptions& guess;
    const std::optional<PickErrors>& errors;
    const InversionOptions& options;
    UnitNames units;
    CatalogueExport exported{};
};

/// The inputs of an inversion of later phases.
struct LayerInputs {
    LayeredMedium start;
    PhasePicks picks;
    LayerInversionOptions options;
    bool guessed_start = false;
    std::string phases{};  ///< of codes, where they were guessed: "1=Pg,2=PmP"
    std::vector<std::string> choices{};
    std::optional<LocalPlane> plane{};
    std::string projection{};
    CatalogueExport exported{};
    UnitNames units{};
};

/// The picks of a file under the names or codes that it has for their phases, where these are worth
/// a run of later phases: where some are no first arrivals, where --phases names them, or where the
/// model has layers and the file says which of them turned where. Nothing for other picks.
std::optional<SurveyFile> later_picks(const LayerCall& call);

/// Reads and chooses all that the run needs; the same on all ranks. Throws InputError.
LayerInputs read_layer_inputs(const LayerCall& call, SurveyFile&& file, const Run& run);

/// Runs the inversion on all ranks, with the folder, the checkpoints and the lines of other
/// inversions.
void run_layer_inversion(const LayerInputs& inputs, RunFolder& folder, const RunStart& start,
                         const Run& run);

}  // namespace fermat::cli
