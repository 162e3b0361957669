#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tomography/trust/found_model.hpp"

namespace fermat {

/// What differs from member to member of an ensemble.
enum class EnsembleKind {
    bootstrap,  ///< as many shots (or picks) as there are, drawn with replacement (Efron 1979)
    jackknife,  ///< each leaves out another group of shots (or picks)
    noise,      ///< all picks, with fresh noise of their errors on them
    start,      ///< the start model, with random hills of velocity on it
    subsets,    ///< each has another group of shots (or picks) alone: for fusion
};
template <>
inline constexpr auto choices<EnsembleKind> =
    choice_table<EnsembleKind>("ensemble", {{"bootstrap", EnsembleKind::bootstrap},
                                            {"jackknife", EnsembleKind::jackknife},
                                            {"noise", EnsembleKind::noise},
                                            {"start", EnsembleKind::start},
                                            {"subsets", EnsembleKind::subsets}});

/// What is drawn, left out or held out as one.
enum class PickUnit { shots, picks };
template <>
inline constexpr auto choices<PickUnit> = choice_table<PickUnit>("unit of resampling",
                                                                 {{"shots", PickUnit::shots},
                                                                  {"picks", PickUnit::picks}});

/// What members of `subsets` count by, sample by sample, when they become one model.
enum class FusionWeight {
    coverage,    ///< rays in the cells round it, spread over the spacing of unknowns
    resolution,  ///< the diagonal of each member's resolution; of gauss-newton only
    even,        ///< all alike
};
template <>
inline constexpr auto choices<FusionWeight> =
    choice_table<FusionWeight>("fusion weight", {{"coverage", FusionWeight::coverage},
                                                 {"resolution", FusionWeight::resolution},
                                                 {"even", FusionWeight::even}});

struct EnsembleOptions {
    EnsembleKind kind = EnsembleKind::bootstrap;
    int members = 20;  ///< of jackknife and subsets at most as many as there are units
    PickUnit unit = PickUnit::shots;
    std::uint64_t seed = 1;
    double amplitude = 0.1;  ///< of `start`: standard deviation of log-velocity
    double length = 0;       ///< of `start`: of its hills; 0: a quarter of the shortest side
    FusionWeight fuse = FusionWeight::coverage;  ///< of `subsets`
};
void validate(const EnsembleOptions& options);

/// One run of an ensemble.
struct EnsembleMember {
    Field<float> velocity;
    Field<float> weight;  ///< of `subsets`; else empty
    double rms = 0;
    double chi2 = 0;
    std::int64_t picks = 0;
    int iterations = 0;
};

/// Where members are kept between runs of the program, on rank 0.
struct EnsembleStore {
    /// A member that was kept, or nothing.
    std::function<std::optional<EnsembleMember>(int)> load;
    std::function<void(int, const EnsembleMember&)> save;
};

/// Mean and spread of an ensemble, sample by sample; 0 and not a number in air.
///
/// The mean is that of log-slowness, as a velocity; of `subsets` it is weighted, and is the fused
/// model. The spread is a standard deviation, with n - 1 below; of a jackknife that of the
/// estimate, sqrt((n - 1) / n * sum of squares); of `subsets` the weighted one between members.
struct Ensemble {
    Field<float> mean;
    Field<float> spread;                  ///< of velocity, in its units
    Field<float> log_spread;              ///< of log-slowness, and so of log-velocity
    std::vector<EnsembleMember> members;  ///< without their fields
    int loaded = 0;                       ///< of these, were kept from before
    std::string sentence;                 ///< how it was made
};

/// Runs the members, dealt out to the threads and ranks; those of the CUDA device one at a time per
/// rank. `found` is what a Gauss-Newton run of all picks found: then bootstrap, jackknife and noise
/// begin with its model and keep its weight of the roughness, which takes a few passes. Without it,
/// and for `start` and `subsets`, members run as the whole did. Rank 0 has the result. The same
/// bits for any number of threads and ranks, and whatever was loaded.
Ensemble run_ensemble(const Model& start, const Survey& picks, const InversionOptions& options,
                      const std::optional<FoundModel>& found, const EnsembleOptions& ensemble,
                      const Execution& execution = {}, const EnsembleStore& store = {});

/// A name for the ensemble that these make, up to the last bit; `run` is run_fingerprint's.
std::string ensemble_fingerprint(const std::string& run, const std::optional<FoundModel>& found,
                                 const EnsembleOptions& ensemble);

}  // namespace fermat
