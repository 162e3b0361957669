#include "bench/tomography_survey.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <utility>
#include <vector>

#include "bench/measure.hpp"
#include "model/makers.hpp"
#include "tomography/synthetic.hpp"

namespace fermat::bench {
namespace {

/// A line of 205 km with a slight bend, at the surface.
Vec3 on_line(double part) {
    return {1 + 205 * part, 36 + 5 * std::sin(std::numbers::pi * part), 0};
}

/// A bump of height 1 at x, z, in nodes.
struct Bump {
    double x;
    double z;
    double width_x;
    double width_z;
    double at(int i, int k) const {
        const double dx = (i - x) / width_x;
        const double dz = (k - z) / width_z;
        return std::exp(-dx * dx - dz * dz);
    }
};

/// The start model, 8 % slower at one place and faster at another.
Model with_anomalies(const Model& start, const Bump& slow, const Bump& fast) {
    const Grid& grid = start.grid();
    Field<float> v(grid.shape);
    for (int i = 0; i < grid.shape.x; ++i) {
        for (int j = 0; j < grid.shape.y; ++j) {
            for (int k = 0; k < grid.shape.z; ++k) {
                const double factor = 1 - 0.08 * slow.at(i, k) + 0.08 * fast.at(i, k);
                v(i, j, k) = static_cast<float>(start.velocity()(i, j, k) * factor);
            }
        }
    }
    return Model(grid, std::move(v));
}

Survey picks_of(const Model& truth, const std::vector<PointSource>& sources,
                const std::vector<Vec3>& receivers, double noise, int threads, Monitor& monitor) {
    return synthetic_picks(truth, survey_of(sources, receivers), {noise, 1}, {},
                           on_cpu(threads, monitor))
        .picks;
}

}  // namespace

TomographySurvey potrillo_survey(int threads, Monitor& monitor, int shots) {
    constexpr int stations = 793;
    constexpr double noise = 0.05;
    const Grid grid{{207, 77, 26}, {}, {1, 1, 1}};
    const std::vector<DepthVelocity> profile = {{0, 4.5}, {3, 5.8}, {12, 6.2}, {25, 7.2}};
    Model start = profile_model(grid, profile);
    std::vector<PointSource> sources;
    std::vector<Vec3> receivers;
    for (int n = 0; n < shots; ++n) sources.push_back({on_line((n + 0.5) / shots), 0});
    for (int n = 0; n < stations; ++n) {
        receivers.push_back(on_line(static_cast<double>(n) / (stations - 1)));
    }
    const Model truth = with_anomalies(start, {100, 3, 25, 5}, {150, 8, 25, 6});
    Survey picks = picks_of(truth, sources, receivers, noise, threads, monitor);
    return {std::move(start), std::move(picks), noise};
}

TomographySurvey local_survey(int nodes, int picks, int threads, Monitor& monitor) {
    constexpr double noise = 0.02;
    const int side = std::max(static_cast<int>(std::lround(std::cbrt(nodes))), 8);
    const double far = side - 1;
    const Grid grid{{side, side, side}, {}, {1, 1, 1}};
    Model start = gradient_model(grid, 4, 4 / far);
    const int stations = std::max(static_cast<int>(std::lround(std::sqrt(picks / 5.0))), 1);
    const int events = std::max((picks + stations / 2) / stations, 1);
    std::mt19937 engine(1);
    const auto within = [&](double low, double high) {
        return std::uniform_real_distribution<double>(low * far, high * far)(engine);
    };
    // The few stations shoot: what the inversion does by itself would otherwise cost the truth
    // more.
    std::vector<PointSource> sources;
    std::vector<Vec3> receivers;
    for (int n = 0; n < stations; ++n) sources.push_back({{within(0, 1), within(0, 1), 0}, 0});
    for (int n = 0; n < events; ++n) {
        receivers.push_back({within(0.1, 0.9), within(0.1, 0.9), within(0.2, 0.9)});
    }
    const double w = side / 5.0;
    const Model truth =
        with_anomalies(start, {0.4 * far, 0.2 * far, w, w}, {0.7 * far, 0.4 * far, w, w});
    Survey made = picks_of(truth, sources, receivers, noise, threads, monitor);
    return {std::move(start), std::move(made), noise};
}

}  // namespace fermat::bench
