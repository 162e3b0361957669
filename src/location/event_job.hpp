#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "location/catalogue.hpp"
#include "location/octree.hpp"
#include "location/options.hpp"
#include "location/shared_errors.hpp"
#include "location/station_fields.hpp"

namespace fermat {

/// What all events of a survey share.
struct LocateJob {
    const Survey& survey;
    const LocateOptions& options;
    const StationFields& fields;
    const Region& region;                        ///< with all axes of the model free
    const FirstCells& first;                     ///< of that region
    std::array<double, phase_count> slowness{};  ///< typical of each phase
    double least_variance = 0;                   ///< of a time, for its rounding
    std::vector<double> corrections{};           ///< station term per arrival; empty: none
    std::vector<Vec3> starts{};  ///< per event, to climb from instead of a search; empty: search

    double time_of(std::int32_t arrival) const {
        const auto n = static_cast<std::size_t>(arrival);
        return survey.arrivals[n].time - (corrections.empty() ? 0 : corrections[n]);
    }
};

/// Mean slowness of what is not air.
double typical_slowness(const Model& model);

/// Unit vector of the ray to the station of a field where it leaves an event, in lengths.
Vec3 leaving_ray(const LocateJob& job, int field, Vec3 place);

/// The sector of an azimuth in degrees; the first begins at north.
int sector_of(double azimuth, int sectors);

/// The largest angle between azimuths of stations, in degrees; NaN if there is none.
double gap_of(std::vector<double> azimuths);

/// Locates one event; `draw` says whether samples are wanted. Writes the fits of the event's
/// arrivals. Errors that stations share count from the place that independent errors find: which
/// picks are gross, and times of travel, are taken there.
Hypocentre locate_event(const LocateJob& job, std::size_t event,
                        std::span<const std::int32_t> arrivals, const ModelErrors& errors,
                        bool draw, std::vector<PickFit>& fits);

/// locate() for a door that goes on from its places: what became of the events is not told.
Catalogue first_places(const Medium& medium, const Survey& survey, const LocateOptions& options,
                       const Surface* surface, const Execution& execution, Notes& notes);

/// The errors of the model's times that make residuals as large as they are and as alike at
/// stations close together. Sizes per phase come from the median of the residuals of up to 300
/// events, again and again until they stand; then, if LocateOptions::error_length does not say how
/// far errors are alike, what is shared is found from the residuals of up to 60 of these events
/// (fit_model_errors).
ModelErrors find_model_errors(const LocateJob& job, const ArrivalLists& lists, int threads);

/// The same from residuals of events that are located already, and nothing shared.
ModelErrors errors_of_residuals(const LocateJob& job, const ArrivalLists& lists,
                                std::span<const Hypocentre> events, std::span<const PickFit> fits);

/// Errors of the same size of which nothing is shared.
ModelErrors sizes_of_errors(const ModelErrors& errors);

/// Errors as options give them, without looking at residuals.
ModelErrors given_errors(const LocateOptions& options);

}  // namespace fermat
