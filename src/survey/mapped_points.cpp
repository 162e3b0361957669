#include "survey/mapped_points.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace fermat {

void validate(const Survey& survey, const Model& model) {
    const auto require = [&](const auto& point, const char* what) {
        if (model.place().holds(point.position)) return;
        model.place().inside(point.position, fmt::format("{} {}", what, name_of(survey, point)));
    };
    for (const Event& event : survey.events) require(event, "source");
    for (const Station& station : survey.stations) require(station, "receiver");
    validate(survey);
}

Survey in_lengths(const Survey& survey, const Model& model) {
    if (!model.mapping().geographic() || survey.events.empty()) return survey;
    constexpr double degree = std::numbers::pi / 180;
    const double radius = model.coordinates().radius;
    const Vec3 centre = model.place().grid_point(survey.events.front().position);
    const double east = radius * degree * std::cos(centre.x * degree);
    Survey out = survey;
    const auto flatten = [&](auto& points) {
        for (auto& point : points) {
            const Vec3 q = model.place().grid_point(point.position);
            point.position = {radius * degree * (q.x - centre.x), east * (q.y - centre.y), q.z};
        }
    };
    flatten(out.events);
    flatten(out.stations);
    return out;
}

}  // namespace fermat
