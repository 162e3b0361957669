#pragma once

#include <vector>

#include "core/choice.hpp"
#include "core/vec3.hpp"

namespace fermat {

/// What became of an event in an inversion that relocates.
enum class EventUse {
    moved,
    bounded,    ///< moved, and held by a face of the grid or by the ground
    few_picks,  ///< keeps its place
    known,      ///< keeps its place, as was asked for
};
template <>
inline constexpr auto choices<EventUse> =
    choice_table<EventUse>("use of an event", {{"moved", EventUse::moved},
                                               {"bounded", EventUse::bounded},
                                               {"few_picks", EventUse::few_picks},
                                               {"known", EventUse::known}});

/// Where and when an event was, as an inversion found.
struct JointEvent {
    Vec3 position;
    double origin_time = 0;
    Vec3 shift;  ///< from the place it was given
    double time_shift = 0;
    /// Standard deviations by the picks' errors with the velocities held: 0 of what was kept.
    Vec3 error;
    double time_error = 0;
    double rms = 0;  ///< of the picks that are used; not a number where there is none
    int picks = 0;
    int used = 0;
    EventUse use = EventUse::moved;
};

}  // namespace fermat
