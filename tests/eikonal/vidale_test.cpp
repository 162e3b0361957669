#include "eikonal/vidale/vidale.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <future>
#include <limits>
#include <numeric>
#include <queue>
#include <random>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "eikonal/eikonal.hpp"
#include "expect_error.hpp"

namespace fermat {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

using Profile = std::function<double(Vec3)>;

template <class Visit>
void for_each_node(Shape shape, Visit visit) {
    for (int i = 0; i < shape.x; ++i) {
        for (int j = 0; j < shape.y; ++j) {
            for (int k = 0; k < shape.z; ++k) visit(Index3{i, j, k});
        }
    }
}

Model make_model(const Grid& grid, const Profile& velocity) {
    Field<float> values(grid.shape);
    for_each_node(grid.shape,
                  [&](Index3 n) { values(n) = static_cast<float>(velocity(grid.position(n))); });
    return Model(grid, std::move(values));
}

Model random_blocks(const Grid& grid, int size, double contrast, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> power(0, 1);
    const Shape blocks{grid.shape.x / size + 1, grid.shape.y / size + 1, grid.shape.z / size + 1};
    Field<double> values(blocks);
    for (double& v : values) v = std::pow(contrast, power(random));
    Field<float> velocity(grid.shape);
    for_each_node(grid.shape, [&](Index3 n) {
        velocity(n) = static_cast<float>(values(n.x / size, n.y / size, n.z / size));
    });
    return Model(grid, std::move(velocity));
}

Grid square(int n, double h = 1) { return {{n, 1, n}, {0, 0, 0}, {h, h, h}}; }
Grid cube(int n, double h = 1) { return {{n, n, n}, {0, 0, 0}, {h, h, h}}; }

template <class Real = float>
Field<Real> times(const Model& model, Vec3 source) {
    return vidale_times<Real>(model, source, silent_monitor());
}

struct Misfit {
    double mean = 0;
    double max = 0;
};

/// Relative misfit over nodes at least three spacings from the source along some axis; infinite if
/// only one of the two times is infinite.
template <class Real>
Misfit misfit(const Grid& grid, const Field<Real>& t, Vec3 source,
              const std::function<double(Index3)>& reference) {
    Misfit result;
    std::size_t count = 0;
    for_each_node(grid.shape, [&](Index3 n) {
        const Vec3 d = grid.to_index(grid.position(n)) - grid.to_index(source);
        if (std::max({std::abs(d.x), std::abs(d.y), std::abs(d.z)}) < 3) return;
        const double expected = reference(n);
        const double actual = static_cast<double>(t(n));
        if (expected == infinity && actual == infinity) return;
        const double error = std::isfinite(actual) && std::isfinite(expected)
                                 ? std::abs(actual - expected) / expected
                                 : infinity;
        result.mean += error;
        result.max = std::max(result.max, error);
        ++count;
    });
    result.mean /= static_cast<double>(count);
    return result;
}

/// Time along a straight segment that keeps clear of air.
double segment_time(const Model& model, Vec3 from, Vec3 way, int samples) {
    double sum = 0;
    for (int i = 0; i < samples; ++i) {
        const Vec3 point = from + (i + 0.5) / samples * way;
        bool air = false;
        for_each_corner(model.grid(), point, [&](Index3 node, double weight) {
            air |= weight > 1e-9 && model.is_air(node);
        });
        if (air) return infinity;
        sum += slowness_at(model, point);
    }
    return norm(way) * sum / samples;
}

/// Shortest paths over straight segments to all nodes within `radius`. This independent reference
/// is too late by a few tenths of a per cent, because segments have only certain directions.
Field<double> shortest_paths(const Model& model, Index3 source, int radius) {
    const Grid& grid = model.grid();
    std::vector<Index3> star;
    const int radius_y = grid.is_2d() ? 0 : radius;
    for_each_node({2 * radius + 1, 2 * radius_y + 1, 2 * radius + 1}, [&](Index3 n) {
        const Index3 step{n.x - radius, n.y - radius_y, n.z - radius};
        if (std::gcd(std::gcd(step.x, step.y), step.z) == 1) star.push_back(step);
    });

    using Entry = std::pair<double, std::size_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    Field<double> t(grid.shape, infinity);
    Field<Index3> node(grid.shape);
    for_each_node(grid.shape, [&](Index3 n) { node(n) = n; });
    t(source) = 0;
    queue.push({0, grid.shape.offset(source)});
    while (!queue.empty()) {
        const auto [time, offset] = queue.top();
        queue.pop();
        if (time > t[offset]) continue;
        const Index3 n = node[offset];
        for (const Index3 step : star) {
            const Index3 m{n.x + step.x, n.y + step.y, n.z + step.z};
            bool inside = true;
            for (int axis = 0; axis < 3; ++axis) {
                inside &= m[axis] >= 0 && m[axis] < grid.shape[axis];
            }
            if (!inside || t(m) <= time) continue;
            const int longest = std::max({std::abs(step.x), std::abs(step.y), std::abs(step.z)});
            const double arrival =
                time + segment_time(model, grid.position(n), grid.position(m) - grid.position(n),
                                    3 * longest);
            if (arrival < t(m)) {
                t(m) = arrival;
                queue.push({arrival, grid.shape.offset(m)});
            }
        }
    }
    return t;
}

Misfit misfit_to_shortest_paths(const Model& model, Index3 source, int radius) {
    const Field<double> reference = shortest_paths(model, source, radius);
    const Vec3 at = model.grid().position(source);
    return misfit(model.grid(), times(model, at), at, [&](Index3 n) { return reference(n); });
}

Misfit homogeneous_misfit(const Grid& grid, Vec3 source) {
    const Model model = make_model(grid, [](Vec3) { return 2.0; });
    return misfit(grid, times(model, source), source,
                  [&](Index3 n) { return distance(grid.position(n), source) / 2; });
}

/// v = 2 + 0.5 z in a box of 10 by 10 (by 10), whose exact time is acosh(1 + g^2 r^2 / 2 v v0) / g.
template <class Real = float>
Misfit gradient_misfit(const Grid& grid, Vec3 source) {
    const double g = 0.5;
    const auto velocity = [g](Vec3 p) { return 2 + g * p.z; };
    return misfit(grid, times<Real>(make_model(grid, velocity), source), source, [&](Index3 n) {
        const Vec3 p = grid.position(n);
        const double r = distance(p, source);
        return std::acosh(1 + g * g * r * r / (2 * velocity(p) * velocity(source))) / g;
    });
}

TEST(Vidale, StraightRaysInAHomogeneousMedium) {
    const Misfit flat = homogeneous_misfit(square(101), {50, 0, 50});
    EXPECT_LT(flat.mean, 5e-4);
    EXPECT_LT(flat.max, 4e-3);
    const Misfit solid = homogeneous_misfit(cube(51), {25, 25, 25});
    EXPECT_LT(solid.mean, 1e-3);
    EXPECT_LT(solid.max, 6e-3);
}

TEST(Vidale, SpacingMayDifferPerAxis) {
    const Misfit flat = homogeneous_misfit({{101, 1, 51}, {-3, 0, 7}, {0.5, 1, 2}}, {20, 0, 50});
    EXPECT_LT(flat.mean, 2e-3);
    EXPECT_LT(flat.max, 2e-2);
    const Misfit solid = homogeneous_misfit({{61, 31, 41}, {0, 0, 0}, {0.5, 1, 0.75}}, {9, 11, 3});
    EXPECT_LT(solid.mean, 2e-3);
    EXPECT_LT(solid.max, 1e-2);
}

TEST(Vidale, ErrorFallsAtLeastLinearlyWithTheSpacing2d) {
    const Vec3 source{5, 0, 0.5};
    const double coarse = gradient_misfit(square(65, 10.0 / 64), source).mean;
    const double middle = gradient_misfit(square(129, 10.0 / 128), source).mean;
    const double fine = gradient_misfit(square(257, 10.0 / 256), source).mean;
    EXPECT_LT(coarse, 1e-3);
    EXPECT_LT(middle, coarse / 1.7);
    EXPECT_LT(fine, middle / 1.7);
}

TEST(Vidale, ErrorFallsAtLeastLinearlyWithTheSpacing3d) {
    const Vec3 source{5, 5, 0.5};
    const double coarse = gradient_misfit(cube(33, 10.0 / 32), source).mean;
    const double fine = gradient_misfit(cube(65, 10.0 / 64), source).mean;
    EXPECT_LT(coarse, 3e-3);
    EXPECT_LT(fine, coarse / 1.9);
}

TEST(Vidale, SourcesBetweenNodesAreAsGoodAsOnNodes) {
    const double on = gradient_misfit(cube(33, 10.0 / 32), {5, 5, 0.625}).mean;
    for (const Vec3 shift : {Vec3{0.11, 0, 0}, Vec3{0.156, 0.156, 0.156}, Vec3{0.01, -0.2, 0.1}}) {
        EXPECT_LT(gradient_misfit(cube(33, 10.0 / 32), Vec3{5, 5, 0.625} + shift).mean, 1.2 * on);
    }
}

TEST(Vidale, DoubleAndFloatAgree) {
    const Grid grid = cube(33, 10.0 / 32);
    const Vec3 source{5, 5, 0.5};
    const Model model = make_model(grid, [](Vec3 p) { return 2 + 0.5 * p.z; });
    const Field<double> full = times<double>(model, source);
    EXPECT_LT(
        misfit(grid, times<float>(model, source), source, [&](Index3 n) { return full(n); }).max,
        2e-5);
}

TEST(Vidale, HeadWaveOvertakesTheDirectWave) {
    const Grid grid = square(201);
    const Model model = make_model(grid, [](Vec3 p) { return p.z < 20 ? 2.0 : 5.0; });
    const Field<float> t = times(model, {0, 0, 0});
    // Velocity is given at nodes: the interface lies half-way between those that differ.
    const double intercept = 2 * 19.5 * std::sqrt(1 / 4.0 - 1 / 25.0);
    for (int i = 6; i < 201; ++i) {
        const double expected = std::min(i / 2.0, i / 5.0 + intercept);
        EXPECT_NEAR(t(i, 0, 0) / expected, 1, 5e-3) << "offset " << i;
    }
}

TEST(Vidale, WavesThatTurnBackAreFollowed) {
    // A fast rim along two sides brings the first arrival back into the slow interior.
    const auto fast_rim = [](Vec3 p) { return p.x > 48 || p.z > 48 ? 10.0 : 1.0; };
    EXPECT_LT(misfit_to_shortest_paths(make_model(square(61), fast_rim), {3, 0, 3}, 4).max, 0.02);
    // The fast wall begins below the source: the wave travels down the wall, then back towards the
    // source.
    const auto wall = [](Vec3 p) { return p.x > 36 && p.x < 42 && p.z > 6 ? 10.0 : 2.0; };
    EXPECT_LT(misfit_to_shortest_paths(make_model(square(61), wall), {30, 0, 3}, 4).max, 0.02);
    const auto slow_zone = [](Vec3 p) { return p.z > 12 && p.z < 24 ? 1.0 : 5.0; };
    EXPECT_LT(misfit_to_shortest_paths(make_model(square(61), slow_zone), {3, 0, 3}, 4).max, 0.02);
}

TEST(Vidale, WavesThatTurnBackAreFollowedIn3d) {
    const auto salt = [](Vec3 p) {
        return p.x > 14 && p.x < 18 && p.y > 4 && p.y < 18 && p.z > 4 ? 10.0 : 1.5;
    };
    const Misfit m = misfit_to_shortest_paths(make_model(cube(21), salt), {8, 10, 1}, 3);
    EXPECT_LT(m.mean, 0.01);
    EXPECT_LT(m.max, 0.05);
}

TEST(Vidale, RandomBlocksOfOneToTenStayNearTheReference) {
    for (const int size : {2, 5, 10}) {
        const Model flat = random_blocks(square(61), size, 10, 3);
        const Misfit m = misfit_to_shortest_paths(flat, {30, 0, 25}, 4);
        EXPECT_LT(m.mean, 0.04) << "blocks of " << size;
        EXPECT_LT(m.max, 0.15) << "blocks of " << size;
    }
    const Misfit m = misfit_to_shortest_paths(random_blocks(cube(19), 4, 10, 5), {9, 5, 12}, 2);
    EXPECT_LT(m.mean, 0.04);
    EXPECT_LT(m.max, 0.2);
}

TEST(Vidale, EveryNodeIsReachedWhereThereIsNoAir) {
    for (const unsigned seed : {1u, 2u}) {
        const Model model = random_blocks({{23, 17, 31}, {0, 0, 0}, {1, 2, 0.5}}, 1, 100, seed);
        for (const float t : times(model, {3.3, 30, 15})) {
            EXPECT_TRUE(std::isfinite(t) && t > 0);
        }
    }
}

TEST(Vidale, WavesGoRoundAir) {
    const auto obstacle = [](Vec3 p) { return p.x > 20 && p.x < 36 && p.z < 48 ? 0.0 : 2.0; };
    EXPECT_LT(misfit_to_shortest_paths(make_model(square(61), obstacle), {5, 0, 5}, 4).max, 0.02);
    const auto maze = [](Vec3 p) {
        const int wall = static_cast<int>(p.x) / 10;
        const bool gap = wall % 2 == 0 ? p.z > 55 : p.z < 5;
        return static_cast<int>(p.x) % 10 == 5 && !gap ? 0.0 : 2.0;
    };
    EXPECT_LT(misfit_to_shortest_paths(make_model(square(61), maze), {2, 0, 2}, 4).max, 0.02);
}

TEST(Vidale, AirAndWhatItEnclosesIsNeverReached) {
    const auto shell = [](Vec3 p) {
        const double r = std::max({std::abs(p.x - 10), std::abs(p.y - 10), std::abs(p.z - 10)});
        return r == 4 ? 0.0 : 1.0;
    };
    const Grid grid = cube(21);
    const Field<float> t = times(make_model(grid, shell), {2, 3, 4});
    for_each_node(grid.shape, [&](Index3 n) {
        const int r = std::max({std::abs(n.x - 10), std::abs(n.y - 10), std::abs(n.z - 10)});
        EXPECT_EQ(std::isinf(t(n)), r <= 4);
        EXPECT_FALSE(std::isnan(t(n)));
    });
}

TEST(Vidale, NoWaveSlipsDiagonallyBetweenAirNodes) {
    const auto diagonal_wall = [](Vec3 p) { return p.x + p.z == 10 ? 0.0 : 1.0; };
    for (const Vec3 source : {Vec3{5, 0, 4}, Vec3{0, 0, 0}, Vec3{2.5, 0, 2.5}}) {
        const Field<float> t = times(make_model(square(21), diagonal_wall), source);
        for_each_node(t.shape(), [&](Index3 n) { EXPECT_EQ(std::isinf(t(n)), n.x + n.z >= 10); });
    }
}

TEST(Vidale, SourceOnASurfaceThatCutsItsCell) {
    const auto hill = [](Vec3 p) { return p.z < 5 + 0.3 * p.x ? 0.0 : 2.0; };
    const Grid grid = square(31);
    const Field<float> t = times(make_model(grid, hill), {10.5, 0, 8.2});
    for_each_node(grid.shape,
                  [&](Index3 n) { EXPECT_EQ(std::isinf(t(n)), hill(grid.position(n)) == 0); });
    EXPECT_NEAR(t(10, 0, 30), std::hypot(0.5, 21.8) / 2, 0.02);
}

TEST(Vidale, EveryCornerWorksAndMirrorsTheOthers) {
    const Grid grid{{13, 9, 17}, {0, 0, 0}, {1, 1, 1}};
    const Model model = make_model(grid, [](Vec3) { return 3.0; });
    const Field<double> first = times<double>(model, {0, 0, 0});
    for_each_node({2, 2, 2}, [&](Index3 corner) {
        const Vec3 source{corner.x * 12.0, corner.y * 8.0, corner.z * 16.0};
        const Field<double> t = times<double>(model, source);
        for_each_node(grid.shape, [&](Index3 n) {
            const Index3 mirrored{corner.x ? 12 - n.x : n.x, corner.y ? 8 - n.y : n.y,
                                  corner.z ? 16 - n.z : n.z};
            EXPECT_NEAR(t(n), first(mirrored), 2e-3 * (1 + first(mirrored)));
        });
    });
}

TEST(Vidale, TheSmallestGridsWork) {
    const Model flat = make_model(square(2), [](Vec3) { return 1.0; });
    EXPECT_FLOAT_EQ(times(flat, {0, 0, 0})(1, 0, 1), std::sqrt(2.0f));
    const Model solid = make_model(cube(2), [](Vec3) { return 1.0; });
    EXPECT_FLOAT_EQ(times(solid, {1, 1, 1})(0, 0, 0), std::sqrt(3.0f));
    const Model thin = make_model({{2, 2, 200}, {0, 0, 0}, {1, 1, 1}}, [](Vec3) { return 1.0; });
    EXPECT_NEAR(times(thin, {0, 0, 199})(0, 0, 0), 199, 1e-3);
}

TEST(Vidale, UnitsDoNotMatter) {
    const auto scaled = [](double length, double speed) {
        const Grid grid = square(41, length);
        return times(make_model(grid, [&](Vec3 p) { return speed * (2 + 0.1 * p.z / length); }),
                     {7 * length, 0, 3 * length});
    };
    const Field<float> t = scaled(1, 1);
    for (const auto& [length, speed] : {std::pair{1e-12, 1.0}, {1e12, 1e-3}, {1e3, 1e10}}) {
        const Field<float> other = scaled(length, speed);
        for (std::size_t n = 0; n < t.size(); ++n) {
            EXPECT_NEAR(other[n] * speed / length, t[n], 1e-4 * t[n]);
        }
    }
}

TEST(Vidale, SolvesAtTheSameTimeDoNotDisturbOneAnother) {
    const Model model = random_blocks(cube(21), 3, 10, 1);
    const Field<float> alone = times(model, {10, 10, 10});
    std::vector<std::future<Field<float>>> others;
    for (int i = 0; i < 3; ++i) {
        others.push_back(std::async(std::launch::async, [&] {
            return times(model, {10, 10, 10});
        }));
    }
    for (auto& other : others) {
        const Field<float> t = other.get();
        EXPECT_TRUE(std::equal(t.begin(), t.end(), alone.begin()));
    }
}

TEST(Vidale, StopsWhenAsked) {
    Monitor monitor({}, [] { return true; });
    const Model model = make_model(square(41), [](Vec3) { return 1.0; });
    EXPECT_THROW(vidale_times<float>(model, {0, 0, 0}, monitor), Cancelled);
}

TEST(Vidale, RefusesVelocityInCells) {
    const Grid grid{{5, 1, 5}, {}, {1, 1, 1}};
    const Model model = Model::of_cells(grid, Field<float>(grid.cell_shape(), 2.0F));
    EikonalOptions options;
    options.solver = Solver::vidale;
    test::expect_error<InputError>(
        [&] {
            solve(model, {{1, 0, 1}, 0}, options);
        },
        "vidale", "to_nodes");
    EXPECT_NO_THROW(solve(as_nodes(model), {{1, 0, 1}, 0}, options));
}

}  // namespace
}  // namespace fermat
