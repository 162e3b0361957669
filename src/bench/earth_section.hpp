#pragma once

#include <cmath>
#include <iterator>
#include <limits>

#include "bench/metric_media.hpp"

namespace fermat {

/// P velocity of ak135 (Kennett, Engdahl & Buland 1995) to 910 km; a depth given twice is a jump.
inline constexpr double ak135_rows[][2] = {
    {0, 5.8},       {20, 5.8},      {20, 6.5},        {35, 6.5},      {35, 8.04},
    {77.5, 8.045},  {120, 8.05},    {165, 8.175},     {210, 8.3},     {260, 8.4825},
    {310, 8.665},   {360, 8.8475},  {410, 9.03},      {410, 9.36},    {460, 9.528},
    {510, 9.696},   {560, 9.864},   {610, 10.032},    {660, 10.2},    {660, 10.79},
    {710, 10.9229}, {760, 11.0558}, {809.5, 11.1353}, {859, 11.2221}, {908.5, 11.3068}};

/// First arrivals at 1, 2, ... 25 degrees from a source at the surface: rays of the layered sphere,
/// integrated in closed form in shells of 2.5 km (v = a r^b; shells of 0.5 km change 1e-4 s).
inline constexpr double ak135_arrivals[] = {
    19.1713,  35.0268,  48.7791,  62.5285,  76.2739,  90.0139,  103.7473, 117.4730, 131.1895,
    144.8957, 158.5903, 172.2721, 185.9399, 199.5923, 213.2282, 226.3683, 239.1180, 251.5725,
    263.1542, 274.0934, 284.9483, 295.7010, 306.3350, 316.2995, 325.4188};

inline double ak135_velocity(double depth, bool below) {
    for (std::size_t n = 0; n + 1 < std::size(ak135_rows); ++n) {
        const auto [z, v] = ak135_rows[n];
        const auto [next_z, next_v] = ak135_rows[n + 1];
        const bool inside =
            below || depth == 0 ? depth >= z && depth < next_z : depth > z && depth <= next_z;
        if (inside) return v + (next_v - v) * (depth - z) / (next_z - z);
    }
    return 0;
}

/// ak135 on a spherical grid whose jumps lie on rows of nodes.
inline Model ak135_model(const Grid& grid) {
    CoordinateNumbers numbers;
    numbers.system = Coordinates::spherical;
    Field<float> velocity(grid.shape);
    const double step = grid.spacing.z;
    for_each_node(grid.shape, [&](Index3 n) {
        velocity(n) = static_cast<float>(ak135_velocity(step * n.z, false));
    });
    for (int k = 0; k < grid.shape.z; ++k) {
        numbers.jumps.push_back(ak135_velocity(step * k, true) / ak135_velocity(step * k, false));
    }
    return Model(grid, std::move(velocity))
        .with_metric(std::make_shared<const Metric>(grid, numbers));
}

/// A section of ak135 along a meridian, 26 degrees long and 900 km deep, with a source at the
/// surface. Its closed form knows whole degrees at the surface only and is not a number elsewhere.
/// `rows` is 181 (5 km) or a multiple of 180 and 1.
inline MetricMedium earth_section(int rows) {
    const double step = 900.0 / (rows - 1);
    const Grid grid{{26 * (rows - 1) / 9 + 1, 1, rows}, {}, {0.01 * step, 1, step}};
    const Vec3 source{0.5, 0, 0};
    return {ak135_model(grid), source, [=](Vec3 p) {
                const long degree = std::lround(p.x - source.x);
                const bool known = p.z == 0 && degree >= 1 && degree <= 25 &&
                                   std::abs(p.x - source.x - static_cast<double>(degree)) < 1e-9;
                return known ? ak135_arrivals[degree - 1]
                             : std::numeric_limits<double>::quiet_NaN();
            }};
}

/// A block of ak135, 3 degrees by 3 degrees by 120 km, with a source at 12 km; no closed form.
/// `rows` is 25 (5 km) or a multiple of 24 and 1.
inline MetricMedium earth_block(int rows) {
    const double step = 120.0 / (rows - 1);
    const int across = 5 * (rows - 1) / 2 + 1;
    const Grid grid{{across, across, rows}, {40, 10, 0}, {0.01 * step, 0.01 * step, step}};
    return {ak135_model(grid), {41.32, 11.21, 12}, [](Vec3) {
                return std::numeric_limits<double>::quiet_NaN();
            }};
}

}  // namespace fermat
