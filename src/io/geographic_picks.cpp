#include "io/geographic_picks.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/error.hpp"
#include "io/geometry.hpp"
#include "io/survey_file.hpp"

namespace fermat {
namespace {

double rounded(double degrees) { return std::round(degrees * 1e9) / 1e9; }

}  // namespace

void take_off_plane(Survey& survey, const LocalPlane& plane) {
    const auto take = [&](auto& points) {
        for (auto& point : points) {
            Vec3& p = point.position;
            if (!is_finite(p)) continue;
            const GeoPoint at = plane.to_geographic({p.x, p.y});
            p = {rounded(at.latitude), rounded(at.longitude), p.z * plane.metres / 1000};
        }
    };
    take(survey.events);
    take(survey.stations);
}

SurveyFile read_geographic_picks(const std::filesystem::path& path, Notes& notes) {
    PickReadOptions options;
    options.on_sphere = true;
    SurveyFile file = read_pick_survey(path, options, notes);
    if (!file.plane) {
        throw InputError(fmt::format(
            "'{}' has x and y (a spherical model needs longitudes and latitudes: columns "
            "source_longitude,source_latitude,source_z,receiver_longitude,...)",
            path.string()));
    }
    take_off_plane(file.picks, *file.plane);
    SurveyFile out{{}, std::move(file.picks)};
    out.polarities = std::move(file.polarities);
    return out;
}

void put_on_plane(Survey& survey, Catalogue& found, const LocalPlane& plane) {
    const auto put = [&](Vec3& place) {
        if (!is_finite(place)) return;
        const PlanePoint at = plane.to_plane({place.y, place.x});
        place = {at.x, at.y, place.z * 1000 / plane.metres};
    };
    for (Event& event : survey.events) put(event.position);
    for (Station& station : survey.stations) put(station.position);
    for (Hypocentre& event : found.events) {
        put(event.position);
        if (!event.posterior.places.empty()) put(event.posterior.mean);
    }
}

}  // namespace fermat
