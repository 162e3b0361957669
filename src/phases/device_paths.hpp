#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "model/layered_medium.hpp"
#include "phases/phases.hpp"
#include "phases/ways.hpp"

namespace fermat {

/// Why a device cannot look for a branch's rays; empty where it can.
std::string device_obstacle(const LayeredMedium& medium, const Ways& ways,
                            const PhaseOptions& options);

/// The starts of a pair that a device follows: its minima, but for those that are late. None where
/// the host must look for the pair.
std::vector<PathStart> starts_on_device(const StartLattice& lattice,
                                        const StartLattice::Table& source,
                                        const StartLattice::Table& receiver);

/// Finds on the CUDA device what it can. Returns the numbers of the other pairs.
std::vector<std::size_t> find_on_device(const LayeredMedium& medium, Ways& ways, const Ends& from,
                                        const Ends& to, std::span<const RayPair> pairs,
                                        const PhaseOptions& options, int threads, Rays& out);

}  // namespace fermat
