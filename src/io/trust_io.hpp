#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tomography/trust/ensemble.hpp"
#include "tomography/trust/trust.hpp"
#include "tomography/validation/choose_schedule.hpp"
#include "tomography/validation/choose_smoothing.hpp"

namespace fermat {

/// A field of trust.h5; a file carries the identity of its run, see run_mark.
struct TrustField {
    std::string name;
    const Field<float>* values = nullptr;
};

/// Point data where the model has velocity on nodes, cell data where it has it in cells. Empty
/// fields are left out.
void write_trust(const std::filesystem::path& path, const Model& model,
                 const std::vector<TrustField>& fields, const std::string& run);

/// One row per member: its number, rms, chi2 (empty without errors), picks used and iterations.
void write_ensemble_table(const std::filesystem::path& path, const Ensemble& ensemble,
                          const std::string& run);

/// Writes a member, as a whole or not at all. `ensemble` is ensemble_fingerprint's.
void write_member(const std::filesystem::path& path, const EnsembleMember& member,
                  const std::string& run, const std::string& ensemble);

/// A member of that ensemble. Nothing where there is no such file, where it belongs to another
/// ensemble, or where it is damaged: then the member is made again.
std::optional<EnsembleMember> read_member(const std::filesystem::path& path, Shape shape,
                                          const std::string& ensemble);

/// One row per weight: smoothing, held_out, fitted.
void write_smoothing_table(const std::filesystem::path& path, const SmoothingChoice& choice,
                           const std::string& run);
/// One row per stage tried: stage, iterations, its boxes, held_out, taken (1 or 0).
void write_schedule_table(const std::filesystem::path& path, const ScheduleChoice& choice,
                          const std::string& run);
/// What read_schedule reads.
void write_schedule(const std::filesystem::path& path, const std::vector<Stage>& schedule,
                    const std::string& run);

}  // namespace fermat
