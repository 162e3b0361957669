#pragma once

#include <cstdint>
#include <vector>

#include "core/choice.hpp"
#include "model/model.hpp"
#include "survey/survey.hpp"

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

/// The numbers of the picks that a shot, or each pick alone, stands for; shots without picks are
/// left out.
std::vector<std::vector<std::int32_t>> units_of(const Survey& picks, PickUnit unit);

/// Units dealt into groups of equal size, or nearly; by chance, the same for the same seed.
/// `groups` is at most their number.
std::vector<std::vector<std::int32_t>> groups_of(const Survey& picks, PickUnit unit, int groups,
                                                 std::uint64_t seed);

/// All picks but those named.
Survey picks_without(const Survey& picks, const std::vector<std::int32_t>& numbers);

/// Draws as many units as there are, with replacement.
Survey bootstrapped(const Survey& picks, PickUnit unit, std::uint64_t seed, std::uint64_t number);

/// Adds noise of the standard deviations `errors`. Times stay positive or 0.
Survey with_noise(const Survey& picks, const std::vector<double>& errors, std::uint64_t seed,
                  std::uint64_t number);

/// The model with its log-velocity changed by a smooth random field of standard deviation
/// `amplitude` and a correlation length of `length`.
Model with_hills(const Model& model, double amplitude, double length, std::uint64_t seed,
                 std::uint64_t number);

}  // namespace fermat
