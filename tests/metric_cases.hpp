#pragma once

#include <cmath>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "eikonal/eikonal.hpp"
#include "model/metric.hpp"
#include "model/model.hpp"

namespace fermat::test {

/// Small models with a metric, for adjoints.

/// Smooth relief about a mean, with waves that are so many times as long as those of small models.
inline Field<float> relief(Shape shape, double mean, double size, unsigned seed,
                           double smoothness = 1) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> wave(-4, 4);
    double waves[4][4];
    for (auto& row : waves) {
        for (double& value : row) value = wave(random);
    }
    Field<float> out(shape);
    for (int i = 0; i < shape.x; ++i) {
        for (int j = 0; j < shape.y; ++j) {
            for (int k = 0; k < shape.z; ++k) {
                double sum = 0;
                for (const auto& w : waves) {
                    sum += std::cos((w[0] * i + w[1] * j + w[2] * k) / (10 * smoothness) + w[3]);
                }
                out(i, j, k) = static_cast<float>(mean + size * sum / 4);
            }
        }
    }
    return out;
}

struct MetricCase {
    Grid grid;
    CoordinateNumbers coordinates;
    AnisotropyValues anisotropy;
    PointSource source;
    std::vector<Vec3> receivers;
    double velocity = 3;
    std::vector<Index3> air{};
    double smoothness = 1;
};

inline AnisotropyValues copied(const AnisotropyValues& of) {
    AnisotropyValues out;
    out.kind = of.kind;
    for (std::size_t k = 0; k < 6; ++k) out.values[k] = of.values[k].copy();
    return out;
}

inline Model model_of(const MetricCase& c) {
    Field<float> velocity = relief(c.grid.shape, c.velocity, 0.1 * c.velocity, 4, c.smoothness);
    for (const Index3 n : c.air) velocity(n) = 0;
    return Model(c.grid, std::move(velocity))
        .with_metric(std::make_shared<Metric>(c.grid, c.coordinates, copied(c.anisotropy)));
}

/// With a shear velocity where `elastic` says so.
inline AnisotropyValues thomsen(Shape shape, bool elastic = false) {
    AnisotropyValues out;
    out.kind = Anisotropy::thomsen;
    out.values[0] = relief(shape, 0.15, 0.05, 1);
    out.values[1] = relief(shape, 0.05, 0.03, 2);
    if (elastic) out.values[5] = relief(shape, 0.5, 0.05, 6);
    const Field<float> tilt = relief(shape, 30, 10, 3);
    for (std::size_t n = 2; n < 5; ++n) out.values[n] = Field<float>(shape);
    for (std::size_t n = 0; n < tilt.size(); ++n) {
        const Vec3 axis = tilted_axis(static_cast<double>(tilt[n]), shape.y == 1 ? 0 : 40);
        for (int c = 0; c < 3; ++c) {
            out.values[static_cast<std::size_t>(2 + c)][n] = static_cast<float>(axis[c]);
        }
    }
    return out;
}

inline MetricCase sphere() {
    MetricCase c{
        {{13, 11, 10}, {39.5, 9.5, 0}, {0.15, 0.2, 8}}, {}, {}, {{40.31, 10.4, 13}, 0}, {}};
    c.coordinates.system = Coordinates::spherical;
    c.receivers = {{41.1, 11.3, 3}, {39.7, 10.9, 65}, {41.05, 9.7, 20}};
    c.velocity = 6;
    return c;
}

inline MetricCase hill() {
    MetricCase c{{{25, 1, 21}, {}, {0.1, 1, 0.1}}, {}, {}, {{0.71, 0, 0.32}, 0}, {}};
    c.coordinates.system = Coordinates::terrain;
    for (int i = 0; i < 25; ++i) {
        c.coordinates.surface.push_back(-0.3 * std::exp(-std::pow((0.1 * i - 1.2) / 0.6, 2)));
    }
    c.receivers = {{2.13, 0, 1.71}, {1.13, 0, 1.87}, {2.23, 0, 0.18}};
    return c;
}

/// A tunnel, round which waves go.
inline MetricCase tunnel() {
    MetricCase c = hill();
    for (int i = 9; i < 15; ++i) {
        for (int k = 8; k < 12; ++k) c.air.push_back({i, 0, k});
    }
    return c;
}

inline MetricCase flat_thomsen() {
    MetricCase flat{{{25, 1, 21}, {}, {0.1, 1, 0.1}}, {}, {}, {{0.71, 0, 0.32}, 0}, {}};
    flat.anisotropy = thomsen(flat.grid.shape);
    flat.receivers = {{2.13, 0, 1.71}, {1.13, 0, 1.87}, {2.23, 0, 0.18}};
    return flat;
}

inline MetricCase solid_thomsen(bool elastic) {
    MetricCase solid{{{11, 10, 9}, {}, {0.1, 0.1, 0.1}}, {}, {}, {{0.33, 0.41, 0.22}, 0}, {}};
    solid.anisotropy = thomsen(solid.grid.shape, elastic);
    solid.receivers = {{0.83, 0.74, 0.61}, {0.92, 0.21, 0.12}, {0.22, 0.78, 0.73}};
    return solid;
}

/// A full tensor that varies, of which the axes couple.
inline MetricCase solid_tensor() {
    MetricCase solid = solid_thomsen(false);
    const Shape shape = solid.grid.shape;
    solid.anisotropy = {};
    solid.anisotropy.kind = Anisotropy::elliptical;
    const double mean[6] = {1.2, 1, 0.9, 0.15, -0.1, 0.12};
    for (std::size_t k = 0; k < 6; ++k) {
        solid.anisotropy.values[k] = relief(shape, mean[k], 0.05, 11 + static_cast<unsigned>(k));
    }
    return solid;
}

}  // namespace fermat::test
