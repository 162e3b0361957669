#pragma once

#include <cstdint>
#include <vector>

#include "model/layered_medium.hpp"
#include "phases/branch_ray.hpp"

namespace fermat {

/// Derivatives of a ray's time. The path is stationary, so that they are those along the path as it
/// is (Fermat's principle).
struct BranchDerivative {
    struct Entry {
        std::int32_t part = 0;    ///< 2 * layer + wave, or the number of an interface
        std::int64_t number = 0;  ///< node of the grid, or point of the interface's lattice
        double value = 0;
    };
    std::vector<Entry> velocity;  ///< by the velocity at nodes, by part and node ascending
    std::vector<Entry> depth;     ///< by the depth at points of interfaces, likewise
    Vec3 source;                  ///< by the Cartesian place of the source
    Vec3 receiver;                ///< and of the receiver
};

/// Of a ray that arrived; throws InputError for another.
BranchDerivative derivative_of(const LayeredMedium& medium, const BranchRay& ray);

}  // namespace fermat
