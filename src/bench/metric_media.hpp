#pragma once

// Media with a metric and their exact times, for tests and benches.

#include <cmath>
#include <functional>
#include <memory>
#include <numbers>
#include <utility>

#include "model/metric.hpp"
#include "model/metric_forms.hpp"
#include "model/model.hpp"

namespace fermat {

struct MetricMedium {
    Model model;
    Vec3 source;                       ///< in the coordinates of users
    std::function<double(Vec3)> time;  ///< from the source to a point of a user
};

template <class Visit>
void for_each_node(Shape shape, Visit visit) {
    for (int i = 0; i < shape.x; ++i) {
        for (int j = 0; j < shape.y; ++j) {
            for (int k = 0; k < shape.z; ++k) visit(Index3{i, j, k});
        }
    }
}

inline AnisotropyValues tensors_of(const Grid& grid, const std::function<Mat3(Vec3)>& at) {
    AnisotropyValues out;
    out.kind = Anisotropy::elliptical;
    for (auto& field : out.values) field = Field<float>(grid.shape);
    for_each_node(grid.shape, [&](Index3 n) {
        const Mat3 m = at(grid.position(n));
        const double values[] = {m(0, 0), m(1, 1), m(2, 2), m(0, 1), m(0, 2), m(1, 2)};
        for (std::size_t c = 0; c < 6; ++c) out.values[c](n) = static_cast<float>(values[c]);
    });
    return out;
}

inline AnisotropyValues thomsen_of(const Grid& grid, const Thomsen& medium) {
    AnisotropyValues out;
    out.kind = Anisotropy::thomsen;
    const double values[] = {medium.epsilon, medium.delta, medium.axis.x, medium.axis.y,
                             medium.axis.z};
    for (std::size_t c = 0; c < 5; ++c) {
        out.values[c] = Field<float>(grid.shape, static_cast<float>(values[c]));
    }
    return out;
}

inline Field<float> velocity_of(const Grid& grid, const Metric& metric,
                                const std::function<double(Vec3)>& at_user) {
    Field<float> velocity(grid.shape);
    for_each_node(grid.shape, [&](Index3 n) {
        velocity(n) = static_cast<float>(at_user(metric.mapping().to_user(grid.position(n))));
    });
    return velocity;
}

inline Grid unit_cube(int nodes) {
    const double h = 1.0 / (nodes - 1);
    return {{nodes, nodes, nodes}, {}, {h, h, h}};
}

/// v = a r^-2 in a block of 6 degrees by 6 degrees by 200 km; `longitude` is that of its middle.
inline MetricMedium power_law_block(int nodes, double longitude = 0, double latitude = 0) {
    const double cells = nodes - 1;
    const Grid grid{{nodes, nodes, nodes},
                    {latitude - 3, longitude - 3, 0},
                    {6 / cells, 6 / cells, 200 / cells}};
    CoordinateNumbers numbers;
    numbers.system = Coordinates::spherical;
    const auto metric = std::make_shared<const Metric>(grid, numbers);
    const PowerLawSphere sphere;
    const Vec3 source{latitude + 0.3, longitude - 0.4, 30};
    return {Model(grid, velocity_of(grid, *metric, [=](Vec3 p) { return sphere.velocity(p.z); }))
                .with_metric(metric),
            source, [=](Vec3 p) { return sphere.time(source, p); }};
}

/// The image of the unit cube under a bent and stretched map is homogeneous.
inline MetricMedium diffeomorphic_cube(int nodes, double stretch = 1.5, double bend = 0.1) {
    constexpr double wave = 3;
    constexpr double tilt = 0.6;
    constexpr double turn = 0.4;
    const Mat3 tilted{
        {{{std::cos(tilt), 0, -std::sin(tilt)}, {0, 1, 0}, {std::sin(tilt), 0, std::cos(tilt)}}}};
    const Mat3 turned{
        {{{std::cos(turn), -std::sin(turn), 0}, {std::sin(turn), std::cos(turn), 0}, {0, 0, 1}}}};
    const Mat3 a = Mat3::diagonal(1, 1, stretch) * tilted * turned;
    const auto f = [=](Vec3 p) {
        return a * Vec3{p.x + bend * std::sin(wave * p.y + 0.3), p.y + bend * std::sin(wave * p.z),
                        p.z + bend * std::sin(wave * p.x + 1)};
    };
    const auto jacobian = [=](Vec3 p) {
        const double k = bend * wave;
        return a * Mat3{{{{1, k * std::cos(wave * p.y + 0.3), 0},
                          {0, 1, k * std::cos(wave * p.z)},
                          {k * std::cos(wave * p.x + 1), 0, 1}}}};
    };
    const Grid grid = unit_cube(nodes);
    const auto metric = std::make_shared<const Metric>(
        grid, CoordinateNumbers{},
        tensors_of(grid, [&](Vec3 p) { return pulled_back(jacobian(p)); }));
    const Vec3 source{0.48, 0.52, 0.31};
    return {Model(grid, Field<float>(grid.shape, 1.0F)).with_metric(metric), source,
            [=](Vec3 p) { return distance(f(p), f(source)); }};
}

/// Homogeneous, 3 km/s along x and 2 km/s across.
inline MetricMedium elliptical_cube(int nodes) {
    const Grid grid = unit_cube(nodes);
    const Mat3 tensor = Mat3::diagonal(2.25, 1, 1);
    const Vec3 source{0.48, 0.52, 0.31};
    return {Model(grid, Field<float>(grid.shape, 2.0F))
                .with_metric(std::make_shared<const Metric>(
                    grid, CoordinateNumbers{}, tensors_of(grid, [=](Vec3) { return tensor; }))),
            source, [=](Vec3 p) { return elliptical_time(2, tensor, source, p); }};
}

inline MetricMedium thomsen_cube(int nodes) {
    const Grid grid = unit_cube(nodes);
    const Thomsen medium{0.2, 0.1, {std::sin(0.6), 0, std::cos(0.6)}};
    const Vec3 source{0.48, 0.52, 0.31};
    return {Model(grid, Field<float>(grid.shape, 3.0F))
                .with_metric(std::make_shared<const Metric>(grid, CoordinateNumbers{},
                                                            thomsen_of(grid, medium))),
            source, [=](Vec3 p) { return thomsen_time(3, medium, source, p); }};
}

/// A mountain with slopes of 60 %, v = 2 + gradient z, the source on one of its slopes.
inline MetricMedium mountain(int nodes, double gradient) {
    const Grid grid = unit_cube(nodes);
    CoordinateNumbers numbers;
    numbers.system = Coordinates::terrain;
    for (int i = 0; i < nodes; ++i) {
        for (int j = 0; j < nodes; ++j) {
            numbers.surface.push_back(-0.2 + 0.6 * std::abs(grid.position({i, j, 0}).x - 0.5));
        }
    }
    const auto metric = std::make_shared<const Metric>(grid, numbers);
    const auto velocity = [=](Vec3 p) { return 2 + gradient * p.z; };
    const Vec3 source = metric->mapping().to_user({0.2, 0.5, 0});
    return {Model(grid, velocity_of(grid, *metric, velocity)).with_metric(metric), source,
            [=](Vec3 p) {
                const double r = distance(p, source);
                if (gradient == 0) return r / 2;
                return 2 / gradient *
                       std::asinh(0.5 * gradient * r / std::sqrt(velocity(source) * velocity(p)));
            }};
}

/// Steps that double from top to bottom, v = 2 + z.
inline MetricMedium graded_section(int nodes) {
    const double h = 2.0 / (nodes - 1);
    const Grid grid{{nodes, 1, nodes}, {}, {h, 1, h}};
    CoordinateNumbers numbers;
    numbers.system = Coordinates::graded;
    for (int n = 0; n < nodes; ++n) {
        numbers.axes[0].push_back(n * h);
        numbers.axes[2].push_back(0.5 * n * h + 0.25 * n * n * h * h);
    }
    const auto metric = std::make_shared<const Metric>(grid, numbers);
    const Vec3 source{0.3, 0, 0.2};
    const auto velocity = [](Vec3 p) { return 2 + p.z; };
    return {Model(grid, velocity_of(grid, *metric, velocity)).with_metric(metric), source,
            [=](Vec3 p) {
                const double r = distance(p, source);
                return 2 * std::asinh(0.5 * r / std::sqrt(velocity(source) * velocity(p)));
            }};
}

}  // namespace fermat
