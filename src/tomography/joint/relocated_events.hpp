#pragma once

#include <span>
#include <vector>

#include "tomography/joint/event_blocks.hpp"
#include "tomography/joint/joint_event.hpp"
#include "tomography/misfit.hpp"

namespace fermat {

/// What became of the events of a survey: `events` as renewed in the last model without damping,
/// `shift` four numbers per event, `residual` and `use` one per pick, `bounded` one per event.
std::vector<JointEvent> relocated_events(const Survey& picks, const EventBlocks& events,
                                         std::span<const double> shift,
                                         std::span<const double> residual,
                                         std::span<const PickUse> use,
                                         const std::vector<bool>& bounded);

}  // namespace fermat
