#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/choice.hpp"
#include "location/delay_terms.hpp"
#include "location/ellipsoid.hpp"
#include "location/not_known.hpp"
#include "location/quality.hpp"
#include "location/shared_errors.hpp"
#include "survey/survey.hpp"

namespace fermat {

/// What became of an event.
enum class LocationStatus {
    located,
    at_face,    ///< the best place is on a face of the search box: the true one may lie outside
    at_ground,  ///< the ground or air above the best place holds it down
    few_picks,  ///< fewer than LocateOptions::least_picks are usable
    few_used,   ///< at the best place, fewer than LocateOptions::least_picks are not gross
    nowhere,    ///< no place of the box has times of its picks
};
template <>
inline constexpr auto choices<LocationStatus> =
    choice_table<LocationStatus>("location status", {{"located", LocationStatus::located},
                                                     {"at_face", LocationStatus::at_face},
                                                     {"at_ground", LocationStatus::at_ground},
                                                     {"few_picks", LocationStatus::few_picks},
                                                     {"few_used", LocationStatus::few_used},
                                                     {"nowhere", LocationStatus::nowhere}});

inline bool is_located(LocationStatus status) {
    return status == LocationStatus::located || status == LocationStatus::at_face ||
           status == LocationStatus::at_ground;
}

/// Places drawn from the probability of an event's place, all of equal weight.
struct Posterior {
    std::vector<Vec3> places;
    std::vector<double> log_density;  ///< of each place, up to the constant of the likelihood
    Vec3 mean;
    Matrix3 covariance{};
    /// The region of a probability holds the places whose log density is at least this.
    double least_68 = 0;
    double least_95 = 0;
    double effective = 0;  ///< independent draws that the samples are worth
};

/// Where and when an event was. Numbers are NaN where it was not located.
struct Hypocentre {
    LocationStatus status = LocationStatus::nowhere;
    Vec3 position{not_known, not_known, not_known};  ///< of the largest probability
    double origin_time = not_known;
    Matrix3 covariance{};  ///< of the position; with samples, theirs
    double time_error = not_known;
    Ellipsoid ellipsoid;         ///< of the covariance
    RegionReach reach;           ///< standard deviations of its 68 and 95 % regions
    int picks = 0;               ///< of the event
    int used = 0;                ///< of these, those more likely right than gross
    double rms = not_known;      ///< of residuals, weighted by PickFit::weight
    double gap = not_known;      ///< largest angle between the azimuths of used stations, degrees
    double nearest = not_known;  ///< distance of the epicentre from the nearest used station
    Quality quality = Quality::none;
    Posterior posterior;  ///< where samples are wanted
};

/// What a location says about one pick; NaN where its event or station is not used.
struct PickFit {
    double residual = not_known;   ///< observed - computed
    double weight = 0;             ///< probability that the pick is not grossly wrong
    double deviation = not_known;  ///< standard deviation of pick and model together
    double travel_time = not_known;
    double distance = not_known;     ///< of the epicentre from the station
    double azimuth = not_known;      ///< from the event to the station, degrees
    double ray_azimuth = not_known;  ///< of the ray where it leaves the event, degrees
    double take_off = not_known;     ///< of the same, degrees from straight down
    double term = not_known;         ///< of the station, taken from the observed time
};

struct Catalogue {
    std::vector<Hypocentre> events;   ///< as in the survey
    std::vector<PickFit> fits;        ///< as the survey's arrivals
    ModelErrors errors;               ///< that were used
    std::optional<DelayTerms> terms;  ///< that were used, found ones among them
    bool fields_by_depth = false;     ///< velocity depends on depth alone: StationFields::radial()
};

}  // namespace fermat
