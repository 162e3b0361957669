#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/inversion_run.hpp"
#include "cli/run_folder.hpp"
#include "core/choice.hpp"
#include "tomography/trust/ensemble.hpp"
#include "tomography/trust/trust.hpp"
#include "tomography/validation/choose_schedule.hpp"
#include "tomography/validation/choose_smoothing.hpp"

namespace fermat::cli {

/// What cross-validation is to choose before the run.
enum class Chosen { nothing, smoothing, schedule };

}  // namespace fermat::cli

namespace fermat {

template <>
inline constexpr auto choices<cli::Chosen> =
    choice_table<cli::Chosen>("choice", {{"none", cli::Chosen::nothing},
                                         {"smoothing", cli::Chosen::smoothing},
                                         {"schedule", cli::Chosen::schedule}});

}  // namespace fermat

namespace fermat::cli {

/// Flags of `fermat invert` about what can be trusted of its model.
struct TrustFlags {
    TrustOptions trust{TrustMethod::automatic, 128, 1, false, false};
    std::vector<std::string> points;  ///< whose spread is asked for
    bool ensemble_given = false;
    EnsembleOptions ensemble;
    std::vector<int> devices;  ///< of the ensemble's members
    Chosen chosen = Chosen::nothing;
    ValidationOptions validation;
};
void add_trust_flags(CLI::App& app, TrustFlags& flags);

/// Before the setup of the run: what the flags say of its options.
void prepare(InversionOptions& options, const TrustFlags& flags);

/// What the flags say of the options of runs of P and S or with events that move. Throws InputError
/// where something is asked for that they do not have.
void prepare_joint(InversionOptions& options, const TrustFlags& flags, std::uint64_t seed);

/// What cross-validation chose.
struct Choice {
    std::optional<SmoothingChoice> smoothing;
    std::optional<ScheduleChoice> schedule;
};
/// Chooses, on all ranks, and puts it into the inputs. Throws InputError where flags contradict.
Choice choose_options(InversionInputs& inputs, TrustFlags flags, std::uint64_t seed,
                      const Run& run);

/// After the run: computes what the flags ask for and writes trust.h5, ensemble.csv and choice.csv.
void run_trust(const InversionInputs& inputs, const InversionResult& result, const Choice& choice,
               TrustFlags flags, std::uint64_t seed, const RunFolder& folder, const Run& run);

}  // namespace fermat::cli
