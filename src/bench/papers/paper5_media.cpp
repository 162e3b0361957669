#include "bench/papers/paper5_media.hpp"

#include <limits>

#include "model/analytic.hpp"
#include "model/makers.hpp"

namespace fermat::bench {
namespace {

constexpr double upper = 2;  ///< of the homogeneous medium, the upper layer and the gradient's top
constexpr double lower = 5;
const LinearVelocity rising_velocity{upper, {0, 0, 0.01}};

/// Depth of the first row of points in the lower layer. The interface is halfway to the row above.
double lower_top(const Grid& grid) { return grid.shape.z / 10; }

}  // namespace

const std::array<Scenario, 3>& paper5_scenarios() {
    static const std::array<Scenario, 3> scenarios = {
        Scenario{"homogeneous",
                 [](const Grid& grid) { return constant_model(grid, upper); },
                 [](const Grid&, Vec3 source, Vec3 point) {
                     return homogeneous_time(upper, source, point);
                 },
                 true,
                 {{{5.43, 5.69}, {21.65, 22.60}, {139.20, 144.83}}},
                 {{{3, 3.98, 75.19}, {5.03, 9.70, 51.88}, {20.45, 48.63, 42.08}}}},
        Scenario{"layer",
                 [](const Grid& grid) {
                     return layered_model(grid, std::array{DepthVelocity{0, upper},
                                                           DepthVelocity{lower_top(grid), lower}});
                 },
                 [](const Grid& grid, Vec3 source, Vec3 point) {
                     const TwoLayers layers{upper, lower, lower_top(grid) - 0.5};
                     return point.z == 0 ? layers.first_arrival(point.x - source.x)
                                         : std::numeric_limits<double>::quiet_NaN();
                 },
                 false,
                 {{{5.56, 5.79}, {22.24, 23.16}, {145.56, 150.33}}},
                 {{{3.84, 4.91, 78.27}, {7.89, 12.43, 63.52}, {29.36, 57.50, 51.07}}}},
        Scenario{"gradient",
                 [](const Grid& grid) {
                     return gradient_model(grid, rising_velocity.v0, rising_velocity.gradient.z);
                 },
                 [](const Grid&, Vec3 source, Vec3 point) {
                     return rising_velocity.time(source, point);
                 },
                 false,
                 {{{5.20, 5.46}, {21.62, 22.60}, {142, 148.23}}},
                 {{{4, 4.99, 80.37}, {7.99, 12.31, 65.13}, {30.45, 58.93, 51.67}}}},
    };
    return scenarios;
}

Grid paper5_grid(int nodes) { return {{nodes, 1, nodes}, {}, {1, 1, 1}}; }

Vec3 paper5_source(const Scenario& scenario, const Grid& grid) {
    return scenario.source_in_middle ? 0.5 * grid.far_corner() : grid.origin;
}

std::vector<Vec3> paper5_receivers(const Scenario& scenario, const Grid& grid) {
    const double side = grid.far_corner().x;
    std::vector<Vec3> receivers;
    if (scenario.source_in_middle) {
        for (int k = 0; k < 4; ++k) {
            const double along = side * k / 4;
            receivers.push_back({along, 0, 0});
            receivers.push_back({side, 0, along});
            receivers.push_back({side - along, 0, side});
            receivers.push_back({0, 0, side - along});
        }
        return receivers;
    }
    constexpr int count = 19;
    for (int k = 1; k <= count; ++k) receivers.push_back({side * k / count, 0, 0});
    return receivers;
}

}  // namespace fermat::bench
