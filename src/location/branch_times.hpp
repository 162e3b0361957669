#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "location/region.hpp"
#include "model/layered_medium.hpp"
#include "phases/phases.hpp"
#include "survey/survey.hpp"

namespace fermat {

/// A pick of a named phase. Places are flat (mapping.hpp).
struct BranchPick {
    std::int32_t arrival = 0;
    const Branch* branch = nullptr;
    Phase wave = Phase::P;
    Vec3 station;       ///< of users
    Vec3 flat_station;  ///< flat
    double time = 0;
    double error = 0;
};

/// The time of a pick's phase from a place, and its derivative by the flat place. Infinite where
/// the phase has no ray.
struct BranchTime {
    double travel = 0;
    Vec3 gradient{};
    Vec3 leaving{};  ///< unit vector of the ray at the event: east, north, down
    BranchStatus status = BranchStatus::absent;
};

/// Times of branches from places of a layered medium to stations.
class BranchTimes {
  public:
    BranchTimes(const LayeredMedium& medium, const Execution& execution)
        : medium_(medium), execution_(execution) {}

    /// Whether an event may be there: in the model and below its surface.
    bool holds(Vec3 flat) const;
    /// One entry per pick; derivatives only if `slopes`. The place must be one that holds() allows.
    std::vector<BranchTime> at(Vec3 flat, std::span<const BranchPick> picks, bool slopes) const;

  private:
    /// d place / d flat, along each flat axis.
    std::array<Vec3, 3> slope(Vec3 flat) const;

    const LayeredMedium& medium_;
    const Execution& execution_;
};

}  // namespace fermat
