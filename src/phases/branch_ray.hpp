#pragma once

#include <cstdint>
#include <vector>

#include "core/choice.hpp"
#include "core/vec3.hpp"
#include "phases/branch.hpp"

namespace fermat {

/// How the search for a branch's ray ended.
enum class BranchStatus : std::uint8_t {
    ok,
    along,    ///< it arrives, but follows an interface for a while: head wave or diffraction
    absent,   ///< the branch has no path of stationary time here: before the critical distance, as
              ///< one
    crosses,  ///< its only path would leave its layer: it is in a shadow
    outside,  ///< its only path would leave the model
    unsettled,  ///< a path was begun, and did not settle
    /// It arrives, but an earlier arrival may have been missed: PP where its waves may turn in
    /// several layers.
    doubtful,
};
template <>
inline constexpr auto choices<BranchStatus> =
    choice_table<BranchStatus>("branch status", {{"ok", BranchStatus::ok},
                                                 {"along", BranchStatus::along},
                                                 {"absent", BranchStatus::absent},
                                                 {"crosses", BranchStatus::crosses},
                                                 {"outside", BranchStatus::outside},
                                                 {"unsettled", BranchStatus::unsettled},
                                                 {"doubtful", BranchStatus::doubtful}});

inline bool has_arrived(BranchStatus status) {
    return status == BranchStatus::ok || status == BranchStatus::along ||
           status == BranchStatus::doubtful;
}

/// One arrival of a branch: a path from source to receiver.
struct BranchRay {
    BranchStatus status = BranchStatus::absent;
    double time = 0;   ///< of a path without segments (see two_point.hpp)
    double doubt = 0;  ///< by how much the last two estimates of the time differ
    double length = 0;
    int maxima = 0;    ///< directions along which the time is a maximum: caustics passed
    double guard = 0;  ///< width of the guard (LayerGuard) of a ray along an interface; else 0
    Legs legs{};
    int segments = 0;              ///< per leg
    std::vector<Vec3> places{};    ///< Cartesian, from the source: segments * legs + 1
    std::vector<double> joints{};  ///< two coordinates of users per joint
};

}  // namespace fermat
