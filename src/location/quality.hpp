#pragma once

#include "core/choice.hpp"

namespace fermat {

struct Hypocentre;

/// How good a location is: the mean of HYPO71's classes of its errors and of its stations (Lee &
/// Lahr 1975), which HypoInverse gives too. They are of km and s.
///
/// | class | rms, s | horizontal error | depth error | used | gap | nearest station within |
/// |---|---|---|---|---|---|---|
/// | A | < 0.15 | <= 1 km | <= 2 km | >= 6 | <= 90 | depth or 5 km |
/// | B | < 0.30 | <= 2.5 km | <= 5 km | >= 6 | <= 135 | twice the depth or 10 km |
/// | C | < 0.50 | <= 5 km | | >= 6 | <= 180 | 50 km |
/// | D | worse | | | | | |
///
/// An event that a face of the box or the ground holds has no better class than C.
enum class Quality { none, A, B, C, D };
template <>
inline constexpr auto choices<Quality> = choice_table<Quality>("quality", {{"", Quality::none},
                                                                           {"A", Quality::A},
                                                                           {"B", Quality::B},
                                                                           {"C", Quality::C},
                                                                           {"D", Quality::D}});

/// `depth` is below the ground; `kilometre` is how many lengths of the model a km has.
Quality quality_of(const Hypocentre& event, double depth, double kilometre);

}  // namespace fermat
