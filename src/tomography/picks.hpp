#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "core/notes.hpp"
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

/// Stands for a pick's error until settle_picks() has seen it, where the file leaves it open.
constexpr double missing_error = std::numeric_limits<double>::quiet_NaN();

/// Times and errors as every reader takes them, whatever they came from. Times must be finite and
/// not negative. Where the picks have errors, each must be > 0; a missing one becomes the median of
/// those given, which is noted with the count, and where all are missing the picks have none.
/// `what` names the picks in notes ("'picks.csv'"), `where` one of them in messages ("'picks.csv'
/// line 7: "). Throws InputError.
void settle_picks(Picks& picks, const std::string& what,
                  const std::function<std::string(std::size_t)>& where, Notes& notes);

}  // namespace fermat
