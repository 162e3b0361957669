#pragma once

#include <span>
#include <vector>

#include "phases/branch_ray.hpp"
#include "phases/phases.hpp"

namespace fermat {

/// As trace_branch(), one ray per pair. First arrivals along a section, P or S, are held against
/// the times of an eikonal solver, which misses none: where a ray is later by 3 % and by a cell, as
/// where the search for a head wave failed and a later wave was found, it is looked for from the
/// other end too. One that is later by a tenth still is `unsettled`.
std::vector<BranchRay> trace_checked(const LayeredMedium& medium, const Branch& branch,
                                     std::span<const Vec3> sources, std::span<const Vec3> receivers,
                                     std::span<const RayPair> pairs, const PhaseOptions& options,
                                     const Execution& execution);

}  // namespace fermat
