// Times in rough media follow small changes of the medium and of the source: second order fades out
// where it is not monotone, and does not jump.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/random_stream.hpp"
#include "eikonal/eikonal.hpp"
#include "executions.hpp"

namespace fermat {
namespace {

struct Medium {
    Grid grid;
    Field<float> velocity;
};

/// Logarithms of velocities are normal, with deviation `rough`, and differ by `noise` besides.
Medium rough_medium(Shape shape, double rough, double noise) {
    Medium medium{{shape, {}, {1, 1, 1}}, Field<float>(shape)};
    RandomStream nodes(7);
    RandomStream change(8);
    for (float& v : medium.velocity) {
        v = static_cast<float>(2 * std::exp(rough * nodes.normal() + noise * change.normal()));
    }
    return medium;
}

Field<double> times(Medium medium, Vec3 source, Solver solver) {
    const Grid grid = medium.grid;
    const Model model(grid, std::move(medium.velocity));
    EikonalOptions options;
    options.solver = solver;
    const auto field = solve<double>(model, {source, 0}, options, test::on_cpu());
    Field<double> out(grid.shape);
    write_times(field, out.view());
    return out;
}

double largest_change(const Field<double>& before, const Field<double>& after) {
    double change = 0;
    for (std::size_t n = 0; n < before.size(); ++n) {
        change = std::max(change, std::abs(after[n] - before[n]));
    }
    return change;
}

TEST(RoughNoise, ChangesTimesByNoMoreThanTenTimesItsOwnSize) {
    constexpr double noise = 1e-4;
    for (const Shape shape : {Shape{61, 1, 61}, Shape{25, 25, 25}}) {
        const double middle = (shape.x - 1) / 2;
        const Vec3 source{middle + 0.3, shape.y == 1 ? 0 : middle + 0.4, middle - 0.2};
        for (const double rough : {0.3, 1.0}) {
            for (const Solver solver : {Solver::fim, Solver::fmm, Solver::fsm}) {
                const auto before = times(rough_medium(shape, rough, 0), source, solver);
                const auto after = times(rough_medium(shape, rough, noise), source, solver);
                const double latest = *std::max_element(before.begin(), before.end());
                EXPECT_LE(largest_change(before, after), 10 * noise * latest)
                    << name_of(solver) << ", roughness " << rough << ", " << shape.y;
            }
        }
    }
}

TEST(RoughNoise, TimesFollowASourceThatMovesByAHundredThousandthOfACell) {
    constexpr double step = 1e-5;
    for (const Shape shape : {Shape{61, 1, 61}, Shape{25, 25, 25}}) {
        const double middle = (shape.x - 1) / 2;
        const Vec3 source{middle + 0.3, shape.y == 1 ? 0 : middle + 0.4, middle - 0.2};
        const Medium medium = rough_medium(shape, 1, 0);
        const float slowest = *std::min_element(medium.velocity.begin(), medium.velocity.end());
        for (const Solver solver : {Solver::fim, Solver::fmm, Solver::fsm}) {
            const auto before = times(rough_medium(shape, 1, 0), source, solver);
            const auto after = times(rough_medium(shape, 1, 0), source + Vec3{step, 0, 0}, solver);
            EXPECT_LE(largest_change(before, after), 10 * step / slowest)
                << name_of(solver) << ", " << shape.y;
        }
    }
}

}  // namespace
}  // namespace fermat
