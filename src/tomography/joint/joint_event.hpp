#pragma once

#include <array>
#include <vector>

#include "core/choice.hpp"
#include "core/field.hpp"
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

/// Where and when an event was, as an inversion found. Shifts and errors of places are lengths
/// along the flat axes (mapping.hpp): x, y, z, or on a sphere east, north and down.
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

/// Covariance of an event's x, y, z (lengths along the flat axes) and time, the upper triangle row
/// by row: xx, xy, xz, xt, yy, ...
using EventCovariance = std::array<double, 10>;

/// What can be trusted of a joint run, by its own linear problem at the model that it found: all
/// unknowns together, so that what events, terms and the other velocity explain as well does not
/// count as resolved. Fields are per sample of the model; those not asked for are empty.
struct JointTrust {
    Field<float> resolution;        ///< of Vp (of the only velocity), 0 to 1; 0 in air
    Field<float> ratio_resolution;  ///< of Vp/Vs
    Field<float> deviation;         ///< standard deviation of Vp; not a number in air
    Field<float> s_deviation;       ///< of Vs
    Field<float> ratio_deviation;   ///< of Vp/Vs
    std::vector<EventCovariance> events;
    int solves = 0;
    int unfinished = 0;  ///< of these, did not reach their accuracy
};

}  // namespace fermat
