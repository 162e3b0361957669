// The gradient of a field of times, and fields that end at a largest time.
#include <gtest/gtest.h>

#include <cmath>

#include "eikonal/eikonal.hpp"
#include "eikonal/fim/fim.hpp"
#include "eikonal/front.hpp"
#include "eikonal/front_grids.hpp"
#include "eikonal/stencil.hpp"
#include "eikonal/time_gradient.hpp"
#include "executions.hpp"
#include "expect_error.hpp"
#include "model/analytic.hpp"
#include "model/makers.hpp"

namespace fermat {
namespace {

using test::expect_error;
using test::on_cpu;

using test::cube_grid;
using test::flat_grid;

/// Largest error of the gradient, as a fraction of the slowness, in the medium v = 2 + 0.5 (z -
/// top).
template <class Real>
double gradient_error(const Grid& grid, Vec3 source, EikonalOptions options) {
    const LinearVelocity medium{2 - 0.5 * grid.origin.z, {0, 0, 0.5}};
    const auto field = solve<Real>(gradient_model(grid, 2, 0.5), {source}, options, on_cpu(2));
    const auto gradient = time_gradient(field, 2);
    double largest = 0;
    for (int i = 0; i < grid.shape.x; ++i) {
        for (int j = 0; j < grid.shape.y; ++j) {
            for (int k = 0; k < grid.shape.z; ++k) {
                const Vec3 p = grid.position({i, j, k});
                if (p == source) continue;
                const Vec3 found{gradient[0](i, j, k), grid.is_2d() ? 0 : gradient[1](i, j, k),
                                 gradient[2](i, j, k)};
                const double error =
                    norm(found - medium.time_gradient(source, p)) * medium.velocity(p);
                largest = std::max(largest, std::isfinite(error) ? error : INFINITY);
            }
        }
    }
    return largest;
}

TEST(TimeGradient, IsThatOfTheClosedFormBesideTheSourceAndAtTheFaces) {
    const Vec3 between{2.13, 0, 0.31};
    const Vec3 on_node{2.5, 0, 1};
    for (const Solver solver : {Solver::fim, Solver::fmm, Solver::fsm}) {
        EXPECT_LT(gradient_error<double>(flat_grid(81), between, {.solver = solver}), 4e-3);
        EXPECT_LT(gradient_error<double>(flat_grid(81), on_node, {.solver = solver}), 4e-3);
    }
    EXPECT_LT(gradient_error<double>(cube_grid(31), {0.93, 2.11, 0.37}, {}), 4e-3);
    EXPECT_LT(gradient_error<float>(flat_grid(81), between, {}), 4e-3);
}

TEST(TimeGradient, ConvergesWithTheFieldsOrder) {
    const Vec3 source{2.13, 0, 0.31};
    const double coarse = gradient_error<double>(flat_grid(41), source, {});
    const double fine = gradient_error<double>(flat_grid(161), source, {});
    EXPECT_GT(std::log2(coarse / fine) / 2, 0.8);
}

TEST(TimeGradient, HasNoDirectionAtTheSourceNorWhereNoWaveArrives) {
    const Grid grid = flat_grid(21);
    Field<float> velocity(grid.shape, 2.0F);
    for (int i = 0; i < 21; ++i) velocity(i, 0, 15) = 0;
    const Model model(grid, std::move(velocity));
    const auto gradient =
        time_gradient(solve<double>(model, {grid.position({5, 0, 5})}, {}, on_cpu()));
    EXPECT_TRUE(std::isnan(gradient[0](5, 0, 5)));
    EXPECT_TRUE(std::isnan(gradient[2](8, 0, 15)));
    EXPECT_TRUE(std::isnan(gradient[2](8, 0, 18)));
    EXPECT_NEAR(gradient[2](5, 0, 14), 0.5, 1e-6);
    EXPECT_TRUE(gradient[1].empty());
}

TEST(TimeGradient, IsThatOfTheFirstArrivalWhereTwoWavesMeet) {
    // Two plane waves, from the left and from the right, which meet between nodes 10 and 11.
    const Grid grid{{22, 1, 5}, {}, {1, 1, 1}};
    Field<double> front(grid.shape, -1.0);
    for (int k = 0; k < 5; ++k) front(0, 0, k) = front(21, 0, k) = 0;
    Notes notes;
    const Model model = constant_model(grid, 2);
    const auto gradient = time_gradient(solve_front<double>(model, front, {}, on_cpu(), notes));
    for (int i = 0; i < 22; ++i) EXPECT_NEAR(gradient[0](i, 0, 2), i < 11 ? 0.5 : -0.5, 1e-9) << i;
}

TEST(TimeGradient, OfAPlaneWaveIsItsSlowness) {
    const Grid grid = cube_grid(11);
    const auto plane = [](Vec3 p) { return (0.48 * p.x + 0.64 * p.y + 0.6 * p.z) / 2.5; };
    Field<double> front(grid.shape, -1.0);
    for (int i = 0; i < 11; ++i) {
        for (int j = 0; j < 11; ++j) {
            for (int k = 0; k < 11; ++k) {
                if (i * j * k == 0) front(i, j, k) = plane(grid.position({i, j, k}));
            }
        }
    }
    Notes notes;
    const Model model = constant_model(grid, 2.5);
    const auto gradient = time_gradient(solve_front<double>(model, front, {}, on_cpu(), notes));
    for (std::size_t n = 0; n < gradient[0].size(); ++n) {
        ASSERT_NEAR(gradient[0][n], 0.48 / 2.5, 1e-9);
        ASSERT_NEAR(gradient[1][n], 0.64 / 2.5, 1e-9);
        ASSERT_NEAR(gradient[2][n], 0.6 / 2.5, 1e-9);
    }
}

TEST(Until, LeavesEarlierTimesAsTheyAreAndLaterOnesInfinite) {
    const double start = 3;
    for (const Grid& grid : {flat_grid(121), cube_grid(41)}) {
        const Model model =
            random_smooth_model(grid, {.velocity = 2, .amplitude = 0.3, .correlation = 0.4});
        const Vec3 source = grid.position({7, grid.is_2d() ? 0 : 9, 11}) + Vec3{0.01, 0, 0.02};
        for (const Solver solver : {Solver::fim, Solver::fmm, Solver::fsm, Solver::vidale}) {
            for (const int order : {1, 2}) {
                EikonalOptions options{.solver = solver, .order = order};
                const Field<float> all = to_times(solve(model, {source, start}, options, on_cpu()));
                options.until = start + 0.4;
                const Field<float> cut = to_times(solve(model, {source, start}, options, on_cpu()));
                for (std::size_t n = 0; n < all.size(); ++n) {
                    if (std::isfinite(cut[n])) {
                        ASSERT_LE(cut[n], static_cast<float>(options.until));
                        ASSERT_NEAR(cut[n], all[n], 3e-6);
                    } else {
                        ASSERT_GT(all[n], options.until - 3e-6);
                    }
                }
            }
        }
    }
}

TEST(Until, SavesWork) {
    const Grid grid = cube_grid(81);
    const Model model = constant_model(grid, 2);
    FactoredSource source = factor_source(model, {0.1, 1.1, 0.1});
    Field<float> tau(grid.shape);
    const FimWork all = fim_solve<float>(model, source, 2, 1, tau, silent_monitor());
    source.until = 0.25;
    const FimWork some = fim_solve<float>(model, source, 2, 1, tau, silent_monitor());
    EXPECT_LT(3 * some.visits, all.visits);
}

TEST(Until, HoldsForFrontsAndCells) {
    const Grid grid{{41, 1, 41}, {}, {0.1, 1, 0.1}};
    Field<double> front(grid.shape, -1.0);
    for (int i = 0; i < 41; ++i) front(i, 0, 0) = 1;
    Notes notes;
    const Field<float> times =
        to_times(solve_front(constant_model(grid, 2), front, {.until = 1.52}, on_cpu(), notes));
    EXPECT_NEAR(times(20, 0, 10), 1.5, 1e-5);
    EXPECT_TRUE(std::isinf(times(20, 0, 11)));
    Field<float> cells(grid.cell_shape(), 2.0F);
    for (int i = 0; i < 40; ++i) cells(i, 0, 30) = 4;
    const Model layered = Model::of_cells(grid, std::move(cells));
    const Field<float> whole = to_times(solve(layered, {{2, 0, 0}}, {}, on_cpu()));
    const Field<float> cut = to_times(solve(layered, {{2, 0, 0}}, {.until = 1.1}, on_cpu()));
    for (std::size_t n = 0; n < cut.size(); ++n) {
        if (whole[n] <= 1.1F) {
            ASSERT_NEAR(cut[n], whole[n], 1e-5);
        } else {
            ASSERT_TRUE(std::isinf(cut[n]));
        }
    }
}

TEST(Until, IsForFieldsAlone) {
    const Model model = constant_model(flat_grid(9), 2);
    const PointSource source{{1, 0, 0}};
    const Vec3 receiver{2, 0, 1};
    expect_error<InputError>(
        [&] {
            receiver_times(model, std::span(&source, 1), std::span(&receiver, 1), {.until = 1});
        },
        "until is 1", "whole fields");
    expect_error<InputError>([&] { solve(model, source, {.until = NAN}); }, "until is nan");
}

}  // namespace
}  // namespace fermat
