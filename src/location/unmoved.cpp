#include "location/unmoved.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace fermat {
namespace {

/// What is above the top of a model, which is the most common reason; or nothing.
std::string above_top(const Survey& survey, const std::vector<TimeDifference>& differences,
                      const Grid& grid) {
    std::vector<char> named(survey.stations.size(), 0);
    for (const TimeDifference& one : differences) named[static_cast<std::size_t>(one.station)] = 1;
    std::size_t count = 0;
    double highest = grid.origin.z;
    for (std::size_t n = 0; n < named.size(); ++n) {
        const double z = survey.stations[n].position.z;
        if (!named[n] || !(z < grid.origin.z)) continue;
        ++count;
        highest = std::min(highest, z);
    }
    if (count == 0) return "";
    return fmt::format(
        " (the model begins at z = {:g}, and {} of {} stations are above it, the "
        "highest at z = {:g}: begin the model there)",
        grid.origin.z, count, std::count(named.begin(), named.end(), 1), highest);
}

}  // namespace

std::string why_unmoved(const Survey& survey, const std::vector<TimeDifference>& differences,
                        const std::vector<char>& outside, const StationFields& fields,
                        const Grid& grid, int least_links) {
    std::size_t weightless = 0, lost = 0, unheard = 0, same = 0;
    for (const TimeDifference& one : differences) {
        if (one.weight == 0) {
            ++weightless;
        } else if (outside[static_cast<std::size_t>(one.first)] ||
                   outside[static_cast<std::size_t>(one.second)]) {
            ++lost;
        } else if (one.first == one.second) {
            ++same;
        } else if (fields.of({one.first, one.station, 0, 0, one.phase}) < 0) {
            ++unheard;
        }
    }
    const std::size_t left = differences.size() - weightless - lost - same - unheard;
    std::vector<std::string> why;
    if (weightless > 0) why.push_back(fmt::format("{} have the weight 0", weightless));
    if (lost > 0) why.push_back(fmt::format("{} are of events outside the model", lost));
    if (same > 0) why.push_back(fmt::format("{} name one event twice", same));
    if (unheard > 0) {
        why.push_back(fmt::format("{} are at stations outside the model or in air{}", unheard,
                                  above_top(survey, differences, grid)));
    }
    if (left > 0) {
        why.push_back(
            fmt::format("no two events share {} of the {} that can be used "
                        "(`least_links`)",
                        least_links, left));
    }
    return fmt::format("no event is moved: of {} differences {}", differences.size(),
                       fmt::join(why, ", "));
}

}  // namespace fermat
