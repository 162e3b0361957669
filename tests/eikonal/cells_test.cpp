#include <gtest/gtest.h>

#include <cmath>

#include "cell_models.hpp"
#include "core/device.hpp"
#include "core/error.hpp"
#include "eikonal/eikonal.hpp"
#include "executions.hpp"
#include "expect_error.hpp"
#include "rays/rays.hpp"

/// Time fields of models whose velocity is given in cells.
namespace fermat {
namespace {

using test::of_cells;
using test::rough_cells;

Field<float> times(const Model& model, Vec3 source, Solver solver, int order = 2, int threads = 1) {
    EikonalOptions options;
    options.solver = solver;
    options.order = order;
    return to_times(solve(model, {source}, options, test::on_cpu(threads)));
}

constexpr Solver solvers[] = {Solver::fim, Solver::fmm, Solver::fsm};

/// Velocity 2 over 5, the interface at a tenth of the side, as in paper 5.
Grid square(int cells) { return {{cells + 1, 1, cells + 1}, {}, {1, 1, 1}}; }
Grid cube(int cells) { return {{cells + 1, cells + 1, cells + 1}, {}, {1, 1, 1}}; }

Model layers(const Grid& grid) {
    const int depth = grid.cell_shape().z / 10;
    return of_cells(grid, [=](int, int, int k) { return k < depth ? 2 : 5; });
}

/// The first arrival of the direct and the head wave at the surface, from a source there.
double first_at_surface(double x, double depth) {
    const double head = x / 5 + 2 * depth * std::sqrt(1.0 / 4 - 1.0 / 25);
    const double critical = 2 * depth * 2 / std::sqrt(5.0 * 5 - 2 * 2);
    return x >= critical ? std::min(x / 2, head) : x / 2;
}

double mean_surface_error(const Grid& grid, const Field<float>& t, double least_distance) {
    double sum = 0;
    int count = 0;
    for (int i = 0; i < grid.shape.x; ++i) {
        for (int j = 0; j < grid.shape.y; ++j) {
            const double x = std::hypot(i, j);
            if (x < least_distance) continue;
            sum += std::abs(t(i, j, 0) / first_at_surface(x, grid.cell_shape().z / 10.0) - 1);
            ++count;
        }
    }
    return sum / count;
}

TEST(Cells, HeadWavesOfTwoLayersConverge) {
    for (const Solver solver : solvers) {
        // fteikpy's mean errors on the last three grids (docs/peers.md) are 1.8e-4, 6e-5
        // and 2.7e-5. On the first two, the head wave starts far from nodes.
        for (const auto& [cells, limit] :
             {std::pair{60, 4e-6}, {80, 3e-6}, {100, 2e-6}, {200, 1e-6}, {500, 5e-6}}) {
            const Grid grid = square(cells);
            const double error = mean_surface_error(grid, times(layers(grid), {}, solver), 2.999);
            EXPECT_LT(error, limit) << cells << ' ' << name_of(solver);
        }
    }
}

/// The cells beside the source are alike, so that the wave comes straight to the nodes near it.
TEST(Cells, TimesAreExactNearASourceBetweenNodes) {
    for (const Grid& grid : {square(24), cube(24)}) {
        const Model model = of_cells(grid, [](int, int, int k) { return k < 12 ? 2 : 4.5; });
        const Vec3 source{12.3, grid.is_2d() ? 0.0 : 12.1, 4.15};
        const Field<float> t = times(model, source, Solver::fim);
        for (int i = 7; i < 18; ++i) {
            for (int j = grid.is_2d() ? 0 : 7; j < (grid.is_2d() ? 1 : 18); ++j) {
                for (int k = 0; k < 9; ++k) {
                    const double exact = distance(grid.position({i, j, k}), source) / 2;
                    ASSERT_NEAR(t(i, j, k), exact, 1e-6 * exact) << i << ' ' << j << ' ' << k;
                }
            }
        }
    }
}

TEST(Cells, HeadWavesOfTwoLayersIn3d) {
    const Grid coarse = cube(40);
    const Grid fine = cube(80);
    for (const Solver solver : solvers) {
        const double error = mean_surface_error(fine, times(layers(fine), {}, solver), 6);
        EXPECT_LT(error, 6e-4) << name_of(solver);
        EXPECT_LT(error, 0.5 * mean_surface_error(coarse, times(layers(coarse), {}, solver), 3))
            << name_of(solver);
    }
}

/// v = 4 + 0.2 z, a medium without jumps between cells.
double gradient_error(int refined, Solver solver) {
    const double h = 1.0 / refined;
    const int cells = 40 * refined;
    const Grid grid{{cells + 1, 1, cells + 1}, {}, {h, 1, h}};
    const Model model = of_cells(grid, [=](int, int, int k) { return 4 + 0.2 * (k + 0.5) * h; });
    const Vec3 source{17.3, 0, 8.8};
    const Field<float> t = times(model, source, solver);
    double sum = 0;
    int count = 0;
    for (int i = 0; i <= cells; ++i) {
        for (int k = 0; k <= cells; ++k) {
            const double r2 = std::pow(i * h - source.x, 2) + std::pow(k * h - source.z, 2);
            if (r2 < 9) continue;
            const double v0 = 4 + 0.2 * source.z;
            const double v = 4 + 0.2 * k * h;
            const double exact = std::acosh(1 + 0.04 * r2 / (2 * v0 * v)) / 0.2;
            sum += std::abs(t(i, 0, k) / exact - 1);
            ++count;
        }
    }
    return sum / count;
}

TEST(Cells, SmoothMediaAreOfSecondOrderUpToTheFaces) {
    for (const Solver solver : solvers) {
        const double coarse = gradient_error(2, solver);
        const double fine = gradient_error(4, solver);
        EXPECT_LT(fine, 3e-5) << name_of(solver);
        EXPECT_GT(std::log2(coarse / fine), 1.7) << name_of(solver);
    }
}

TEST(Cells, AConstantMediumIsExact) {
    for (const Grid& grid : {square(30), cube(12)}) {
        const Model model = of_cells(grid, [](int, int, int) { return 3; });
        EXPECT_TRUE(model.cells()->jumps.empty());
        const Vec3 source{4.3, grid.is_2d() ? 0.0 : 5.1, 7};
        const Field<float> t = times(model, source, Solver::fim);
        const Vec3 far = grid.far_corner();
        EXPECT_NEAR(t(grid.shape.x - 1, grid.shape.y - 1, grid.shape.z - 1),
                    distance(far, source) / 3, 1e-5);
    }
}

TEST(Cells, SolversAgreeOnRoughMediaWithAir) {
    for (unsigned seed = 0; seed < 6; ++seed) {
        const Grid grid = seed % 2 == 0 ? Grid{{91, 1, 73}, {1, 2, 3}, {1, 1, 1.2}}
                                        : Grid{{25, 22, 27}, {1, 2, 3}, {1, 0.9, 1.2}};
        const Model model = rough_cells(grid, seed);
        const Vec3 source = grid.position({7, 0, 7}) + Vec3{0.3, 0, 0.4};
        const Field<float> reference = times(model, source, Solver::fsm, 1);
        for (const Solver solver : {Solver::fim, Solver::fmm}) {
            const Field<float> t = times(model, source, solver, 1);
            for (std::size_t n = 0; n < t.size(); ++n) {
                ASSERT_EQ(std::isfinite(t[n]), std::isfinite(reference[n])) << n;
                if (!std::isfinite(t[n])) continue;
                ASSERT_NEAR(t[n], reference[n], 3e-5 * reference[n])
                    << n << ' ' << name_of(solver) << ' ' << seed;
            }
        }
    }
}

TEST(Cells, ResultsDoNotDependOnThreads) {
    const Grid grid{{91, 1, 173}, {}, {1, 1, 1}};
    const Model model = rough_cells(grid, 5);
    const Field<float> one = times(model, {7, 0, 7}, Solver::fim, 2, 1);
    const Field<float> three = times(model, {7, 0, 7}, Solver::fim, 2, 3);
    EXPECT_TRUE(std::equal(one.begin(), one.end(), three.begin()));
}

/// No wave passes a face with air on both sides, even along an edge.
TEST(Cells, AirClosesTheWay) {
    const Grid grid = square(40);
    const Model model = of_cells(
        grid, [](int i, int, int k) { return (i == 20 || i == 21) && k < 39 ? 0.0 : 2.0; });
    for (const Solver solver : solvers) {
        const Field<float> t = times(model, {18, 0, 2}, solver);
        const double round = std::hypot(2, 37) + 2 + std::hypot(2, 37);
        EXPECT_NEAR(t(24, 0, 2), round / 2, 0.01 * round) << name_of(solver);
        EXPECT_TRUE(std::isinf(t(21, 0, 5))) << name_of(solver);
    }
}

/// Holds in any build and on any machine: CUDA solves on nodes, and refuses models whose velocity
/// jumps.
TEST(Cells, JumpsAreRefusedOnCudaAndTheCpusWhereTheDeviceIsFree) {
    const Model jumping = layers(square(20));
    const PointSource source{{3, 0, 1}};
    const std::vector<Vec3> receivers{{17, 0, 0}, {20, 0, 9}};
    const auto trace = [&](const Execution& execution) {
        return trace_rays(jumping, survey_of(std::span(&source, 1), receivers), {}, execution);
    };
    const Field<float> on_cpu = to_times(solve(jumping, source, {}, test::on_cpu()));
    const RaySet rays_on_cpu = trace(test::on_cpu());

    const Execution cuda = test::on_gpu();
    const char* const sentence =
        "device is 'cuda' (velocity jumps between cells, which is solved on the CPU: use cpu, or "
        "convert to nodes)";
    using test::expect_error;
    expect_error<InputError>([&] { solve(jumping, source, {}, cuda); }, sentence);
    expect_error<InputError>(
        [&] { receiver_times(jumping, std::span(&source, 1), receivers, {}, cuda); }, sentence);
    expect_error<InputError>([&] { first_arrivals(jumping, std::span(&source, 1), {}, cuda); },
                             sentence);
    expect_error<InputError>([&] { trace(cuda); }, sentence);
    // An error that no other model could avoid is reported first.
    expect_error<InputError>([&] { solve<double>(jumping, source, {}, cuda); },
                             "precision 'double' is the CPU's: use cpu)");

    const Device anyone = Device::automatic;
    EXPECT_FALSE(on_cuda({}, anyone, jumping));
    const Field<float> anywhere = to_times(solve(jumping, source));
    EXPECT_TRUE(std::equal(on_cpu.begin(), on_cpu.end(), anywhere.begin()));
    EXPECT_EQ(trace({}).points, rays_on_cpu.points);

    const Model slope = of_cells(square(20), [](int, int, int k) { return 2 + 0.1 * k; });
    EXPECT_EQ(on_cuda({}, anyone, slope), device_count() > 0);
    EXPECT_EQ(on_cuda({}, anyone, as_nodes(jumping)), device_count() > 0);
}

}  // namespace
}  // namespace fermat
