#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "cell_models.hpp"
#include "cell_reference.hpp"
#include "eikonal/eikonal.hpp"
#include "rays/rays.hpp"
#include "rays/sensitivity.hpp"

/// Small steps between cells, thin layers and random cells.
namespace fermat {
namespace {

using test::of_cells;

const Grid cell_square{{33, 1, 33}, {}, {1, 1, 1}};

struct Misfits {
    test::Misfit field;  ///< from shortest paths
    test::Misfit rays;   ///< from shortest paths
    test::Misfit rays_to_field;
    test::Misfit rows;  ///< difference between sensitivities times slownesses and `times`
};

Misfits misfits(const Model& model, Vec3 source) {
    const Grid& grid = model.grid();
    const Field<double> exact = test::shortest_times(model, source, 12);
    const Field<float> t = to_times(solve(model, {source}, {}));
    Misfits found;
    std::vector<Vec3> receivers;
    std::vector<double> wanted;
    for (int i = 0; i < grid.shape.x; ++i) {
        for (int k = 0; k < grid.shape.z; ++k) {
            const Vec3 place = grid.position({i, 0, k});
            if (distance(place, source) < 2) continue;
            found.field.add(t(i, 0, k), exact(i, 0, k));
            if ((i + 5 * k) % 7 != 0) continue;
            receivers.push_back(place);
            wanted.push_back(exact(i, 0, k));
        }
    }
    const std::vector<PointSource> sources{{source}};
    RayOptions options;
    options.reciprocity = Reciprocity::off;
    const RaySet rays = trace_rays(model, survey_of(sources, receivers), options);
    const SparseRows rows = sensitivity(model, rays, Basis::cells);
    for (std::size_t n = 0; n < receivers.size(); ++n) {
        const RayInfo& ray = rays.rays[n];
        // Late where the field is early by more than a thousandth, as it is at some nodes here.
        EXPECT_TRUE(has_arrived(ray.status));
        EXPECT_EQ(ray.status == RayStatus::late, is_late(ray.time, ray.field_time));
        found.rays.add(ray.time, wanted[n]);
        found.rays_to_field.add(ray.time, ray.field_time);
        double sum = 0;
        for (std::int64_t e = rows.row_start[n]; e < rows.row_start[n + 1]; ++e) {
            const auto entry = static_cast<std::size_t>(e);
            sum += rows.value[entry] / model.given()[static_cast<std::size_t>(rows.column[entry])];
        }
        found.rows.add(sum, ray.field_time);
    }
    return found;
}

/// A velocity step of 10 % or less is an interface like any other.
TEST(SmallSteps, AreInterfacesWhereTheyStandAlone) {
    for (const double below : {1.1, 1.02}) {
        const Model model =
            of_cells(cell_square, [=](int, int, int k) { return k < 16 ? 1 : below; });
        for (const Vec3 source : {Vec3{5, 0, 16}, Vec3{5.3, 0, 15.8}}) {
            const Misfits found = misfits(model, source);
            EXPECT_LT(found.field.mean, 1e-3) << below << ' ' << source.z;
            EXPECT_LT(found.field.largest, 1e-2) << below << ' ' << source.z;
            EXPECT_LT(found.rays.mean, 5e-4) << below << ' ' << source.z;
            EXPECT_LT(found.rays_to_field.mean, 5e-4) << below << ' ' << source.z;
            EXPECT_LT(found.rows.mean, 5e-4) << below << ' ' << source.z;
            EXPECT_LT(found.rows.largest, 1e-2) << below << ' ' << source.z;
        }
    }
}

/// Smooth media stay smooth: their cells are one body, and no node sees a jump.
TEST(SmallSteps, OfSmoothMediaAreNoInterfaces) {
    const Model slope = of_cells(cell_square, [](int, int, int k) { return 4 + 0.2 * (k + 0.5); });
    EXPECT_FALSE(slope.jumping_cells().exist());
    const Model kink =
        of_cells(cell_square, [](int, int, int k) { return 2 + 0.04 * std::max(0.0, k - 15.5); });
    EXPECT_FALSE(kink.jumping_cells().exist());
    const Model hill = of_cells(cell_square, [](int i, int, int k) {
        return 3 + 0.3 * std::exp(-(std::pow(i - 16.2, 2) + std::pow(k - 13.9, 2)) / 60);
    });
    EXPECT_FALSE(hill.jumping_cells().exist());
    const Model layers =
        of_cells(cell_square, [](int, int, int k) { return k / 3 % 2 ? 2.06 : 2; });
    EXPECT_TRUE(layers.jumping_cells().exist());
}

TEST(ThinLayers, OfOneOrTwoCellsAreAsAccurateAsThickOnes) {
    for (const int cells : {1, 2}) {
        for (const double fast : {1.08, 1.5}) {
            const Model model = of_cells(
                cell_square, [=](int, int, int k) { return k / cells % 2 ? 2 * fast : 2; });
            for (const Vec3 source : {Vec3{5.3, 0, 9.5}, Vec3{5, 0, 8}}) {
                const Misfits found = misfits(model, source);
                EXPECT_LT(found.field.mean, 1e-3) << cells << ' ' << fast << ' ' << source.z;
                EXPECT_LT(found.field.largest, 1.5e-2) << cells << ' ' << fast << ' ' << source.z;
                EXPECT_LT(found.rays.mean, 5e-4) << cells << ' ' << fast << ' ' << source.z;
                EXPECT_LT(found.rays_to_field.mean, 1e-3)
                    << cells << ' ' << fast << ' ' << source.z;
                EXPECT_LT(found.rows.mean, 1e-3) << cells << ' ' << fast << ' ' << source.z;
            }
        }
    }
}

TEST(RandomCells, AreSolvedBetterThanRandomNodes) {
    for (unsigned seed = 1; seed < 3; ++seed) {
        std::mt19937 random(seed);
        std::uniform_real_distribution<double> part(-0.3, 0.3);
        const Model model =
            of_cells(cell_square, [&](int, int, int) { return 3 * (1 + part(random)); });
        const Misfits found = misfits(model, {10.3, 0, 12.4});
        EXPECT_LT(found.field.mean, 1.2e-2) << seed;
        EXPECT_LT(found.rays.mean, 1.2e-2) << seed;
        EXPECT_LT(found.rays_to_field.mean, 1.5e-2) << seed;
    }
}

TEST(CellsIn3d, AgreeWithShortestPaths) {
    const Grid cube{{11, 11, 11}, {}, {1, 1, 1}};
    const Model layers = of_cells(cube, [](int, int, int k) { return k / 2 % 2 ? 2.6 : 2; });
    const Model step = of_cells(cube, [](int, int, int k) { return k < 5 ? 1 : 1.1; });
    for (const Model& model : {layers, step}) {
        const Vec3 source{4.3, 5.2, 5};
        const Field<double> exact = test::shortest_times(model, source, 4);
        const Field<float> t = to_times(solve(model, {source}, {}));
        test::Misfit misfit;
        for (std::size_t n = 0; n < t.size(); ++n) {
            if (exact[n] > 1) misfit.add(t[n], exact[n]);
        }
        // The reference itself is too late by about 5e-3.
        EXPECT_LT(misfit.mean, 7e-3);
        EXPECT_LT(misfit.largest, 3e-2);
    }
}

}  // namespace
}  // namespace fermat
