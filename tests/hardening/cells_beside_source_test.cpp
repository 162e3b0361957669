#include <gtest/gtest.h>

#include <cmath>

#include "cell_models.hpp"
#include "cell_reference.hpp"
#include "eikonal/eikonal.hpp"
#include "rays/rays.hpp"

/// Times from a source beside an interface between cells.
namespace fermat {
namespace {

/// Velocity 2 over 5, the source 0.05 above the interface; a head wave along it.
void expect_head_wave(bool flat, Solver solver) {
    const double h = 0.2;
    const Grid grid{{51, flat ? 1 : 15, 21}, {}, {h, h, h}};
    const Model model = test::of_cells(grid, [](int, int, int k) { return k < 10 ? 2 : 5; });
    const Vec3 source{1, flat ? 0 : 1.4, 1.95};
    EikonalOptions options;
    options.solver = solver;
    const Field<float> t = to_times(solve(model, {source}, options));
    for (int i = 8; i <= 50; ++i) {
        const double exact = (i * h - 1) / 5 + 0.05 * std::sqrt(0.25 - 0.04);
        EXPECT_NEAR(t(i, flat ? 0 : 7, 10), exact, 2e-3 * exact)
            << name_of(solver) << ' ' << flat << ' ' << i;
    }
}

TEST(CellsBesideSource, HeadWaveFromASourceJustAboveTheInterface) {
    for (const Solver solver : {Solver::fim, Solver::fmm, Solver::fsm}) {
        expect_head_wave(true, solver);
        expect_head_wave(false, solver);
    }
}

TEST(CellsBesideSource, FieldsAgreeWithShortestPaths) {
    const Grid grid{{31, 1, 31}, {1, 0, 2}, {0.2, 1, 0.2}};
    const Model model = test::of_cells(grid, [](int, int, int k) { return k < 10 ? 2 : 5; });
    for (const double above : {0.05, 0.0, -0.05}) {
        const Vec3 source{2.06, 0, 4 - above};
        const Field<float> t = to_times(solve(model, {source}, {}));
        const Field<double> exact = test::shortest_times(model, source, 12);
        test::Misfit misfit;
        for (int i = 0; i <= 30; ++i) {
            for (int k = 0; k <= 30; ++k) {
                if (distance(grid.position({i, 0, k}), source) < 0.2) continue;
                misfit.add(t(i, 0, k), exact(i, 0, k));
            }
        }
        EXPECT_LT(misfit.mean, 1e-3) << above;
        EXPECT_LT(misfit.largest, 1e-2) << above;
    }
}

TEST(CellsBesideSource, RaysRunAlongTheInterface) {
    const Grid grid{{51, 1, 21}, {}, {0.2, 1, 0.2}};
    const Model model = test::of_cells(grid, [](int, int, int k) { return k < 10 ? 2 : 5; });
    const std::vector<PointSource> sources{{{1, 0, 1.95}}};
    const std::vector<Vec3> receivers{{9, 0, 2}, {5.03, 0, 2}, {8, 0, 0.6}};
    const RaySet rays = trace_rays(model, survey_of(sources, receivers), {});
    for (std::size_t n = 0; n < receivers.size(); ++n) {
        const double legs = 0.05 + 2 - receivers[n].z;
        const double exact = (receivers[n].x - 1) / 5 + legs * std::sqrt(0.25 - 0.04);
        EXPECT_NEAR(rays.rays[n].time, exact, 1e-3 * exact) << n;
        EXPECT_NEAR(rays.rays[n].field_time, exact, 2e-3 * exact) << n;
    }
}

}  // namespace
}  // namespace fermat
