#include "survey/builder.hpp"

#include <fmt/format.h>

#include "core/error.hpp"

namespace fermat {
namespace {

using Key = std::tuple<std::string, double, double, double, double>;

/// An id alone identifies its point. -0 and 0 are the same place.
Key key_of(Vec3 p, const std::string& id, double time) {
    if (!id.empty()) return {id, 0, 0, 0, 0};
    return {id, p.x + 0.0, p.y + 0.0, p.z + 0.0, time + 0.0};
}

void require_same_place(const char* what, const std::string& id, Vec3 before, Vec3 now) {
    if (before == now) return;
    throw InputError(
        fmt::format("{} '{}' is at ({:g}, {:g}, {:g}) and at ({:g}, {:g}, {:g}) (an id must have "
                    "one position)",
                    what, id, before.x, before.y, before.z, now.x, now.y, now.z));
}

}  // namespace

std::int32_t SurveyBuilder::event(Vec3 position, const std::string& id, double origin_time) {
    const auto [entry, added] = event_numbers_.try_emplace(
        key_of(position, id, origin_time), static_cast<std::int32_t>(survey_.events.size()));
    if (added) survey_.events.push_back({position, origin_time, id});
    const Event& known = survey_.events[static_cast<std::size_t>(entry->second)];
    require_same_place("event", known.id, known.position, position);
    if (known.origin_time != origin_time) {
        throw InputError(fmt::format("event '{}' has the origin times {:g} and {:g} (must be one)",
                                     id, known.origin_time, origin_time));
    }
    return entry->second;
}

std::int32_t SurveyBuilder::station(Vec3 position, const std::string& id) {
    const auto [entry, added] = station_numbers_.try_emplace(
        key_of(position, id, 0), static_cast<std::int32_t>(survey_.stations.size()));
    if (added) survey_.stations.push_back({position, id});
    const Station& known = survey_.stations[static_cast<std::size_t>(entry->second)];
    require_same_place("station", known.id, known.position, position);
    return entry->second;
}

}  // namespace fermat
