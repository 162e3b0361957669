#pragma once

#include <cstddef>
#include <cstdint>

#include "core/host_device.hpp"
#include "core/vec3.hpp"

namespace fermat {

/// Neighbours of an unknown, before and behind it along x, y, z, or -1.
struct Neighbours {
    std::int32_t number[6];
};

/// W^T V W + d on unknowns and their neighbours, as both devices read it.
struct RoughnessStencil {
    Vec3 factors;     ///< of squared differences along each axis
    double diagonal;  ///< d
    const Neighbours* neighbours;
    const Vec3* weights;  ///< V of the edges to the next unknown along x, y, z; null: all 1
    /// Of the cell of each unknown, over their mean: where d is not one number; null: all 1.
    const double* volumes = nullptr;
    const double* between = nullptr;  ///< B of the second order, R = K B K; null: all 1
    double rim = 0;                   ///< added to d for each neighbour along z that is not there

    /// The factor of the difference to the neighbour on one side.
    FERMAT_HD double edge_factor(std::size_t unknown, int side) const {
        const int axis = side / 2;
        if (weights == nullptr) return factors[axis];
        const std::int32_t before = neighbours[unknown].number[2 * axis];
        const std::size_t owner = side % 2 == 1 ? unknown : static_cast<std::size_t>(before);
        return factors[axis] * weights[owner][axis];
    }

    FERMAT_HD double diagonal_at(std::size_t unknown) const {
        const std::int32_t* const beside = neighbours[unknown].number;
        const int ends = (beside[4] < 0 ? 1 : 0) + (beside[5] < 0 ? 1 : 0);
        const double sum = diagonal + ends * rim;
        return volumes == nullptr ? sum : sum * volumes[unknown];
    }

    /// The first half of R x for second order, B K x.
    FERMAT_HD double apply_half_at(std::size_t unknown, const double* x) const {
        const double half = apply_at(unknown, x);
        return between == nullptr ? half : between[unknown] * half;
    }

    FERMAT_HD double apply_at(std::size_t unknown, const double* x) const {
        double sum = diagonal_at(unknown) * x[unknown];
        for (int side = 0; side < 6; ++side) {
            const std::int32_t other = neighbours[unknown].number[side];
            if (other < 0) continue;
            sum += edge_factor(unknown, side) * (x[unknown] - x[other]);
        }
        return sum;
    }
};

}  // namespace fermat
