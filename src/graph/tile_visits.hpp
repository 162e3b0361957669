#pragma once

#include "core/choice.hpp"

namespace fermat {

/// Which tiles a pass of Bellman and Ford's method visits, on every device.
enum class TileVisits {
    automatic,  ///< ordered; marked for Relaxation::jacobi
    ordered,    ///< of those that a change can reach, the ones that the wave is about to cross
    marked,     ///< all that a change can reach: paper 2's update map
    none,       ///< all of them: without an update map, as in paper 1
};
template <>
inline constexpr auto choices<TileVisits> =
    choice_table<TileVisits>("visits", {{"auto", TileVisits::automatic},
                                        {"ordered", TileVisits::ordered},
                                        {"marked", TileVisits::marked},
                                        {"none", TileVisits::none}});

/// What a visit of Bellman and Ford's method does.
enum class Relaxation {
    tiles,   ///< a tile is relaxed until it rests, several times in a row
    jacobi,  ///< papers 1 and 2 to the letter: each node once per pass, from the times before it
};
template <>
inline constexpr auto choices<Relaxation> = choice_table<Relaxation>(
    "relaxation", {{"tiles", Relaxation::tiles}, {"jacobi", Relaxation::jacobi}});

}  // namespace fermat
