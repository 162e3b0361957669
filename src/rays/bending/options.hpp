#pragma once

#include <tuple>

#include "core/choice.hpp"
#include "core/option.hpp"
#include "rays/bending/starts.hpp"

namespace fermat {

/// The unit of parallel work (paper 3). Rays have the same bits for each of them.
enum class BendingTasks {
    pairs,     ///< one ray per task (default)
    sources,   ///< all rays of one source per task
    stations,  ///< all rays of one receiver per task
    sections,  ///< the sections of a ray in parallel, ray after ray
};
template <>
inline constexpr auto choices<BendingTasks> =
    choice_table<BendingTasks>("tasks", {{"pairs", BendingTasks::pairs},
                                         {"sources", BendingTasks::sources},
                                         {"stations", BendingTasks::stations},
                                         {"sections", BendingTasks::sections}});

/// When the bending of one ray ends.
struct BendSettings {
    int segments = 64;          ///< number in the finished ray; a power of two
    int most_relaxations = 40;  ///< upper limit for the finished ray
    double tolerance = 1e-6;  ///< relaxation stops when the time falls by less than this, relative
};

struct BendingOptions {
    /// Starts that are tried; the fastest ray wins.
    StartSet starts{RayStart::straight, RayStart::deep, RayStart::sides};
    /// Longest segment of the straight line. The number of segments is the next power of two, at
    /// most 1024. 0 means half of the grid's least spacing, or 64 segments where there is no grid.
    double segment = 0;
    BendingTasks tasks = BendingTasks::pairs;
    /// Rounds in which all points of the finished ray move at once, at most. Paper 3 has none. Not
    /// in the table of options below: fewer of them only make rays worse.
    int relaxations = BendSettings{}.most_relaxations;
};
inline bool are_starts(const StartSet& starts) {
    return !starts.empty() && !starts.has(RayStart::none);
}
template <>
inline constexpr auto options_of<BendingOptions> = std::tuple{
    Option{"starts", &BendingOptions::starts,
           "of tracer bending, the fastest wins: straight, deep, sides, descent, graph",
           Rule<StartSet>{&are_starts,
                          "some of straight, deep, sides, descent and graph, with commas between"}},
    Option{"segment", &BendingOptions::segment, "of tracer bending: longest segment of a ray",
           Rule<double>{&is_not_negative, "a length > 0, or 0 for the default"},
           "half the least spacing"},
    Option{"tasks", &BendingOptions::tasks, "of tracer bending, dealt out to threads"}};

void validate(const BendingOptions& options);

}  // namespace fermat
