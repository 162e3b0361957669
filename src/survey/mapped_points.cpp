#include "survey/mapped_points.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "core/error.hpp"
#include "model/metric.hpp"

namespace fermat {
namespace {

Vec3 to_grid(const Model& model, Vec3 user) {
    if (model.grid().is_2d()) user.y = model.grid().origin.y;
    return model.metric() ? model.metric()->mapping().to_grid(user) : user;
}

}  // namespace

bool on_sphere(const Model& model) {
    return model.metric() && model.metric()->coordinates().system == Coordinates::spherical;
}

Vec3 grid_point(const Model& model, Vec3 user) { return model.grid().clamp(to_grid(model, user)); }

bool holds_point(const Model& model, Vec3 user) {
    return is_finite(user) && model.grid().contains(to_grid(model, user));
}

UserBox user_box(const Model& model) {
    const Grid& grid = model.grid();
    if (!model.metric()) return {grid.origin, grid.far_corner()};
    const Mapping& mapping = model.metric()->mapping();
    return {mapping.to_user(grid.origin), mapping.to_user(grid.far_corner())};
}

void validate(const Survey& survey, const Model& model) {
    if (!model.metric()) return validate(survey, model.grid());
    const UserBox box = user_box(model);
    const auto require = [&](const auto& point, const char* what) {
        if (holds_point(model, point.position)) return;
        throw InputError(
            fmt::format("{} {} at {} is outside the model (which goes from {} to {})", what,
                        name_of(survey, point), to_string(model.grid(), point.position),
                        to_string(model.grid(), box.low), to_string(model.grid(), box.high)));
    };
    for (const Event& event : survey.events) require(event, "source");
    for (const Station& station : survey.stations) require(station, "receiver");
    validate(survey);
}

double true_distance(const Model& model, Vec3 a, Vec3 b) {
    if (!model.metric()) return distance(a, b);
    const Mapping& mapping = model.metric()->mapping();
    return distance(mapping.place(to_grid(model, a)), mapping.place(to_grid(model, b)));
}

Survey in_lengths(const Survey& survey, const Model& model) {
    if (!on_sphere(model) || survey.events.empty()) return survey;
    constexpr double degree = std::numbers::pi / 180;
    const double radius = model.metric()->coordinates().radius;
    const Vec3 centre = to_grid(model, survey.events.front().position);
    const double east = radius * degree * std::cos(centre.x * degree);
    Survey out = survey;
    const auto flatten = [&](auto& points) {
        for (auto& point : points) {
            const Vec3 q = to_grid(model, point.position);
            point.position = {radius * degree * (q.x - centre.x), east * (q.y - centre.y), q.z};
        }
    };
    flatten(out.events);
    flatten(out.stations);
    return out;
}

}  // namespace fermat
