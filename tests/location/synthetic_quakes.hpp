#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "core/random_stream.hpp"
#include "eikonal/eikonal.hpp"
#include "location/locate.hpp"
#include "model/model.hpp"

namespace fermat::test {

/// A crust of 60 by 60 by 24 km whose velocity grows with depth and waves sideways by 8 %.
inline Model waving_crust() {
    const Grid grid{{31, 31, 13}, {0, 0, 0}, {2, 2, 2}};
    Field<float> velocity(grid.shape);
    for (int i = 0; i < grid.shape.x; ++i) {
        for (int j = 0; j < grid.shape.y; ++j) {
            for (int k = 0; k < grid.shape.z; ++k) {
                const Vec3 p = grid.position({i, j, k});
                const double wave = 1 + 0.08 * std::sin(p.x / 8) * std::cos(p.y / 9);
                velocity(i, j, k) = static_cast<float>((5 + 0.1 * p.z) * wave);
            }
        }
    }
    return Model(grid, std::move(velocity));
}

struct QuakeOptions {
    int events = 250;
    double noise = 0.05;
    double gross = 0;  ///< share of picks that are wrong by up to 5 s
    bool p = true;
    bool s = true;
    Vec3 low{15, 15, 4};
    Vec3 high{45, 45, 16};
};

inline constexpr double synthetic_vp_vs = 1.75;

/// Stations on a lattice at the surface, each off it by a little.
inline std::vector<Station> network() {
    std::vector<Station> stations;
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
            stations.push_back({{6.0 + 16 * i + (j % 2), 6.0 + 16 * j - (i % 3), 0},
                                fmt::format("S{}", stations.size())});
        }
    }
    return stations;
}

/// Events with true positions and origin times, and their picks with noise.
inline Survey quakes(const Model& model, const QuakeOptions& options) {
    RandomStream random(7);
    Survey survey;
    survey.stations = network();
    std::vector<PointSource> sources;
    for (const Station& station : survey.stations) sources.push_back({station.position, 0});
    for (int n = 0; n < options.events; ++n) {
        Event event;
        event.id = fmt::format("E{}", n);
        event.origin_time = 1000.0 * n + random.uniform();
        for (int axis = 0; axis < 3; ++axis) {
            event.position[axis] =
                options.low[axis] + random.uniform() * (options.high[axis] - options.low[axis]);
        }
        survey.events.push_back(event);
    }
    std::vector<Vec3> places;
    for (const Event& event : survey.events) places.push_back(event.position);
    const std::vector<double> times = receiver_times(model, sources, places, {}, {});
    for (std::size_t e = 0; e < survey.events.size(); ++e) {
        for (std::size_t s = 0; s < survey.stations.size(); ++s) {
            const double travel = times[s * places.size() + e];
            const auto add = [&](Phase phase, double stretch) {
                double error = options.noise * random.normal();
                if (random.uniform() < options.gross) error += 10 * (random.uniform() - 0.5);
                survey.arrivals.push_back({static_cast<std::int32_t>(e),
                                           static_cast<std::int32_t>(s),
                                           survey.events[e].origin_time + stretch * travel + error,
                                           options.noise, phase});
            };
            if (options.p) add(Phase::P, 1);
            if (options.s) add(Phase::S, synthetic_vp_vs);
        }
    }
    survey.has_errors = true;
    return survey;
}

/// The survey as a catalogue has it: events without positions and origin times.
inline Survey forgotten(Survey survey) {
    for (Event& event : survey.events) {
        event.position = {not_known, not_known, not_known};
        event.origin_time = 0;
    }
    return survey;
}

}  // namespace fermat::test
