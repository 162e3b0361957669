#include "tomography/outlier_groups.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "core/median.hpp"
#include "survey/mapped_points.hpp"

namespace fermat {
namespace {

/// -1 left out and early, 1 left out and late, 0 neither.
using Sides = std::vector<int>;

Sides sides_of(std::span<const double> residual, std::span<const PickUse> use) {
    Sides sides(use.size(), 0);
    for (std::size_t n = 0; n < use.size(); ++n) {
        if (use[n] == PickUse::rejected) sides[n] = residual[n] > 0 ? 1 : -1;
    }
    return sides;
}

/// Which groups have too many left out for picks that have nothing in common.
class Majority {
  public:
    Majority(const Sides& sides, std::span<const PickUse> use) {
        const auto all =
            static_cast<double>(use.size() - static_cast<std::size_t>(std::count(
                                                 use.begin(), use.end(), PickUse::lost)));
        for (const int side : {-1, 1}) {
            const auto count = static_cast<double>(std::count(sides.begin(), sides.end(), side));
            (side < 0 ? early_ : late_) = all > 0 ? count / all : 0;
        }
    }
    bool operator()(std::size_t left_out, std::size_t picks, int side) const {
        constexpr double beyond_chance = 5;  // standard deviations
        const double share = side < 0 ? early_ : late_;
        const auto n = static_cast<double>(picks);
        const double more = static_cast<double>(left_out) - n * share;
        return 2 * left_out > picks && more > beyond_chance * std::sqrt(n * share * (1 - share));
    }

