#pragma once

#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "model/makers.hpp"
#include "tomography/invert.hpp"
#include "tomography/synthetic.hpp"

namespace fermat::test {

/// A gradient with a smooth high and a smooth low of 8 %.
inline Model anomalies(const Model& base) {
    const Grid& grid = base.grid();
    const Vec3 far = grid.far_corner();
    Field<float> v(grid.shape);
    for (int i = 0; i < grid.shape.x; ++i) {
        for (int j = 0; j < grid.shape.y; ++j) {
            for (int k = 0; k < grid.shape.z; ++k) {
                const Vec3 p = grid.position({i, j, k});
                const auto bump = [&](double x, double z, double r) {
                    const double dx = (p.x / far.x - x) / r;
                    const double dy = grid.is_2d() ? 0 : (p.y / far.y - 0.5) / r;
                    const double dz = (p.z / far.z - z) / r;
                    return std::exp(-(dx * dx + dy * dy + dz * dz));
                };
                const double factor = 1 + 0.08 * bump(0.3, 0.35, 0.2) - 0.08 * bump(0.7, 0.6, 0.2);
                v(i, j, k) = static_cast<float>(base.velocity()(i, j, k) * factor);
            }
        }
    }
    return Model(grid, std::move(v));
}

struct KnownTruth {
    Model start;
    Model truth;
    Survey picks;
};

/// Sources on the left and the top, receivers on the right and the bottom.
inline KnownTruth survey_2d(double noise = 0) {
    const Grid grid{{33, 1, 25}, {0, 0, 0}, {0.25, 1, 0.25}};
    Model start = gradient_model(grid, 2, 0.1);
    Model truth = anomalies(start);
    const Vec3 far = grid.far_corner();
    std::vector<PointSource> sources;
    std::vector<Vec3> receivers;
    for (int n = 0; n <= 8; ++n) {
        sources.push_back({{0, 0, far.z * n / 8}, 0});
        sources.push_back({{far.x * n / 8, 0, 0}, 0});
    }
    for (int n = 0; n <= 16; ++n) {
        receivers.push_back({far.x, 0, far.z * n / 16});
        receivers.push_back({far.x * n / 16, 0, far.z});
    }
    Survey picks = synthetic_picks(truth, survey_of(sources, receivers), {noise, 3}).picks;
    return {std::move(start), std::move(truth), std::move(picks)};
}

/// A small cube, sources on the top and receivers on three faces.
inline KnownTruth survey_3d() {
    const Grid grid{{15, 13, 11}, {0, 0, 0}, {1, 1, 1}};
    Model start = gradient_model(grid, 3, 0.1);
    Model truth = anomalies(start);
    std::vector<PointSource> sources;
    std::vector<Vec3> receivers;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            sources.push_back({{2.0 + 5 * i, 2.0 + 4 * j, 0}, 0});
            receivers.push_back({2.0 + 5 * i, 2.0 + 4 * j, 10});
            receivers.push_back({14, 2.0 + 4 * j, 2.0 + 3 * i});
            receivers.push_back({2.0 + 5 * i, 12, 2.0 + 3 * j});
        }
    }
    Survey picks = synthetic_picks(truth, survey_of(sources, receivers)).picks;
    return {std::move(start), std::move(truth), std::move(picks)};
}

inline bool same_bits(const InversionResult& a, const InversionResult& b) {
    const auto equal = [](const auto& x, const auto& y) {
        return x.size() == y.size() &&
               std::memcmp(&*x.begin(), &*y.begin(), x.size() * sizeof(*x.begin())) == 0;
    };
    return equal(a.model.velocity(), b.model.velocity()) && equal(a.coverage, b.coverage) &&
           equal(a.initial_residual, b.initial_residual) &&
           equal(a.final_residual, b.final_residual) && a.history.size() == b.history.size();
}

}  // namespace fermat::test
