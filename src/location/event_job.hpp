#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "location/catalogue.hpp"
#include "location/octree.hpp"
#include "location/options.hpp"
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
};

/// Locates one event with a model error per phase; `draw` says whether samples are wanted. Writes
/// the fits of the event's arrivals.
Hypocentre locate_event(const LocateJob& job, std::size_t event,
                        std::span<const std::int32_t> arrivals,
                        const std::array<double, phase_count>& model_error, bool draw,
                        std::vector<PickFit>& fits);

/// The standard deviation of the model's times per phase that makes residuals as large as they are.
/// From the median of the residuals of up to 300 events, again and again until it stands.
std::array<double, phase_count> find_model_error(const LocateJob& job, const ArrivalLists& lists,
                                                 int threads);

}  // namespace fermat
