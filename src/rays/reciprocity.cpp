#include "rays/reciprocity.hpp"

#include <limits>
#include <utility>
#include <vector>

namespace fermat {

void turn_round(const Model& model, const Survey& survey, const RaySet& rays,
                const std::function<void(RaySet&&)>& consume) {
    // The rays come grouped by station, and within a station in the order of the arrivals.
    std::vector<std::size_t> ray_of(survey.arrivals.size());
    std::size_t ray = 0;
    for (const auto& list : by_station(survey)) {
        for (const std::int32_t n : list) ray_of[static_cast<std::size_t>(n)] = ray++;
    }
    const Grid& grid = model.grid();
    std::vector<Vec3> points;
    const ArrivalLists lists = by_event(survey);
    for (std::size_t e = 0; e < lists.size(); ++e) {
        const Event& event = survey.events[e];
        const bool dead = in_air(model, grid.clamp(event.position));
        RaySet set;
        for (const std::int32_t number : lists[e]) {
            const auto n = static_cast<std::size_t>(number);
            const Arrival& arrival = survey.arrivals[n];
            const Vec3 receiver = survey.station_of(arrival).position;
            RayInfo info = rays.rays[ray_of[n]];
            const auto path = rays.path(ray_of[n]);
            points.assign(path.rbegin(), path.rend());
            info.source = arrival.event;
            info.receiver = arrival.station;
            info.field_time += event.origin_time;
            info.time += event.origin_time;
            if (dead) {
                info.status = RayStatus::source_in_air;
                info.field_time = std::numeric_limits<double>::infinity();
            } else if (in_air(model, grid.clamp(receiver))) {
                info.status = RayStatus::receiver_in_air;
            }
            if (!has_arrived(info.status)) {
                info.length = 0;
                points = {receiver};
            }
            set.append(info, points);
        }
        consume(std::move(set));
    }
}

bool exchange_pays(const Grid& grid, const Survey& survey) {
    // Estimate: a ray has one point every few cells.
    constexpr double most_bytes = 1 << 30;
    const double bytes_per_ray = 0.25 * (grid.shape.x + grid.shape.y + grid.shape.z) * sizeof(Vec3);
    const UsedPoints used = used_points(survey);
    return used.stations < used.events &&
           static_cast<double>(survey.arrivals.size()) * bytes_per_ray <= most_bytes;
}

}  // namespace fermat
