#pragma once

#include <string>
#include <vector>

#include "location/difference_weights.hpp"
#include "location/station_fields.hpp"

namespace fermat {

/// Why no event is moved by differences none of which can be used, in one sentence. `outside` says
/// of each event whether it lies outside the model.
std::string why_unmoved(const Survey& survey, const std::vector<TimeDifference>& differences,
                        const std::vector<char>& outside, const StationFields& fields,
                        const Grid& grid, int least_links);

}  // namespace fermat
