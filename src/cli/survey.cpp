#include "cli/survey.hpp"

#include <fmt/format.h>

#include "cli/values.hpp"
#include "core/error.hpp"
#include "io/geographic_picks.hpp"
#include "io/geometry.hpp"
#include "survey/above_ground.hpp"
#include "survey/mapped_points.hpp"

namespace fermat::cli {
namespace {

namespace fs = std::filesystem;

template <class Point>
void note_points(const Model& model, const std::vector<Point>& points, std::string_view what,
                 Notes& notes) {
    std::vector<Vec3> positions;
    for (const Point& point : points) positions.push_back(point.position);
    note_above_ground(model, positions, what, notes);
}

/// Checks a point. On a plain grid it is clamped to the box, which rounding may have put it outside
/// of.
Vec3 checked(const Model& model, Vec3 point, const std::string& name, AirPoints air) {
    const Vec3 q = air == AirPoints::refused ? require_rock(model, point, name)
                                             : model.place().inside(point, name);
    return model.is_plain() ? q : point;
}

}  // namespace

PointList fit_to_model(const Model& model, PointList list, const fs::path& file, PointRole role,
                       AirPoints air) {
    const Grid& grid = model.grid();
    if (list.geographic && !on_sphere(model)) {
        throw InputError(fmt::format("'{}' has latitudes and longitudes (this model has x, y, z)",
                                     file.string()));
    }
    if (list.is_2d && !grid.is_2d()) {
        throw InputError(fmt::format("'{}' has no column y (the model is 3-D: x,y,z are needed)",
                                     file.string()));
    }
    for (std::size_t i = 0; i < list.positions.size(); ++i) {
        Vec3& point = list.positions[i];
        const std::string name = fmt::format("'{}' {} {}", file.string(),
                                             role == PointRole::source ? "source" : "receiver", i);
        if (grid.is_2d()) {
            if (!list.is_2d && point.y != grid.origin.y) {
                throw InputError(fmt::format("{} has y = {:g} (the model is 2-D at y = {:g})", name,
                                             point.y, grid.origin.y));
            }
            point.y = grid.origin.y;
        }
        point = checked(model, point, name, air);
    }
    return list;
}

std::vector<PointSource> read_survey_sources(const Model& model,
                                             const std::vector<std::string>& texts,
                                             const std::optional<fs::path>& file, AirPoints air,
                                             Notes& notes) {
    std::vector<PointSource> sources;
    for (const std::string& text : texts) {
        const Vec3 point = to_point(parse_axes("--source", text), model.grid());
        sources.push_back({checked(model, point, "--source", air), 0});
    }
    if (file) {
        const PointList list = fit_to_model(model, read_points(*file, PointRole::source, notes),
                                            *file, PointRole::source, air);
        for (std::size_t i = 0; i < list.positions.size(); ++i) {
            sources.push_back({list.positions[i], list.start_times[i]});
        }
    }
    if (sources.empty()) {
        throw InputError("no source is given (use --source x,y,z or --sources s.csv)");
    }
    note_points(model, sources, "sources", notes);
    return sources;
}

std::vector<Vec3> read_survey_receivers(const Model& model, const fs::path& file, AirPoints air,
                                        Notes& notes) {
    std::vector<Vec3> receivers = fit_to_model(model, read_points(file, PointRole::receiver, notes),
                                               file, PointRole::receiver, air)
                                      .positions;
    note_above_ground(model, receivers, "receivers", notes);
    return receivers;
}

SurveyFile read_model_survey(const Model& model, const fs::path& file, Notes& notes) {
    if (on_sphere(model)) return read_geographic_picks(file, notes);
    SurveyFile survey = read_pick_survey(file, {}, notes);
    note_points(model, survey.picks.events, "sources", notes);
    note_points(model, survey.picks.stations, "receivers", notes);
    return survey;
}

Survey read_model_picks(const Model& model, const fs::path& file, Notes& notes) {
    return read_model_survey(model, file, notes).picks;
}

void write_model_picks(const Model& model, const fs::path& file, const Survey& picks,
                       const std::string& run) {
    on_sphere(model) ? write_geographic_picks(file, {{}, picks, {}}, run)
                     : write_picks(file, picks, run);
}

LocalPlane leave_plane(SurveyFile& picks, bool given, std::string_view flags) {
    if (!picks.plane) {
        throw InputError(
            "the stations have x and y (a spherical model needs longitude and latitude)");
    }
    if (given) {
        throw InputError(fmt::format("{} is for models of x, y, z (leave it out)", flags));
    }
    const LocalPlane plane = *picks.plane;
    take_off_plane(picks.picks, plane);
    picks.plane.reset();
    return plane;
}

void fit_to_model(const Model& model, Survey& picks, const std::filesystem::path& file,
                  AirPoints air) {
    const auto fit = [&](auto& points, PointRole role) {
        PointList list;
        for (const auto& point : points) list.positions.push_back(point.position);
        list.is_2d = picks.is_2d;
        list = fit_to_model(model, std::move(list), file, role, air);
        for (std::size_t n = 0; n < points.size(); ++n) points[n].position = list.positions[n];
    };
    fit(picks.events, PointRole::source);
    fit(picks.stations, PointRole::receiver);
}

}  // namespace fermat::cli
