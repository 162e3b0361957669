#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "survey/survey.hpp"

namespace fermat {

/// Events farther from every station than the network is wide, where they are one in ten at most:
/// their rays tell of other ground than that below the network.
struct FarEvents {
    std::vector<std::int32_t> events;
    double nearest = 0;  ///< of them to its nearest station, along the ground
    double width = 0;    ///< of the network
};
FarEvents far_events(const Survey& picks);

/// The picks of all other events.
Survey without(const FarEvents& far, const Survey& picks);

/// What they do to a grid that has to hold them; nothing where there are none.
std::optional<std::string> say_far_events(const FarEvents& far, const Survey& picks);

}  // namespace fermat
