#include "location/flat.hpp"

#include "location/catalogue.hpp"
#include "location/relocate.hpp"

namespace fermat {
namespace {

/// Puts other units on a covariance.
void scale(Matrix3& covariance, Vec3 by) {
    for (std::size_t a = 0; a < 3; ++a) {
        for (std::size_t b = 0; b < 3; ++b) {
            covariance[a][b] *= by[static_cast<int>(a)] * by[static_cast<int>(b)];
        }
    }
}

}  // namespace

void require_surface_fits(const Medium& medium, const Surface* surface) {
    if (surface == nullptr || !medium.place().mapping().geographic()) return;
    require_plain(medium.first(), "a surface of the ground in location");
}

SearchBox flat_box(const Place& place) {
    const Corners box = place.flat_corners();
    return {box.low, box.high};
}

Survey flat_survey(const Place& place, const Survey& survey) {
    const Mapping& mapping = place.mapping();
    Survey out = survey;
    for (Event& event : out.events) event.position = mapping.flat_from_user(event.position);
    for (Station& station : out.stations) {
        station.position = mapping.flat_from_user(station.position);
    }
    return out;
}

LocateOptions flat_options(const Place& place, const LocateOptions& options) {
    const Mapping& mapping = place.mapping();
    LocateOptions out = options;
    if (options.box) {
        out.box = SearchBox{mapping.flat_from_user(options.box->low),
                            mapping.flat_from_user(options.box->high)};
    }
    out.prior = mapping.flat_axes(options.prior);
    if (out.given_terms) {
        for (auto& of_station : out.given_terms->points) {
            for (std::vector<TermPoint>& of_phase : of_station) {
                for (TermPoint& point : of_phase) {
                    point.place = mapping.flat_from_user(point.place);
                }
            }
        }
        out.given_terms->sort_points();
    }
    return out;
}

void to_user(const Place& place, Catalogue& catalogue) {
    const Mapping& mapping = place.mapping();
    if (!mapping.geographic()) return;
    if (catalogue.terms) {
        for (auto& of_station : catalogue.terms->points) {
            for (std::vector<TermPoint>& of_phase : of_station) {
                for (TermPoint& point : of_phase) point.place = mapping.flat_to_user(point.place);
            }
        }
    }
    for (Hypocentre& event : catalogue.events) {
        if (!is_located(event.status)) continue;
        const Vec3 lengths = mapping.flat_lengths(event.position);
        scale(event.covariance, lengths);
        scale(event.posterior.covariance, lengths);
        event.ellipsoid = ellipsoid_of(event.covariance);
        event.position = mapping.flat_to_user(event.position);
        event.posterior.mean = mapping.flat_to_user(event.posterior.mean);
        for (Vec3& point : event.posterior.places) point = mapping.flat_to_user(point);
    }
}

void to_user(const Place& place, Relocation& relocation) {
    const Mapping& mapping = place.mapping();
    if (!mapping.geographic()) return;
    for (RelocatedEvent& event : relocation.events) {
        const Vec3 lengths = mapping.flat_lengths(event.position);
        for (int axis = 0; axis < 3; ++axis) event.error[axis] *= lengths[axis];
        event.position = mapping.flat_to_user(event.position);
    }
}

}  // namespace fermat
