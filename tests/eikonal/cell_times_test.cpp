// Times between nodes, beside jumps of velocity between cells.
#include "eikonal/cells/cell_times.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "cell_models.hpp"
#include "eikonal/eikonal.hpp"
#include "executions.hpp"

namespace fermat {
namespace {

constexpr double above = 2;
constexpr double below = 5;
constexpr double interface = 2;

Model two_layers(double h) {
    const Grid grid{{static_cast<int>(12 / h) + 1, 1, static_cast<int>(6 / h) + 1}, {}, {h, h, h}};
    const int rows = static_cast<int>(interface / h);
    return test::of_cells(grid, [=](int, int, int k) { return k < rows ? above : below; });
}

/// The first arrival from a source on the interface: in the layer below straight, above it straight
/// or as a head wave.
double exact_from_interface(Vec3 source, Vec3 point) {
    const double x = std::abs(point.x - source.x);
    const double z = point.z - interface;
    if (z >= 0) return std::hypot(x, z) / below;
    const double sine = above / below;
    const double cosine = std::sqrt(1 - sine * sine);
    const double direct = std::hypot(x, z) / above;
    const double head = x / below - z * cosine / above;
    return x >= -z * sine / cosine ? std::min(direct, head) : direct;
}

struct Errors {
    double mean = 0;
    double earliest = 0;
    double latest = 0;
};

/// Errors at random points between two distances from a source on a node of the interface.
Errors errors_between(double h, double nearest, double farthest) {
    const Model model = two_layers(h);
    const Vec3 source{6, 0, interface};
    std::mt19937 random(1);
    std::uniform_real_distribution<double> part(0, 1);
    std::vector<Vec3> points;
    while (points.size() < 500) {
        const double angle = 6.283185307 * part(random);
        const double r = h * (nearest + part(random) * (farthest - nearest));
        const Vec3 point{6 + r * std::cos(angle), 0, interface + r * std::sin(angle)};
        if (point.z > 0 && point.z < 6 && point.x > 0 && point.x < 12) points.push_back(point);
    }
    const PointSource at{source, 0};
    const auto times = receiver_times(model, std::span(&at, 1), points, {}, test::on_cpu());
    Errors errors;
    for (std::size_t n = 0; n < points.size(); ++n) {
        const double error = times[n] / exact_from_interface(source, points[n]) - 1;
        errors.mean += std::abs(error) / static_cast<double>(points.size());
        errors.earliest = std::min(errors.earliest, error);
        errors.latest = std::max(errors.latest, error);
    }
    return errors;
}

// Times interpolated between nodes were early by 10 % on average within 1.5 cells, at any spacing,
// and by up to 57 %; by up to 7 % within five cells.
TEST(CellTimes, AreThoseOfRaysBesideASourceOnAnInterface) {
    for (const double h : {0.25, 0.125}) {
        const Errors near = errors_between(h, 0.05, 1.5);
        EXPECT_LT(near.mean, 1e-4);
        EXPECT_GT(near.earliest, -1e-6);
        const Errors beside = errors_between(h, 1.5, 4.9);
        EXPECT_LT(beside.mean, 1e-4);
        EXPECT_GT(beside.earliest, -1e-6);
        EXPECT_LT(beside.latest, 1e-2);
        const Errors far = errors_between(h, 8, 30);
        EXPECT_LT(far.mean, 4e-4);
        EXPECT_GT(far.earliest, -8e-3);
        EXPECT_LT(far.latest, 4e-3);
    }
    const PointSource at{{6, 0, 2}, 0};
    const Vec3 point{6.013, 0, 1.982};
    const auto time = receiver_times(two_layers(0.125), std::span(&at, 1), std::span(&point, 1), {},
                                     test::on_cpu());
    EXPECT_NEAR(time[0], exact_from_interface(at.position, point), 1e-7);  // half when interpolated
}

TEST(CellTimes, BothWaysTakeTheSameTimeInThinLayers) {
    const Grid grid{{31, 1, 21}, {}, {0.5, 0.5, 0.5}};
    const Model model = test::of_cells(grid, [](int, int, int k) { return k % 2 ? 2.6 : 2.0; });
    std::mt19937 random(3);
    std::uniform_real_distribution<double> part(0, 1);
    std::vector<Vec3> points;
    std::vector<PointSource> sources;
    for (int n = 0; n < 24; ++n) {
        points.push_back({15 * part(random), 0, 10 * part(random)});
        sources.push_back({points.back(), 0});
    }
    const auto times = receiver_times(model, sources, points, {}, test::on_cpu());
    double sum = 0;
    double largest = 0;
    for (std::size_t a = 0; a < 24; ++a) {
        for (std::size_t b = 0; b < a; ++b) {
            const double differ = std::abs(times[24 * a + b] / times[24 * b + a] - 1);
            sum += differ;
            largest = std::max(largest, differ);
        }
    }
    EXPECT_LT(sum / 276, 1e-3);  // 2e-3 when interpolated
    EXPECT_LT(largest, 2e-2);    // 0.14
}

TEST(CellTimes, OnNodesAreThoseOfTheField) {
    const Model model = two_layers(0.5);
    const TimeField field = solve(model, {{3.1, 0, 1.2}, 0}, {}, test::on_cpu());
    const ReceiverTimes<float> read(model, field);
    for (const Index3 node : {Index3{0, 0, 0}, {9, 0, 4}, {24, 0, 12}}) {
        const Vec3 place = model.grid().position(node);
        EXPECT_EQ(read.at(place), time_at(field, place));
    }
}

TEST(CellTimes, AcrossAirAreInfiniteOrThoseOfTheRock) {
    const Grid grid{{13, 1, 9}, {}, {1, 1, 1}};
    const Model model = test::of_cells(grid, [](int i, int, int k) {
        return i == 6 ? 0 : k < 4 ? 2 : 5;
    });
    const TimeField field = solve(model, {{2.2, 0, 3.1}, 0}, {}, test::on_cpu());
    const ReceiverTimes<float> read(model, field);
    EXPECT_TRUE(std::isinf(read.at({9.5, 0, 3.5})));
    // A head wave, from 0.9 above the interface.
    EXPECT_NEAR(read.at({5.2, 0, 3.1}), 3.0 / 5 + 0.9 * std::sqrt(1 - 4.0 / 25), 2e-3);
}

}  // namespace
}  // namespace fermat
