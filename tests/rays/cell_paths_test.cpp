// Rays where velocity jumps between cells are paths of least time.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "cell_models.hpp"
#include "cell_reference.hpp"
#include "executions.hpp"
#include "rays/rays.hpp"
#include "rays/sensitivity.hpp"

namespace fermat {
namespace {

using test::of_cells;
using test::rough_cells;

/// Two layers of velocity `above` and `below`, with the interface at a depth.
struct Layers {
    double above;
    double below;
    double depth;

    /// The least time between two points: the direct wave or the head wave in one layer; the
    /// refracted wave, by Fermat's principle over its point on the interface, between two.
    double time(Vec3 a, Vec3 b) const {
        const double x = std::hypot(a.x - b.x, a.y - b.y);
        const double ha = std::abs(a.z - depth);
        const double hb = std::abs(b.z - depth);
        const bool a_above = a.z <= depth;
        const double v = a_above ? above : below;
        const double w = a_above ? below : above;
        if (a_above != (b.z <= depth)) {
            double low = 0;
            double high = x;
            const auto through = [&](double c) {
                return std::hypot(c, ha) / v + std::hypot(x - c, hb) / w;
            };
            for (int n = 0; n < 120; ++n) {
                const double third = (high - low) / 3;
                if (through(low + third) < through(high - third)) {
                    high -= third;
                } else {
                    low += third;
                }
            }
            return through(0.5 * (low + high));
        }
        const double direct = std::hypot(x, a.z - b.z) / v;
        if (w <= v) return direct;
        const double tangent = v / std::sqrt(w * w - v * v);
        if ((ha + hb) * tangent > x) return direct;
        return std::min(direct, x / w + (ha + hb) * std::sqrt(1 / (v * v) - 1 / (w * w)));
    }
};

/// Receivers anywhere, or within a hundredth of a cell of some face.
enum class Where { anywhere, beside_faces };

std::vector<Vec3> places(const Grid& grid, int count, Where where, unsigned seed) {
    std::mt19937 random(seed);
    const auto fraction = [&] { return static_cast<double>(random() % 1000003) / 1000003; };
    std::vector<Vec3> out;
    for (int n = 0; n < count; ++n) {
        Vec3 p = grid.origin;
        for (int axis = 0; axis < 3; ++axis) {
            if (grid.shape[axis] > 1) p[axis] += fraction() * grid.extent()[axis];
        }
        if (where == Where::beside_faces) {
            const int axis = grid.is_2d() ? 2 * (n % 2) : n % 3;
            const double off = (0.001 + 0.009 * fraction()) * (random() % 2 == 0 ? 1 : -1);
            const int plane = 1 + static_cast<int>(random() % 1000) % (grid.shape[axis] - 2);
            p[axis] = grid.coordinate(axis, plane + off);
        }
        out.push_back(p);
    }
    return out;
}

RaySet rays_between(const Model& model, Vec3 source, std::span<const Vec3> receivers,
                    RayOptions options = {}) {
    const std::vector<PointSource> sources{{source}};
    options.reciprocity = Reciprocity::off;
    return trace_rays(model, survey_of(sources, receivers), options, test::on_cpu(2));
}

Grid box(bool flat) {
    return flat ? Grid{{25, 1, 13}, {}, {0.5, 0.5, 0.5}} : Grid{{13, 11, 11}, {}, {0.5, 0.5, 0.5}};
}

TEST(CellPaths, BetweenPointsOfOneRockAreStraight) {
    const Model model = of_cells(box(true), [](int, int, int k) { return k < 4 ? 2 : 2.3; });
    const std::vector<Vec3> receivers{{7.448, 0, 4.51}};
    const Vec3 source{6.07, 0, 2.4};
    const RaySet rays = rays_between(model, source, receivers);
    EXPECT_EQ(rays.rays[0].status, RayStatus::ok);
    EXPECT_NEAR(rays.rays[0].length, distance(source, receivers[0]), 1e-9);
    EXPECT_NEAR(rays.rays[0].time, distance(source, receivers[0]) / 2.3, 1e-6);
}

TEST(CellPaths, InTwoLayersTakeTheTimeOfTheClosedForm) {
    for (const bool flat : {true, false}) {
        const Grid grid = box(flat);
        for (const auto& [above, below] : {std::pair{2.0, 2.3}, {2.0, 5.0}, {5.0, 2.0}}) {
            const Layers layers{above, below, 2};
            const Model model = of_cells(
                grid, [&](int, int, int k) { return k < 4 ? layers.above : layers.below; });
            for (unsigned seed = 0; seed < 2; ++seed) {
                const Vec3 source = places(grid, 1, Where::anywhere, 70 + seed)[0];
                for (const Where where : {Where::anywhere, Where::beside_faces}) {
                    const auto receivers = places(grid, flat ? 200 : 100, where, seed);
                    const RaySet rays = rays_between(model, source, receivers);
                    for (std::size_t n = 0; n < rays.size(); ++n) {
                        ASSERT_TRUE(has_arrived(rays.rays[n].status));
                        const double exact = layers.time(source, receivers[n]);
                        EXPECT_NEAR(rays.rays[n].time, exact, 1e-4 * exact)
                            << flat << ' ' << above << ' ' << below << ' ' << seed << ' ' << n;
                    }
                }
            }
        }
    }
}

TEST(CellPaths, AreSeldomMarkedLateInLayers) {
    const Grid grid = box(false);
    const Model model = of_cells(grid, [](int, int, int k) { return k < 4 ? 2 : 5; });
    const auto receivers = places(grid, 200, Where::anywhere, 5);
    const RaySet rays = rays_between(model, {3.1, 2.2, 0.7}, receivers);
    const auto late = std::count_if(rays.rays.begin(), rays.rays.end(), [](const RayInfo& ray) {
        return ray.status == RayStatus::late;
    });
    EXPECT_LE(late, 4);
}

TEST(CellPaths, InRandomCellsAreNearTheShortestPaths) {
    for (const bool flat : {true, false}) {
        const Grid grid =
            flat ? Grid{{25, 1, 13}, {}, {0.5, 0.5, 0.5}} : Grid{{8, 7, 8}, {}, {0.5, 0.5, 0.5}};
        double sum = 0;
        int count = 0;
        for (unsigned seed = 0; seed < 3; ++seed) {
            std::mt19937 random(seed);
            const Model model = of_cells(grid, [&](int, int, int) {
                return 2 * (1 + 0.3 * (static_cast<double>(random() % 2001) / 1000 - 1));
            });
            const Vec3 source = places(grid, 1, Where::anywhere, 7 + seed)[0];
            const Field<double> reference = test::shortest_times(model, source, flat ? 24 : 6);
            std::vector<Vec3> receivers;
            std::vector<double> least;
            for (int i = 0; i < grid.shape.x; i += 2) {
                for (int j = 0; j < grid.shape.y; j += 2) {
                    for (int k = 0; k < grid.shape.z; k += 2) {
                        receivers.push_back(grid.position({i, j, k}));
                        least.push_back(reference(i, j, k));
                    }
                }
            }
            const RaySet rays = rays_between(model, source, receivers);
            for (std::size_t n = 0; n < rays.size(); ++n) {
                ASSERT_TRUE(has_arrived(rays.rays[n].status));
                sum += rays.rays[n].time / least[n] - 1;
                ++count;
            }
        }
        EXPECT_LT(sum / count, 1e-3) << flat;
    }
}

/// Rays of every kind of medium in which they are judged.
std::vector<RaySet> judged_rays() {
    std::vector<RaySet> out;
    for (unsigned seed = 0; seed < 4; ++seed) {
        const Grid grid = seed % 2 == 0 ? Grid{{31, 1, 29}, {1, 2, 3}, {1, 1, 1.2}}
                                        : Grid{{16, 13, 15}, {1, 2, 3}, {1, 0.9, 1.2}};
        const Model model = rough_cells(grid, seed);
        const Vec3 source = grid.position({7, 0, 7}) + Vec3{0.3, 0, 0.4};
        const auto receivers = places(grid, 100, Where::anywhere, seed);
        for (const Tracer tracer : {Tracer::descent, Tracer::cells}) {
            RayOptions options;
            options.tracer = tracer;
            out.push_back(rays_between(model, source, receivers, options));
        }
    }
    return out;
}

TEST(CellPaths, LaterThanTheirFieldAreNotOk) {
    int late = 0;
    for (const RaySet& rays : judged_rays()) {
        for (const RayInfo& ray : rays.rays) {
            if (!has_arrived(ray.status)) continue;
            EXPECT_TRUE(std::isfinite(ray.time));
            EXPECT_EQ(ray.status == RayStatus::late, is_late(ray.time, ray.field_time));
            late += ray.status == RayStatus::late;
        }
    }
    EXPECT_GT(late, 0);
}

TEST(CellPaths, HaveRowsWhoseProductWithSlownessIsTheTime) {
    const Grid grid{{16, 13, 15}, {1, 2, 3}, {1, 0.9, 1.2}};
    const Model model = rough_cells(grid, 1);
    const auto receivers = places(grid, 100, Where::anywhere, 3);
    const RaySet rays =
        rays_between(model, grid.position({7, 0, 7}) + Vec3{0.3, 0, 0.4}, receivers);
    const SparseRows rows = sensitivity(model, rays, Basis::cells, 1);
    const auto velocity = model.cells()->velocity;
    for (std::size_t r = 0; r < rays.size(); ++r) {
        if (!has_arrived(rays.rays[r].status)) continue;
        double time = 0;
        for (auto n = rows.row_start[r]; n < rows.row_start[r + 1]; ++n) {
            const auto at = static_cast<std::size_t>(n);
            time += rows.value[at] / velocity[static_cast<std::size_t>(rows.column[at])];
        }
        EXPECT_NEAR(time, rays.rays[r].time, 1e-9 + 1e-6 * rays.rays[r].time) << r;
    }
}

TEST(CellPaths, DoNotDependOnThreads) {
    const Grid grid{{16, 13, 15}, {1, 2, 3}, {1, 0.9, 1.2}};
    const Model model = rough_cells(grid, 3);
    const auto receivers = places(grid, 80, Where::anywhere, 4);
    const std::vector<PointSource> sources{{grid.position({7, 0, 7}) + Vec3{0.3, 0, 0.4}}};
    const Survey survey = survey_of(sources, receivers);
    RayOptions options;
    options.reciprocity = Reciprocity::off;
    const RaySet one = trace_rays(model, survey, options, test::on_cpu(1));
    const RaySet many = trace_rays(model, survey, options, test::on_cpu(3));
    EXPECT_EQ(one.points, many.points);
    EXPECT_EQ(one.first_point, many.first_point);
}

TEST(CellTracer, FollowsStraightRaysInAHomogeneousMedium) {
    const Grid grid{{21, 17, 15}, {}, {0.25, 0.25, 0.25}};
    const Model model(grid, Field<float>(grid.shape, 2));
    RayOptions options;
    options.tracer = Tracer::cells;
    auto receivers = places(grid, 500, Where::anywhere, 1);
    receivers.push_back({2.4025, 1.8190, 2.3345});
    const Vec3 source{2.5, 0.492, 1.75};
    const RaySet rays = rays_between(model, source, receivers, options);
    for (std::size_t n = 0; n < rays.size(); ++n) {
        const double exact = distance(source, receivers[n]) / 2;
        EXPECT_EQ(rays.rays[n].status, RayStatus::ok);
        EXPECT_NEAR(rays.rays[n].time, exact, 1e-4 * exact) << n;
    }
}

}  // namespace
}  // namespace fermat
