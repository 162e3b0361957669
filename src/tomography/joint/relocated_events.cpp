#include "tomography/joint/relocated_events.hpp"

#include <cmath>

#include "tomography/joint/moved_place.hpp"

namespace fermat {

std::vector<JointEvent> relocated_events(const Survey& picks, const EventBlocks& events,
                                         std::span<const double> shift,
                                         std::span<const double> residual,
                                         std::span<const PickUse> use,
                                         const std::vector<bool>& bounded) {
    std::vector<JointEvent> out(picks.events.size());
    const Mapping& mapping = events.place().mapping();
    for (std::size_t e = 0; e < out.size(); ++e) {
        const double* const own = &shift[event_unknowns * e];
        JointEvent& event = out[e];
        const Vec3 shift_of_place{own[0], own[1], own[2]};
        const Vec3 lengths = mapping.flat_lengths(events.given_place(e) + shift_of_place);
        event.shift = shift_of_place;
        event.time_shift = own[3];
        event.position = moved_place(events.place(), picks.events[e].position, shift_of_place);
        event.origin_time = picks.events[e].origin_time + event.time_shift;
        const EventVector errors = events.deviations(e);
        event.error = {errors[0], errors[1], errors[2]};
        for (int axis = 0; axis < 3; ++axis) {
            event.shift[axis] *= lengths[axis];
            event.error[axis] *= lengths[axis];
        }
        event.time_error = errors[3];
        event.use = events.use_of(e);
        if (event.use == EventUse::moved && bounded[e]) event.use = EventUse::bounded;
        double squares = 0;
        for (const std::int32_t number : events.picks_of(e)) {
            const auto n = static_cast<std::size_t>(number);
            if (n >= residual.size()) continue;  // nobody picked it: a difference names it
            ++event.picks;
            if (use[n] != PickUse::used) continue;
            ++event.used;
            squares += residual[n] * residual[n];
        }
        event.rms = event.used > 0 ? std::sqrt(squares / event.used) : std::nan("");
    }
    return out;
}

}  // namespace fermat
