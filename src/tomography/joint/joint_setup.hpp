#pragma once

#include <vector>

#include "core/execution.hpp"
#include "model/medium.hpp"
#include "tomography/gauss_newton/options.hpp"
#include "tomography/gauss_newton/roughness.hpp"
#include "tomography/invert.hpp"
#include "tomography/joint/joint_forward.hpp"

namespace fermat {

/// The velocities that a joint run starts from, of the phases of its picks.
Medium joint_medium(const Medium& start, const JointOptions& joint, const Survey& picks);

/// Its unknowns; `terms` and `events` are counts.
JointLayout joint_layout(const JointForward& forward, const JointOptions& joint, std::size_t terms,
                         std::size_t events);

/// What x is added to before R is applied, as in a run of one velocity: of Vp/Vs, nothing, or,
/// blocky, its start.
std::vector<double> joint_offset(const JointForward& forward, const JointLayout& layout,
                                 const Roughness& roughness, const GaussNewtonOptions& options);

/// Throws InputError where a joint run would need more memory than this machine has.
void require_joint_memory(const Medium& start, const Survey& picks, const InversionOptions& options,
                          const Execution& execution);

}  // namespace fermat
