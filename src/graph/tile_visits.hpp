#pragma once

#include "core/choice.hpp"

namespace fermat {

/// Which tiles a pass of Bellman and Ford's method visits, on every device.
enum class TileVisits {
    changed,  ///< of those that a change can reach, the ones that the wave is about to cross
    marked,   ///< all that a change can reach: paper 2's update map
    all,      ///< all of them: without an update map, as in paper 1
};
template <>
inline constexpr auto choices<TileVisits> = choice_table<TileVisits>(
    "tile visits",
    {{"changed", TileVisits::changed}, {"marked", TileVisits::marked}, {"all", TileVisits::all}});

}  // namespace fermat
