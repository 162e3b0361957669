#pragma once

#include <cstdint>
#include <vector>

#include "model/model.hpp"
#include "survey/survey.hpp"
#include "tomography/trust/ensemble.hpp"

namespace fermat {

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
