#pragma once

#include <cstddef>

#include "core/host_device.hpp"
#include "core/vec3.hpp"
#include "rays/bending/options.hpp"

namespace fermat {

/// Number of segments of a candidate. Every start is bent to this number; only the fastest
/// candidates are bent further.
FERMAT_HD inline int coarse_segments(int segments) { return segments > 16 ? segments / 4 : 4; }

/// Non-owning working memory for bending one ray.
struct BendSpace {
    static constexpr int most_candidates = 4;  ///< starts that need no other tracer

    Vec3* point = nullptr;  ///< the ray
    Vec3* other = nullptr;  ///< the trial ray
    Vec3* left = nullptr;   ///< force of a segment on its first point
    Vec3* right = nullptr;  ///< force of a segment on its second point
    Vec3* step = nullptr;
    Vec3* best = nullptr;        ///< the fastest finished ray
    Vec3* candidates = nullptr;  ///< coarse_segments + 1 points each
    double* time = nullptr;
    double* factor = nullptr;
    double* sum = nullptr;  ///< one number

    FERMAT_HD static std::size_t vectors(int segments) {
        return static_cast<std::size_t>(6 * (segments + 1) +
                                        most_candidates * (coarse_segments(segments) + 1));
    }
    FERMAT_HD static std::size_t scalars(int segments) {
        return static_cast<std::size_t>(2 * (segments + 1) + 1);
    }

    /// Divides memory for vectors(segments) and scalars(segments) values into the arrays.
    FERMAT_HD BendSpace(Vec3* vector_memory, double* scalar_memory, int segments)
        : point(vector_memory),
          other(point + segments + 1),
          left(other + segments + 1),
          right(left + segments + 1),
          step(right + segments + 1),
          best(step + segments + 1),
          candidates(best + segments + 1),
          time(scalar_memory),
          factor(time + segments + 1),
          sum(factor + segments + 1) {}

    FERMAT_HD void swap_points() {
        Vec3* const was = point;
        point = other;
        other = was;
    }
};

/// Calls a phase that only copies; blocks to which it is not worth sharing have for_each_light.
template <class Block, class Phase>
FERMAT_HD void light_phase(Block block, int count, Phase phase) {
    if constexpr (requires { block.for_each_light(count, phase); }) {
        block.for_each_light(count, phase);
    } else {
        block.for_each(count, phase);
    }
}

}  // namespace fermat
