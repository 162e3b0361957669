#include "tomography/start/far_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace fermat {
namespace {

double along_ground(Vec3 a, Vec3 b) { return std::hypot(a.x - b.x, a.y - b.y); }

/// The diagonal of the box round all stations.
double width_of(const std::vector<Station>& stations) {
    Vec3 low = stations.front().position;
    Vec3 high = low;
    for (const Station& one : stations) {
        low.x = std::min(low.x, one.position.x);
        low.y = std::min(low.y, one.position.y);
        high.x = std::max(high.x, one.position.x);
        high.y = std::max(high.y, one.position.y);
    }
    return along_ground(low, high);
}

}  // namespace

FarEvents far_events(const Survey& picks) {
    constexpr std::size_t one_in = 10;
    constexpr std::size_t least_stations = 4;
    if (picks.is_2d || picks.stations.size() < least_stations) return {};
    FarEvents out;
    out.width = width_of(picks.stations);
    out.nearest = std::numeric_limits<double>::infinity();
    for (std::size_t e = 0; e < picks.events.size(); ++e) {
        double nearest = std::numeric_limits<double>::infinity();
        for (const Station& one : picks.stations) {
            nearest = std::min(nearest, along_ground(one.position, picks.events[e].position));
        }
        if (!(nearest > out.width)) continue;
        out.events.push_back(static_cast<std::int32_t>(e));
        out.nearest = std::min(out.nearest, nearest);
    }
    if (one_in * out.events.size() > picks.events.size()) return {};
    return out;
}

Survey without(const FarEvents& far, const Survey& picks) {
    std::vector<std::int32_t> kept;
    for (std::size_t n = 0; n < picks.arrivals.size(); ++n) {
        if (!std::binary_search(far.events.begin(), far.events.end(), picks.arrivals[n].event)) {
            kept.push_back(static_cast<std::int32_t>(n));
        }
    }
    return compact(picks, kept);
}

std::optional<std::string> say_far_events(const FarEvents& far, const Survey& picks) {
    if (far.events.empty()) return std::nullopt;
    constexpr std::size_t most_named = 5;
    std::string names;
    for (std::size_t n = 0; n < std::min(most_named, far.events.size()); ++n) {
        const Event& event = picks.events[static_cast<std::size_t>(far.events[n])];
        names += fmt::format("{}{}", n == 0 ? "" : ", ", name_of(picks, event));
    }
    return fmt::format(
        "{} of {} events lie {:.3g} or more from every station, and the network is {:.3g} wide: "
        "{}{} "
        "(the start model is that of the others, but the grid has to hold these and is coarser for "
        "it: leave them out, or give a model)",
        far.events.size(), picks.events.size(), far.nearest, far.width, names,
        far.events.size() > most_named ? ", ..." : "");
}

}  // namespace fermat
