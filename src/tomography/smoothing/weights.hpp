#pragma once

#include "core/host_device.hpp"

namespace fermat {

/// The mean a ray of a box, or a node, from the means of values and of weights in it; 0 where no
/// weight lies.
FERMAT_HD inline double weighted_mean(double values, double weights) {
    return weights > 0 ? values / weights : 0;
}

}  // namespace fermat
