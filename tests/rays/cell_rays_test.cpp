#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "cell_models.hpp"
#include "rays/rays.hpp"

/// Rays in models whose velocity is given in cells.
namespace fermat {
namespace {

using test::of_cells;
using test::rough_cells;

/// Velocity 2 over 5 with the interface at depth 10.
TEST(CellRays, OfHeadWavesRunAlongTheInterface) {
    for (const bool flat : {true, false}) {
        const Grid grid{{101, flat ? 1 : 9, 41}, {}, {1, 1, 1}};
        const Model model = of_cells(grid, [](int, int, int k) { return k < 10 ? 2 : 5; });
        const std::vector<PointSource> sources{{{0, flat ? 0.0 : 4.0, 0}}};
        std::vector<Vec3> receivers;
        for (const double x : {55.0, 71.3, 100.0})
            receivers.push_back({x, sources[0].position.y, 0});
        const RaySet rays = trace_rays(model, survey_of(sources, receivers), {});
        for (std::size_t n = 0; n < receivers.size(); ++n) {
            ASSERT_EQ(rays.rays[n].status, RayStatus::ok);
            const double exact = receivers[n].x / 5 + 20 * std::sqrt(0.25 - 0.04);
            EXPECT_NEAR(rays.rays[n].time, exact, 1e-3 * exact) << flat;
            EXPECT_NEAR(rays.rays[n].field_time, exact, (flat ? 3e-4 : 1e-3) * exact) << flat;
            double first = 100;
            double last = 0;
            for (const Vec3 p : rays.path(n)) {
                EXPECT_LT(p.z, 10 + 1e-6);
                if (p.z < 10 - 1e-6) continue;
                first = std::min(first, p.x);
                last = std::max(last, p.x);
            }
            const double leg = 10 * 2 / std::sqrt(21.0);  // to where the ray meets the interface
            EXPECT_NEAR(first, leg, 1) << flat;
            EXPECT_NEAR(last, receivers[n].x - leg, 1) << flat;
        }
    }
}

TEST(CellRays, AreRefractedAsSnellSays) {
    const Grid grid{{81, 1, 81}, {}, {1, 1, 1}};
    const Model model = of_cells(grid, [](int, int, int k) { return k < 40 ? 2 : 3; });
    const std::vector<PointSource> sources{{{10, 0, 2}}};
    const std::vector<Vec3> receivers{{55.5, 0, 78}};
    const RaySet rays = trace_rays(model, survey_of(sources, receivers), {});
    // The point of the interface for which the time is least.
    double best = INFINITY;
    double x = 0;
    for (double c = 10; c < 55; c += 1e-3) {
        const double time = std::hypot(c - 10, 38) / 2 + std::hypot(55.5 - c, 38) / 3;
        if (time < best) {
            best = time;
            x = c;
        }
    }
    EXPECT_NEAR(rays.rays[0].time, best, 1e-4 * best);
    EXPECT_GE(rays.rays[0].time, best * (1 - 1e-9));
    const auto path = rays.path(0);
    const auto crossing = std::min_element(path.begin(), path.end(), [](Vec3 a, Vec3 b) {
        return std::abs(a.z - 40) < std::abs(b.z - 40);
    });
    EXPECT_NEAR(crossing->x, x, 0.5);
    EXPECT_NEAR(crossing->z, 40, 1e-6);
}

TEST(CellRays, AreNeverLostInRoughMediaWithAir) {
    for (unsigned seed = 0; seed < 6; ++seed) {
        const Grid grid = seed % 2 == 0 ? Grid{{61, 1, 53}, {1, 2, 3}, {1, 1, 1.2}}
                                        : Grid{{22, 19, 25}, {1, 2, 3}, {1, 0.9, 1.2}};
        const Model model = rough_cells(grid, seed);
        const std::vector<PointSource> sources{{grid.position({7, 0, 7}) + Vec3{0.3, 0, 0.4}}};
        std::mt19937 random(seed);
        std::vector<Vec3> receivers;
        for (int n = 0; n < 200; ++n) {
            Vec3 p = grid.origin;
            for (int axis = 0; axis < 3; ++axis) {
                // Some points lie on nodes and faces.
                const double u = n % 3 == 0 ? static_cast<double>(random() % 20)
                                            : static_cast<double>(random() % 18000) / 1000;
                if (grid.shape[axis] > 1) p[axis] += u * grid.spacing[axis];
            }
            receivers.push_back(grid.clamp(p));
        }
        const RaySet rays = trace_rays(model, survey_of(sources, receivers), {});
        std::vector<double> errors;
        for (std::size_t n = 0; n < rays.size(); ++n) {
            const RayInfo& ray = rays.rays[n];
            const bool heard = std::isfinite(ray.field_time) && !in_air(model, receivers[n]);
            EXPECT_EQ(has_arrived(ray.status), heard) << n << ' ' << seed;
            if (!has_arrived(ray.status)) continue;
            EXPECT_TRUE(std::isfinite(ray.time)) << n << ' ' << seed;
            errors.push_back(std::abs(ray.time / ray.field_time - 1));
        }
        ASSERT_GT(errors.size(), 100U);
        std::sort(errors.begin(), errors.end());
        EXPECT_LT(errors[errors.size() / 2], 0.06) << seed;
    }
}

}  // namespace
}  // namespace fermat
