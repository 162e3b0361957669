#pragma once

#include "core/vec3.hpp"

namespace fermat {

/// A point that starts to radiate at `start_time`.
struct PointSource {
    Vec3 position;
    double start_time = 0;
};

}  // namespace fermat
