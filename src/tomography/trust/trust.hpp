#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/choice.hpp"
#include "core/field.hpp"
#include "tomography/trust/found_model.hpp"

namespace fermat {

class LinearProblem;

/// How resolution and deviation are computed.
enum class TrustMethod {
    automatic,  ///< exact up to most_exact_unknowns, else sampled
    exact,      ///< dense algebra
    sampled,    ///< a number of solves of the run's own equations, whatever the number of unknowns
};
template <>
inline constexpr auto choices<TrustMethod> =
    choice_table<TrustMethod>("trust method", {{"auto", TrustMethod::automatic},
                                               {"exact", TrustMethod::exact},
                                               {"sampled", TrustMethod::sampled}});

inline constexpr std::size_t most_exact_unknowns = 6000;

struct TrustOptions {
    TrustMethod method = TrustMethod::automatic;
    int solves = 128;  ///< of each estimate, where it is sampled
    std::uint64_t seed = 1;
    bool resolution = true;
    bool deviation = true;
};
void validate(const TrustOptions& options);

/// What can be trusted of a model. Fields have a value per sample of the model, a node or a cell;
/// those not asked for are empty.
struct Trust {
    /// Diagonal of the resolution matrix, between 0 and 1: how much of an unknown's own truth is in
    /// it. 0 in air.
    Field<float> resolution;
    /// Side of the volume, or area, that shares one resolved number: (cell of the unknowns /
    /// resolution)^(1 / dimensions), in units of length. Unlike the diagonal it hardly depends on
    /// how finely the unknowns are spaced. Not a number in air and where the resolution is 0.
    Field<float> resolving_length;
    /// Posterior standard deviation of velocity, in its units. Not a number in air.
    Field<float> deviation;
    bool exact = false;
    double stray = 0;      ///< RMS error of the resolution, at most, where not exact; 0: not known
    int solves = 0;        ///< made for it, where not exact
    int unfinished = 0;    ///< of these, did not reach their accuracy
    std::string sentence;  ///< how it was computed
};

/// What can be trusted of what a run of these options found: on rank 0; the others get empty
/// fields. The same bits for any number of threads and ranks. All ranks must call it.
Trust estimate_trust(const Model& start, const Survey& picks, const InversionOptions& options,
                     const FoundModel& found, const TrustOptions& trust,
                     const Execution& execution = {});

/// What can be trusted where the linear problem of the run serves further questions.
Trust estimate_trust(const LinearProblem& problem, const TrustOptions& options,
                     const Execution& execution);

/// A column of the resolution matrix per point, on the samples of the model: what the run would
/// make of a change of one unknown by 1, the one nearest to the point. Throws InputError for points
/// outside the grid or in air. Rank 0 has them; the others get none.
std::vector<Field<float>> point_spread(const LinearProblem& problem, std::span<const Vec3> points,
                                       const Execution& execution);

}  // namespace fermat
