// Cells may be much longer along one axis than along another, and of any size.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "eikonal/eikonal.hpp"
#include "executions.hpp"
#include "model/makers.hpp"

namespace fermat {
namespace {

/// The largest misfit of tau, which is 1 in a homogeneous medium; infinite if a node is not
/// reached.
template <class Real>
double misfit(Solver solver, int order, const Grid& grid, Vec3 source) {
    EikonalOptions options;
    options.solver = solver;
    options.order = order;
    const auto field = solve<Real>(constant_model(grid, 2), {source, 0}, options, test::on_cpu());
    double worst = 0;
    for (const Real tau : field.tau)
        worst = std::max(worst, std::abs(static_cast<double>(tau) - 1));
    return worst;
}

TEST(LongCells, FimIsExactInLongCells) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> share(0, 1);
    for (const double ratio : {6.0, 20.0, 40.0, 100.0}) {
        for (int n = 0; n < 24; ++n) {
            const int dimensions = n % 2 ? 3 : 2;
            Vec3 h{1, 1, 1};
            h[n % 3] = ratio;
            if (n % 5 == 0) h[(n + 1) % 3] = std::pow(ratio, share(random));
            const Grid grid{{33, dimensions == 3 ? 21 : 1, 29}, {}, h};
            const Vec3 far = grid.far_corner();
            const Vec3 source{share(random) * far.x, share(random) * far.y, share(random) * far.z};
            EXPECT_LT(misfit<float>(Solver::fim, 2, grid, source), 3e-5)
                << h.x << ',' << h.y << ',' << h.z << " in " << dimensions << "-D";
            EXPECT_LT(misfit<double>(Solver::fim, 2, grid, source), 1e-10);
        }
    }
}

TEST(LongCells, NoNodeIsMissedAtARatioOfAMillion) {
    for (const Vec3 h : {Vec3{1, 1000, 0.001}, Vec3{1000, 1, 0.001}, Vec3{0.001, 1, 1000}}) {
        const Grid grid{{13, 11, 9}, {}, h};
        const Vec3 source{4.3 * h.x, 5.6 * h.y, 3.1 * h.z};
        for (const Solver solver : {Solver::fim, Solver::fsm}) {
            for (const int order : {1, 2}) {
                EXPECT_LT(misfit<float>(solver, order, grid, source), 1e-4)
                    << name_of(solver) << ' ' << order << ' ' << h.x;
            }
        }
    }
}

TEST(LongCells, FmmEndsSoonInLongCells) {
    const Grid grid{{33, 21, 29}, {}, {1, 1, 100}};
    for (const int order : {1, 2}) {
        EXPECT_LT(misfit<float>(Solver::fmm, order, grid, {7.3, 5.6, 1110}), 3e-5);
    }
}

TEST(LongCells, FmmIsExactAtARatioOfAMillion) {
    // Second order took 85 s for these nodes, and its times were off by 4 %.
    const Grid grid{{17, 15, 21}, {}, {1, 1000, 0.001}};
    for (const double share : {0.0, 0.3}) {
        const Vec3 source{8 + share, 1000 * (7 + share), 0.001 * (10 + share)};
        for (const int order : {1, 2}) {
            EXPECT_LT(misfit<float>(Solver::fmm, order, grid, source), 1e-4) << share;
            EXPECT_LT(misfit<double>(Solver::fmm, order, grid, source), 1e-4) << share;
        }
    }
}

TEST(LongCells, VidaleDoesNotDependOnTheUnitOfLength) {
    const auto at = [](double h) {
        const Grid grid{{33, 1, 29}, {}, {h, h, h}};
        return misfit<float>(Solver::vidale, 1, grid, {7.3 * h, 0, 11.1 * h});
    };
    const double expected = at(1);
    EXPECT_LT(expected, 0.005);
    for (const double h : {1e-29, 1e-20, 1e20, 1e29}) EXPECT_NEAR(at(h), expected, 1e-4) << h;
}

}  // namespace
}  // namespace fermat
