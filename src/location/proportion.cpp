#include "location/proportion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace fermat {
namespace {

/// Per field, the longest time to the middle of a first cell.
std::vector<double> longest_times(const FirstCells& first, std::size_t fields) {
    std::vector<double> longest(fields, 0);
    for (std::size_t n = 0; n < first.size(); ++n) {
        const float* const times = first.times(n);
        for (std::size_t field = 0; field < fields; ++field) {
            const auto time = static_cast<double>(times[field]);
            if (std::isfinite(time)) longest[field] = std::max(longest[field], time);
        }
    }
    return longest;
}

}  // namespace

double farthest(const SearchBox& box, Vec3 from) {
    const double x = std::max(std::abs(from.x - box.low.x), std::abs(from.x - box.high.x));
    const double y = std::max(std::abs(from.y - box.low.y), std::abs(from.y - box.high.y));
    return std::hypot(x, y);
}

double farthest_station(const SearchBox& model) {
    constexpr double widths = 10;
    return widths * std::hypot(model.high.x - model.low.x, model.high.y - model.low.y);
}

void tell_long_records(const Survey& survey, const ArrivalLists& lists, const StationFields& fields,
                       const FirstCells& first, Notes& notes) {
    // Corners are farther than the middles of cells, and a late pick may be a gross error.
    constexpr double out_of_proportion = 3;
    const std::vector<double> longest = longest_times(first, fields.size());
    std::size_t count = 0;
    double widest = 0;
    double slowest = 0;
    for (const std::vector<std::int32_t>& arrivals : lists) {
        double earliest = std::numeric_limits<double>::infinity();
        double latest = -earliest;
        double travel = 0;
        for (const std::int32_t n : arrivals) {
            const Arrival& arrival = survey.arrivals[static_cast<std::size_t>(n)];
            const int field = fields.of(arrival);
            if (field < 0) continue;
            earliest = std::min(earliest, arrival.time);
            latest = std::max(latest, arrival.time);
            travel = std::max(
                travel, fields.stretch(arrival.phase) * longest[static_cast<std::size_t>(field)]);
        }
        if (!(latest - earliest > out_of_proportion * travel)) continue;
        ++count;
        if (latest - earliest <= widest) continue;
        widest = latest - earliest;
        slowest = travel;
    }
    if (count == 0) return;
    notes.add(fmt::format(
        "{} of {} events have picks up to {:.3g} apart, and waves take {:.3g} at most from the "
        "search box to their stations (are times in the model's unit, and are all picks of an "
        "event "
        "its own?)",
        count, lists.size(), widest, slowest));
}

}  // namespace fermat
