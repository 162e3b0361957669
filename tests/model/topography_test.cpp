#include "model/topography.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/error.hpp"
#include "expect_error.hpp"
#include "model/makers.hpp"

namespace fermat {
namespace {

using test::expect_error;
using Points = std::vector<Vec3>;
using Kind = Surface::Kind;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(SurfaceLine, IsStraightBetweenPointsInAnyOrderAndConstantBeyond) {
    const Surface surface(Kind::line, Points{{4, 0, -2}, {0, 0, 0}, {2, 0, -1}, {2, 9, -1}});
    EXPECT_EQ(surface.points().size(), 3U);
    EXPECT_DOUBLE_EQ(surface.at(1), -0.5);
    EXPECT_DOUBLE_EQ(surface.at(2), -1);
    EXPECT_DOUBLE_EQ(surface.at(3.5), -1.75);
    EXPECT_DOUBLE_EQ(surface.at(-10), 0);
    EXPECT_DOUBLE_EQ(surface.at(10), -2);
    EXPECT_DOUBLE_EQ(surface_at(surface, {3.5, 77, 0}), -1.75);
}

TEST(SurfaceLine, OnePointIsLevelGround) {
    EXPECT_DOUBLE_EQ(Surface(Kind::line, Points{{5, 0, -3}}).at(100), -3);
    EXPECT_DOUBLE_EQ(Surface(Kind::area, Points{{5, 0, -3}}).at(100, 100), -3);
}

TEST(Surface, RefusesNoPointsBadPointsAndTwoDepthsAtOnePlace) {
    expect_error<InputError>([] { Surface(Kind::line, Points{}); }, "no points");
    expect_error<InputError>(
        [] {
            Surface(Kind::line, Points{{0, 0, 0}, {1, 0, nan}});
        },
        "point 2", "nan");
    expect_error<InputError>(
        [] {
            Surface(Kind::line, Points{{5, 0, -1}, {1, 0, 0}, {5, 0, -2}});
        },
        "x = 5", "-1", "-2");
    expect_error<InputError>([] { Surface(Kind::area, Points{{5, 1, -1}, {5, 1, -2}}); }, "(5, 1)");
    EXPECT_NO_THROW(Surface(Kind::area, Points{{5, 1, -1}, {5, 2, -2}}));
}

TEST(SurfaceArea, ALatticeIsBilinear) {
    Points points;
    const auto z = [](double x, double y) { return -1 + 0.5 * x - 2 * y + 0.25 * x * y; };
    for (const double y : {3.0, 0.0, 1.0}) {
        for (const double x : {2.0, -1.0, 0.5, 5.0}) points.push_back({x, y, z(x, y)});
    }
    const Surface surface(Kind::area, points);
    for (const double x : {-1.0, 0.1, 3.3, 5.0}) {
        for (const double y : {0.0, 0.6, 2.5, 3.0}) EXPECT_NEAR(surface.at(x, y), z(x, y), 1e-14);
    }
    EXPECT_DOUBLE_EQ(surface.at(-9, -9), z(-1, 0));
}

TEST(SurfaceArea, ARowOfPointsIsConstantAcross) {
    const Surface surface(Kind::area, Points{{0, 3, 0}, {2, 3, -2}, {1, 3, -1}});
    EXPECT_DOUBLE_EQ(surface.at(0.5, 3), -0.5);
    EXPECT_DOUBLE_EQ(surface.at(0.5, 50), -0.5);
}

Points scattered(int count) {
    std::mt19937_64 engine(4);
    const auto number = [&] { return static_cast<double>(engine() >> 11) / 9007199254740992.0; };
    Points points;
    for (int n = 0; n < count; ++n) {
        const double x = 10 * number();
        const double y = 4 * number();
        points.push_back({x, y, std::sin(x) * std::cos(y)});
    }
    return points;
}

TEST(SurfaceArea, ScatteredPointsAreMetAndTheirRangeIsKept) {
    for (const int count : {2, 5, 12, 13, 14, 500}) {
        const Points points = scattered(count);
        const Surface surface(Kind::area, points);
        double low = 1;
        double high = -1;
        for (const Vec3& p : points) {
            EXPECT_EQ(surface.at(p.x, p.y), p.z);
            low = std::min(low, p.z);
            high = std::max(high, p.z);
        }
        for (double x = -5; x < 15; x += 0.7) {
            for (double y = -5; y < 9; y += 0.7) {
                EXPECT_GE(surface.at(x, y), low - 1e-12);
                EXPECT_LE(surface.at(x, y), high + 1e-12);
            }
        }
    }
}

TEST(SurfaceArea, ScatteredPointsMakeAContinuousSurfaceNearTheTruth) {
    const Surface surface(Kind::area, scattered(4000));
    for (double x = 0.5; x < 9.5; x += 0.013) {
        EXPECT_NEAR(surface.at(x, 2), std::sin(x) * std::cos(2), 0.1);
        EXPECT_NEAR(surface.at(x, 2), surface.at(x + 1e-7, 2), 1e-4);
    }
}

TEST(SurfaceArea, PointsAtEqualDistanceCountAlike) {
    Points ring;
    for (int n = 0; n < 16; ++n) {
        // Coordinates whose squares add up to 25^2 exactly.
        const double a[][2] = {{25, 0}, {15, 20}, {20, 15}, {7, 24}};
        const double x = a[n % 4][0] * (n & 4 ? -1 : 1);
        const double y = a[n % 4][1] * (n & 8 ? -1 : 1);
        if (n % 4 != 0 || n == 0 || n == 4) ring.push_back({x, y, double(n % 2)});
    }
    const Surface surface(Kind::area, ring);
    EXPECT_TRUE(std::isfinite(surface.at(0, 0)));
}

TEST(NearestPoints, AreTheOnesThatAFullSearchFinds) {
    Points points = scattered(300);
    points.push_back({1000, 1000, 0});  // far away, so that most buckets are empty
    const NearestPoints index(points);
    for (const Vec3 q : {Vec3{5, 2, 0}, Vec3{-40, 3, 0}, Vec3{500, 900, 0}, Vec3{0, 0, 0}}) {
        std::vector<NearestPoints::Neighbour> all;
        for (std::size_t n = 0; n < points.size(); ++n) {
            const double dx = points[n].x - q.x;
            const double dy = points[n].y - q.y;
            all.push_back({dx * dx + dy * dy, n});
        }
        std::sort(all.begin(), all.end());
        all.resize(13);
        const auto found = index.find(q.x, q.y, 13);
        ASSERT_EQ(found.size(), 13U);
        for (std::size_t n = 0; n < 13; ++n) EXPECT_EQ(found[n].point, all[n].point);
    }
    EXPECT_EQ(index.find(0, 0, 1000).size(), points.size());
}

const Grid section{{21, 1, 11}, {0, 0, -2}, {1, 1, 0.5}};

TEST(Cut, NodesAboveTheSurfaceBecomeAirAndNodesOnItStay) {
    const Model model = gradient_model(section, 3, 0.5);
    const Surface surface(Kind::line, Points{{0, 0, 0}, {10, 0, -1}, {20, 0, 1.2}});
    const Model cut = cut_by_surface(model, surface);
    for (int i = 0; i < 21; ++i) {
        for (int k = 0; k < 11; ++k) {
            const Vec3 p = section.position({i, 0, k});
            const bool above = p.z < surface.at(p.x) - 1e-9;
            EXPECT_EQ(cut.velocity()(i, 0, k), above ? 0 : model.velocity()(i, 0, k));
        }
    }
    for (const Vec3& p : surface.points()) EXPECT_FALSE(in_air(cut, p));
}

TEST(Cut, RoundingDoesNotTakeTheNodesOfAFlatSurface) {
    const Grid grid{{3, 1, 31}, {0, 0, -1}, {1, 1, 0.1}};
    const Model cut = cut_by_surface(constant_model(grid, 1),
                                     Surface(Kind::line, Points{{0, 0, -0.7}, {3, 0, -0.7}}));
    EXPECT_TRUE(cut.is_air({1, 0, 2}));
    EXPECT_FALSE(cut.is_air({1, 0, 3}));
}

/// True if rock reaches from every rock node to the bottom of its column.
bool columns_are_solid(const Model& model) {
    const Shape s = model.grid().shape;
    for (int i = 0; i < s.x; ++i) {
        for (int j = 0; j < s.y; ++j) {
            for (int k = 1; k < s.z; ++k) {
                if (!model.is_air({i, j, k - 1}) && model.is_air({i, j, k})) return false;
            }
        }
    }
    return true;
}

TEST(Cut, APeakThinnerThanACellKeepsItsPointOnTheGround) {
    // The peak at x = 10.4 lies between two columns and well above both.
    const Surface surface(
        Kind::line, Points{{0, 0, 2}, {10.3, 0, 2}, {10.4, 0, -1.3}, {10.5, 0, 2}, {20, 0, 2}});
    const Model cut = cut_by_surface(constant_model(section, 1), surface);
    EXPECT_FALSE(in_air(cut, {10.4, 0, -1.3}));
    EXPECT_FALSE(cut.is_air({10, 0, 2}));
    EXPECT_TRUE(cut.is_air({10, 0, 1}));
    EXPECT_TRUE(cut.is_air({11, 0, 7}));
    EXPECT_TRUE(columns_are_solid(cut));
}

TEST(Cut, EveryPointOfARoughSurfaceTouchesGround) {
    std::mt19937_64 engine(9);
    const auto number = [&] { return static_cast<double>(engine() >> 11) / 9007199254740992.0; };
    Points line;
    for (int n = 0; n < 60; ++n) line.push_back({20 * number(), 0, -2 + 4.9 * number()});
    line.push_back({0, 0, -2});
    line.push_back({20, 0, 3});
    const Model cut = cut_by_surface(constant_model(section, 1), Surface(Kind::line, line));
    for (const Vec3& p : line) EXPECT_FALSE(in_air(cut, p)) << p.x << ' ' << p.z;
    EXPECT_TRUE(columns_are_solid(cut));

    const Grid box{{9, 7, 11}, {0, 0, -2}, {1.25, 0.7, 0.5}};
    Points area;
    for (int n = 0; n < 90; ++n) area.push_back({10 * number(), 4.2 * number(), -2 + 4 * number()});
    const Model hill = cut_by_surface(constant_model(box, 1), Surface(Kind::area, area));
    for (const Vec3& p : area) EXPECT_FALSE(in_air(hill, p)) << p.x << ' ' << p.y << ' ' << p.z;
    EXPECT_TRUE(columns_are_solid(hill));
    EXPECT_TRUE(hill.has_air());
}

TEST(Cut, ALineCutsA3dModelAlikeAtEveryY) {
    const Grid box{{5, 4, 11}, {0, 0, -2}, {1, 1, 0.5}};
    const Model cut =
        cut_by_surface(constant_model(box, 1), Surface(Kind::line, Points{{0, 0, 0}, {4, 0, -2}}));
    for (int j = 0; j < 4; ++j) {
        EXPECT_TRUE(cut.is_air({0, j, 3}));
        EXPECT_FALSE(cut.is_air({0, j, 4}));
        EXPECT_FALSE(cut.is_air({4, j, 0}));
    }
}

TEST(Cut, AirOfTheModelStaysAir) {
    const Model layered = layered_model(section, std::vector<DepthVelocity>{{-2, 0}, {0, 2}});
    const Model cut = cut_by_surface(layered, Surface(Kind::line, Points{{0, 0, -1}}));
    EXPECT_TRUE(cut.is_air({3, 0, 3}));
    EXPECT_FALSE(cut.is_air({3, 0, 4}));
}

TEST(Cut, SurfacesOutsideTheModelAreHarmlessAboveAndRefusedBelow) {
    const Model model = constant_model(section, 1);
    EXPECT_FALSE(cut_by_surface(model, Surface(Kind::line, Points{{0, 0, -1e9}})).has_air());
    expect_error<InputError>(
        [&] {
            cut_by_surface(model, Surface(Kind::line, Points{{0, 0, 1e9}}));
        },
        "below the whole model", "depth 3");
    expect_error<InputError>(
        [&] {
            cut_by_surface(model, Surface(Kind::area, Points{{0, 0, 0}}));
        },
        "2-D");
}

TEST(Cut, CellsLieWhereTheirMiddlesDo) {
    const Grid grid{{5, 1, 9}, {0, 0, -2}, {1, 1, 0.5}};
    const Model model = constant_model(grid, 2, Placement::cells);
    const Model cut = cut_by_surface(model, Surface(Kind::line, Points{{0, 0, -1}, {4, 0, 0.99}}));
    ASSERT_NE(cut.cells(), nullptr);
    for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < 8; ++k) {
            const double depth = -2 + 0.5 * (k + 0.5);
            const double ground = -1 + 1.99 / 4 * (i + 0.5);
            EXPECT_EQ(cut.given()(i, 0, k), depth < ground ? 0 : 2) << i << ' ' << k;
        }
    }
}

TEST(Cut, PointsOfTheSurfaceTouchCells) {
    const Grid box{{5, 4, 11}, {0, 0, -2}, {1, 1, 0.5}};
    const Grid flat{{5, 1, 11}, {0, 0, -2}, {1, 1, 0.5}};
    std::mt19937 random(7);
    for (const Grid& grid : {box, flat}) {
        Points points;
        for (int n = 0; n < 40; ++n) {
            const auto share = [&] { return static_cast<double>(random()) / 4294967296.0; };
            points.push_back({4 * share(), grid.is_2d() ? 0 : 3 * share(), 3 * share() - 1.5});
        }
        const Kind kind = grid.is_2d() ? Kind::line : Kind::area;
        const Model cut =
            cut_by_surface(constant_model(grid, 2, Placement::cells), Surface(kind, points));
        for (const Vec3& p : points) EXPECT_FALSE(in_air(cut, p)) << p.x << ' ' << p.y;
        EXPECT_TRUE(cut.has_air());
    }
}

}  // namespace
}  // namespace fermat
