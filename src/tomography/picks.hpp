#pragma once

#include <cstdint>
#include <vector>

#include "core/vec3.hpp"

namespace fermat {

/// One observed first arrival.
struct Pick {
    std::int32_t source = 0;    ///< index into Picks::sources
    std::int32_t receiver = 0;  ///< index into Picks::receivers
    double time = 0;
    double error = 0;  ///< standard deviation; 0 when not given
};

/// Observed first arrivals with their geometry. Equal positions are one source or receiver.
struct Picks {
    std::vector<Vec3> sources;
    std::vector<Vec3> receivers;
    std::vector<Pick> picks;
    bool has_errors = false;
    bool is_2d = false;  ///< the file had no y columns
};

}  // namespace fermat
