#pragma once

#include <span>
#include <string_view>

namespace fermat {

/// A velocity at a depth: the top of a layer, or a point of a 1-D profile.
struct DepthVelocity {
    double depth = 0;
    double velocity = 0;

    friend bool operator==(const DepthVelocity&, const DepthVelocity&) = default;
};

/// Throws InputError unless there is at least one entry, depths are finite and strictly increasing,
/// and velocities are finite and > 0 (or 0, where `air_allowed`). `what` names an entry in the
/// message: "layer", "profile point".
void validate(std::span<const DepthVelocity> entries, std::string_view what,
              bool air_allowed = false);

}  // namespace fermat