  private:
    double early_ = 0;  ///< shares of all picks
    double late_ = 0;
};

void add_points(const ArrivalLists& lists, OutlyingPoint::Kind kind, const Sides& sides,
                const Majority& majority, std::span<const double> residual,
                std::span<const PickUse> use, std::vector<OutlyingPoint>& out) {
    constexpr std::int64_t least = 5;
    for (std::size_t number = 0; number < lists.size(); ++number) {
        OutlyingPoint point{kind, static_cast<std::int32_t>(number)};
        std::vector<double> late;
        std::vector<double> early;
        for (const std::int32_t pick : lists[number]) {
            const auto n = static_cast<std::size_t>(pick);
            if (use[n] == PickUse::lost) continue;
            ++point.picks;
            if (sides[n] != 0) (sides[n] > 0 ? late : early).push_back(residual[n]);
        }
        std::vector<double>& most = late.size() > early.size() ? late : early;
        point.left_out = static_cast<std::int64_t>(most.size());
        const int side = late.size() > early.size() ? 1 : -1;
        const bool outlying = majority(most.size(), static_cast<std::size_t>(point.picks), side);
        if (point.picks < least || !outlying) continue;
        point.residual = upper_median(std::move(most));
        out.push_back(point);
    }
}

/// Speed along the ground near a shot: distance over time of picks that are a little apart.
double speed_beside(const Survey& picks, const std::vector<std::int32_t>& list, double side) {
    std::vector<std::pair<double, double>> curve;  // x to that side, time
    for (const std::int32_t number : list) {
        const Arrival& pick = picks.arrivals[static_cast<std::size_t>(number)];
        const double x = picks.station_of(pick).position.x - picks.event_of(pick).position.x;
        if (side * x > 0) curve.emplace_back(side * x, pick.time);
    }
    constexpr std::size_t nearest = 6;
    if (curve.size() < nearest) return 0;
    std::sort(curve.begin(), curve.end());
    std::vector<double> speeds;
    for (std::size_t a = 0; a < nearest; ++a) {
        for (std::size_t b = a + 2; b < nearest; ++b) {
            const double time = curve[b].second - curve[a].second;
            if (time > 0) speeds.push_back((curve[b].first - curve[a].first) / time);
        }
    }
    return speeds.empty() ? 0 : upper_median(std::move(speeds));
}

std::vector<DisplacedShot> displaced_shots(const Survey& picks, const ArrivalLists& lists,
                                           const Sides& sides, std::span<const double> residual,
                                           std::span<const PickUse> use) {
    constexpr std::int64_t least = 3;  // left out, to either side
    constexpr std::int64_t clear = 5;  // times as many as there are against it
    constexpr double share = 0.2;      // of the shot's picks
    std::vector<DisplacedShot> out;
    for (std::size_t number = 0; number < lists.size(); ++number) {
        DisplacedShot shot{static_cast<std::int32_t>(number)};
        // As of a shot that is farther left, and as of one that is farther right.
        std::array<std::vector<double>, 2> before;
        std::array<std::vector<double>, 2> beyond;
        for (const std::int32_t pick : lists[number]) {
            const auto n = static_cast<std::size_t>(pick);
            if (use[n] == PickUse::lost) continue;
            ++shot.picks;
            const Arrival& one = picks.arrivals[n];
            const double x = picks.station_of(one).position.x - picks.event_of(one).position.x;
            if (sides[n] == 0 || x == 0) continue;
            const bool right = (x > 0) == (sides[n] < 0);
            (x < 0 ? before : beyond)[right ? 1 : 0].push_back(std::abs(residual[n]));
        }
        const auto count = [](const std::vector<double>& all) {
            return static_cast<std::int64_t>(all.size());
        };
        const std::size_t way =
            count(before[1]) + count(beyond[1]) > count(before[0]) + count(beyond[0]) ? 1 : 0;
        std::vector<double>& left_of = before[way];
        std::vector<double>& right_of = beyond[way];
        shot.left_out = count(left_of) + count(right_of);
        const std::int64_t against = count(before[1 - way]) + count(beyond[1 - way]);
        if (std::min(count(left_of), count(right_of)) < least || shot.left_out < clear * against ||
            static_cast<double>(shot.left_out) < share * static_cast<double>(shot.picks)) {
            continue;
        }
        const double early_or_late = (upper_median(left_of) + upper_median(right_of)) / 2;
        // On the side that it is farther from, times grow from the nearest receiver on.
        const double way_x = way == 1 ? 1 : -1;
        const double behind = speed_beside(picks, lists[number], -way_x);
        const double speed = behind > 0 ? behind : speed_beside(picks, lists[number], way_x);
        shot.shift = way_x * speed * early_or_late;
        out.push_back(shot);
    }
    return out;
}

/// Picks left out that a majority of those of about their distance agree with.
std::vector<std::int32_t> agreeing(const std::vector<std::pair<double, std::int32_t>>& by_distance,
                                   const Sides& sides, const Majority& majority) {
    constexpr std::size_t least = 12;
    constexpr std::size_t windows = 60;
    const std::size_t window = std::max(least, by_distance.size() / windows);
    std::vector<std::int32_t> out;
    if (by_distance.size() < 2 * window) return out;
    const auto side_at = [&](std::size_t place) {
        return sides[static_cast<std::size_t>(by_distance[place].second)];
    };
    const auto counted = [&](std::size_t first, int side) {
        std::size_t count = 0;
        for (std::size_t place = first; place < first + window; ++place) {
            count += side_at(place) == side ? 1 : 0;
        }
        return count;
    };
    for (std::size_t place = 0; place < by_distance.size(); ++place) {
        if (side_at(place) == 0) continue;
        const std::size_t first =
            std::min(place < window / 2 ? 0 : place - window / 2, by_distance.size() - window);
        const int side = side_at(place);
        if (majority(counted(first, side), window, side)) out.push_back(by_distance[place].second);
    }
    std::sort(out.begin(), out.end());
    return out;
}

}  // namespace

OutlierGroups outlier_groups(const Model& model, const Survey& picks,
                             std::span<const double> residual, std::span<const PickUse> use) {
    const Sides sides = sides_of(residual, use);
    const Majority majority(sides, use);
    OutlierGroups groups;
    const ArrivalLists of_events = by_event(picks);
    const ArrivalLists of_stations = by_station(picks);
    add_points(of_events, OutlyingPoint::Kind::shot, sides, majority, residual, use, groups.points);
    add_points(of_stations, OutlyingPoint::Kind::receiver, sides, majority, residual, use,
               groups.points);

    if (picks.is_2d) groups.displaced = displaced_shots(picks, of_events, sides, residual, use);

    std::vector<bool> judged(use.size());
    for (std::size_t n = 0; n < use.size(); ++n) judged[n] = use[n] != PickUse::lost;
    for (const OutlyingPoint& point : groups.points) {
        const ArrivalLists& lists =
            point.kind == OutlyingPoint::Kind::shot ? of_events : of_stations;
        for (const std::int32_t pick : lists[static_cast<std::size_t>(point.number)]) {
            judged[static_cast<std::size_t>(pick)] = false;
        }
    }
    std::vector<std::pair<double, std::int32_t>> distances;
    for (std::size_t n = 0; n < use.size(); ++n) {
        const Arrival& pick = picks.arrivals[n];
        if (!judged[n]) continue;
        distances.emplace_back(
            model.place().distance(picks.event_of(pick).position, picks.station_of(pick).position),
            static_cast<std::int32_t>(n));
    }
    std::sort(distances.begin(), distances.end());
    groups.clustered = agreeing(distances, sides, majority);
    return groups;
}

}  // namespace fermat
