#pragma once

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "core/random_stream.hpp"
#include "eikonal/eikonal.hpp"
#include "location/differences.hpp"
#include "location/layered.hpp"
#include "model/model.hpp"

namespace fermat::test {

/// Velocities of layers, as cells of `spacing` km and 20 km deep; `width` km wide, round 0.
inline Model layered_crust(double spacing, double width = 100) {
    const auto nodes = [&](double length) {
        return static_cast<int>(std::lround(length / spacing)) + 1;
    };
    const Grid grid{{nodes(width), nodes(width), nodes(20)},
                    {-0.5 * width, -0.5 * width, -1},
                    {spacing, spacing, spacing}};
    Field<float> velocity(grid.cell_shape());
    for (std::size_t n = 0; n < velocity.size(); ++n) {
        const auto k = static_cast<double>(n % static_cast<std::size_t>(grid.shape.z - 1));
        const double z = -1 + (k + 0.5) * spacing;
        velocity[n] = z < 1 ? 4.0F : z < 3 ? 5.0F : z < 7 ? 5.7F : z < 13 ? 6.2F : 6.8F;
    }
    return Model::of_cells(grid, std::move(velocity));
}

/// A fault of 20 by 8 km with 308 events in streaks, their picks, and differences of both kinds.
struct FaultQuakes {
    Survey truth;      ///< true places and origin times, picks with noise
    Survey catalogue;  ///< the same at places that are off by `mislocation`
    std::vector<TimeDifference> catalogue_differences;
    std::vector<TimeDifference> correlations;
};

struct FaultOptions {
    int events = 308;
    int stations = 64;
    double mislocation = 0.3;
    double pick_noise = 0.015;
    double correlation_noise = 0.003;
    double gross = 0.02;      ///< share of differences that are wrong by up to 0.5 s
    double correlated = 1.0;  ///< distance of events whose waves correlate
};

inline FaultQuakes fault_quakes(const FaultOptions& options) {
    constexpr double vp_vs = 1.73;
    constexpr int heights = 3;  // of stations: few fields
    RandomStream random(11);
    FaultQuakes out;
    Survey& truth = out.truth;
    for (int n = 0; n < options.stations; ++n) {
        const double angle = 2.4 * n;
        const double far = 3 + 42 * std::sqrt((n + 0.5) / options.stations);
        truth.stations.push_back(
            {{far * std::cos(angle), far * std::sin(angle), -0.2 * (n % heights)},
             fmt::format("S{:02}", n)});
    }
    for (int n = 0; n < options.events; ++n) {
        const double along = 20 * random.uniform() - 10;
        const double depth = 4 + 2 * static_cast<double>(n % 4) + 0.2 * random.normal();
        const double off = 0.03 * random.normal();
        truth.events.push_back({{0.8 * along - 0.6 * off, 0.6 * along + 0.8 * off, depth},
                                1000.0 * n,
                                fmt::format("{}", 1001 + n)});
    }
    // Times of a finer grid than events are relocated on.
    const Model radial = radial_model(layered_crust(0.25, 1), 60);
    std::vector<double> travel(truth.stations.size() * truth.events.size());
    for (std::size_t height = 0; height < heights; ++height) {
        const PointSource source{{0, 0, truth.stations[height].position.z}, 0};
        std::vector<Vec3> places;
        for (std::size_t s = height; s < truth.stations.size(); s += heights) {
            for (const Event& event : truth.events) {
                const Vec3 from = event.position - truth.stations[s].position;
                places.push_back({std::hypot(from.x, from.y), 0, event.position.z});
            }
        }
        const auto times = receiver_times(radial, {&source, 1}, places, {}, {});
        auto next = times.begin();
        for (std::size_t s = height; s < truth.stations.size(); s += heights) {
            for (std::size_t e = 0; e < truth.events.size(); ++e) {
                travel[s * truth.events.size() + e] = *next++;
            }
        }
    }
    const auto time_of = [&](std::size_t e, std::size_t s, Phase phase) {
        return travel[s * truth.events.size() + e] * (phase == Phase::S ? vp_vs : 1);
    };
    const auto gross = [&] {
        return random.uniform() < options.gross ? random.uniform() - 0.5 : 0.0;
    };
    for (std::size_t e = 0; e < truth.events.size(); ++e) {
        for (std::size_t s = 0; s < truth.stations.size(); ++s) {
            for (const Phase phase : {Phase::P, Phase::S}) {
                if (phase == Phase::S && s % 3 != 0) continue;
                truth.arrivals.push_back({static_cast<std::int32_t>(e),
                                          static_cast<std::int32_t>(s),
                                          truth.events[e].origin_time + time_of(e, s, phase) +
                                              options.pick_noise * random.normal() + gross(),
                                          options.pick_noise, phase});
            }
        }
    }
    truth.has_errors = true;
    out.catalogue = truth;
    Vec3 mean;
    for (Event& event : out.catalogue.events) {
        const Vec3 by =
            options.mislocation * Vec3{random.normal(), random.normal(), 1.5 * random.normal()};
        event.position = event.position + by;
        mean = mean + by / options.events;
        event.origin_time += 0.05 * random.normal();
    }
    for (Event& event : out.catalogue.events) event.position = event.position - mean;
    Notes notes;
    out.catalogue_differences = catalogue_differences(out.catalogue, {10, 12, 8, 40}, notes);
    for (const TimeDifference& one : out.catalogue_differences) {
        const auto a = static_cast<std::size_t>(one.first);
        const auto b = static_cast<std::size_t>(one.second);
        if (distance(truth.events[a].position, truth.events[b].position) > options.correlated) {
            continue;
        }
        const auto s = static_cast<std::size_t>(one.station);
        TimeDifference cross = one;
        cross.kind = DifferenceKind::correlation;
        // Waveforms are cut at the origin times of the catalogue.
        const auto late = [&](std::size_t e) {
            return truth.events[e].origin_time - out.catalogue.events[e].origin_time;
        };
        cross.time = time_of(a, s, one.phase) - time_of(b, s, one.phase) + late(a) - late(b) +
                     options.correlation_noise * random.normal() + gross();
        cross.weight = 1;
        out.correlations.push_back(cross);
    }
    return out;
}

}  // namespace fermat::test
