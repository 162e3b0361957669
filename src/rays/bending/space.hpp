#pragma once

#include <cstddef>

#include "core/host_device.hpp"
#include "core/vec3.hpp"

namespace fermat {

/// How far one ray is bent.
struct BendSettings {
    int segments = 64;          ///< of the finished ray, a power of two
    int most_relaxations = 40;  ///< of the finished ray
    double tolerance = 1e-6;    ///< relative fall of the time that ends the relaxation
};

/// Segments up to which every start is bent before the slow ones are given up.
FERMAT_HD inline int heat_segments(int segments) { return segments > 16 ? segments / 4 : 4; }

/// Memory of one ray under way, wherever its owner keeps it.
struct BendSpace {
    static constexpr int most_heats = 4;  ///< starts of one ray that are bent from scratch

    Vec3* point = nullptr;  ///< the ray
    Vec3* other = nullptr;  ///< the ray on trial
    Vec3* left = nullptr;   ///< force of a segment on its first point
    Vec3* right = nullptr;  ///< and on its second
    Vec3* step = nullptr;
    Vec3* best = nullptr;  ///< the fastest ray of those finished
    Vec3* heat = nullptr;  ///< rays of the first round, heat_segments + 1 points each
    double* time = nullptr;
    double* factor = nullptr;
    double* sum = nullptr;  ///< one number

    FERMAT_HD static std::size_t vectors(int segments) {
        return static_cast<std::size_t>(6 * (segments + 1) +
                                        most_heats * (heat_segments(segments) + 1));
    }
    FERMAT_HD static std::size_t scalars(int segments) {
        return static_cast<std::size_t>(2 * (segments + 1) + 1);
    }

    /// Cuts the arrays from memory of the sizes above.
    FERMAT_HD BendSpace(Vec3* vector_memory, double* scalar_memory, int segments)
        : point(vector_memory),
          other(point + segments + 1),
          left(other + segments + 1),
          right(left + segments + 1),
          step(right + segments + 1),
          best(step + segments + 1),
          heat(best + segments + 1),
          time(scalar_memory),
          factor(time + segments + 1),
          sum(factor + segments + 1) {}

    FERMAT_HD void swap_points() {
        Vec3* const was = point;
        point = other;
        other = was;
    }
};

}  // namespace fermat
