// Receivers on a ground that cuts cells: times and rays are as exact there as below.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "model/model.hpp"
#include "rays/rays.hpp"

namespace fermat {
namespace {

/// A hilly ground above rock whose velocity grows with depth, on a grid whose spacing and origin
/// have no exact binary form, so that positions of nodes are rounded.
struct Hills {
    double spacing;
    int dimensions;
    double least = 500;  ///< velocity at `datum`
    double growth = 25;
    double datum = -40;

    double ground(double x, double y) const {
        return -(12 + 9 * std::sin(x / 37.7) + 3 * std::cos(x / 11.3) + 4 * std::sin(y / 21.1));
    }
    Vec3 on_ground(double x, double y) const { return {x, y, ground(x, y)}; }
    double velocity(Vec3 p) const { return least + growth * (p.z - datum); }
    /// The closed form of a constant gradient.
    double time(Vec3 a, Vec3 b) const {
        const Vec3 d = b - a;
        return std::acosh(1 + growth * growth * dot(d, d) / (2 * velocity(a) * velocity(b))) /
               growth;
    }
    /// True if the arc from a to b stays in the rock.
    bool below(Vec3 a, Vec3 b) const {
        const double far = std::hypot(b.x - a.x, b.y - a.y);
        const double centre_z = datum - least / growth;
        const double za = a.z - centre_z;
        const double zb = b.z - centre_z;
        const double middle = (far * far + zb * zb - za * za) / (2 * far);
        const double radius = std::hypot(middle, za);
        for (int n = 1; n < 200; ++n) {
            const double s = far * n / 200;
            const double z = centre_z + std::sqrt(radius * radius - (s - middle) * (s - middle));
            const Vec3 on_line = a + (n / 200.0) * (b - a);
            if (z < ground(on_line.x, on_line.y)) return false;
        }
        return true;
    }
    Model model() const {
        const double size = dimensions == 2 ? 150.9 : 71.3;
        const auto nodes = [&](double length) { return static_cast<int>(length / spacing) + 1; };
        const Grid grid{{nodes(size), dimensions == 2 ? 1 : nodes(size), nodes(79.7)},
                        {-11.7, dimensions == 2 ? 0 : -11.7, -36.4},
                        {spacing, spacing, spacing}};
        Field<float> v(grid.shape);
        for (int i = 0; i < grid.shape.x; ++i) {
            for (int j = 0; j < grid.shape.y; ++j) {
                for (int k = 0; k < grid.shape.z; ++k) {
                    const Vec3 p = grid.position({i, j, k});
                    const bool rock = p.z >= ground(p.x, p.y);
                    v(i, j, k) = rock ? static_cast<float>(velocity(p)) : 0.0f;
                }
            }
        }
        return Model(grid, std::move(v));
    }
};

struct Misses {
    double field = 0;  ///< mean of |field's time - closed form|
    double ray = 0;    ///< mean of |time along the ray - closed form|
    double worst_ray = 0;
    int pairs = 0;
};

Misses misses_of(const Hills& hills) {
    const Model model = hills.model();
    std::mt19937 random(7);
    const double end = hills.dimensions == 2 ? 120 : 45;
    std::uniform_real_distribution<double> along(0, end);
    const auto place = [&] {
        const double x = along(random);
        return hills.on_ground(x, hills.dimensions == 2 ? 0 : along(random));
    };
    std::vector<PointSource> sources(6);
    std::vector<Vec3> receivers(40);
    for (PointSource& source : sources) source.position = place() + Vec3{0, 0, 20};
    for (Vec3& p : receivers) p = place();
    const RaySet rays = trace_rays(model, survey_of(sources, receivers), {}, {});
    Misses out;
    for (const RayInfo& info : rays.rays) {
        const Vec3 a = sources[static_cast<std::size_t>(info.source)].position;
        const Vec3 b = receivers[static_cast<std::size_t>(info.receiver)];
        EXPECT_EQ(info.status, RayStatus::ok);
        if (distance(a, b) < 10 || !hills.below(a, b)) continue;
        const double exact = hills.time(a, b);
        const double ray = std::abs(info.time - exact);
        out.field += std::abs(info.field_time - exact);
        out.ray += ray;
        out.worst_ray = std::max(out.worst_ray, ray / exact);
        ++out.pairs;
    }
    out.field /= out.pairs;
    out.ray /= out.pairs;
    return out;
}

TEST(GroundRays, TimesAtTheGroundAreAsExactAsBelow) {
    for (const int dimensions : {2, 3}) {
        const double coarse = dimensions == 2 ? 1.3 : 2.6;
        const Misses at_coarse = misses_of({coarse, dimensions});
        const Misses at_fine = misses_of({coarse / 2, dimensions});
        // With tau carried upwards without its slope, the fields were 8 to 13 times as far off.
        EXPECT_LE(at_coarse.field, dimensions == 2 ? 2e-5 : 4e-5);
        EXPECT_LE(at_fine.field, at_coarse.field / 1.8);
        EXPECT_LE(at_coarse.ray, dimensions == 2 ? 6e-6 : 3e-5);
        EXPECT_LE(at_fine.ray, at_coarse.ray / 2.5);
        EXPECT_LE(at_coarse.worst_ray, 4e-3);
    }
}

/// Rounding puts some rows of nodes slightly below their depth: rows in air then seemed to touch
/// the rock below them, and rays went along such a row.
TEST(GroundRays, NoRayGoesAlongARowInAir) {
    const Grid grid{{120, 1, 60}, {-11.7, 0, -436.4}, {1.3, 1.3, 1.3}};
    constexpr double least = 600;
    constexpr double growth = 20;
    for (int row = 3; row < 30; ++row) {
        const double ground = grid.position({0, 0, row}).z + 0.12;
        const auto velocity = [&](double z) { return least + growth * (z - ground); };
        Field<float> v(grid.shape);
        for (int i = 0; i < grid.shape.x; ++i) {
            for (int k = 0; k < grid.shape.z; ++k) {
                const double z = grid.position({i, 0, k}).z;
                v(i, 0, k) = z < ground ? 0.0f : static_cast<float>(velocity(z));
            }
        }
        const Model model(grid, std::move(v));
        std::vector<Vec3> receivers;
        for (double x = 0.7; x < 60; x += 4.9) receivers.push_back({x, 0, ground});
        const std::vector<PointSource> sources{{{97.3, 0, ground + 0.6}, 0}};
        const RaySet rays = trace_rays(model, survey_of(sources, receivers), {}, {});
        for (std::size_t n = 0; n < rays.size(); ++n) {
            const RayInfo& info = rays.rays[n];
            const Vec3 to = receivers[static_cast<std::size_t>(info.receiver)];
            const Vec3 apart = to - sources[0].position;
            const double exact =
                std::acosh(1 + growth * growth * dot(apart, apart) /
                                   (2 * velocity(to.z) * velocity(sources[0].position.z))) /
                growth;
            ASSERT_EQ(info.status, RayStatus::ok);
            EXPECT_NEAR(info.time, exact, 2e-3 * exact) << "row " << row << ", x = " << to.x;
            EXPECT_NEAR(info.field_time, exact, 2e-3 * exact) << "row " << row << ", x = " << to.x;
            for (const Vec3& p : rays.path(n)) ASSERT_FALSE(in_air(model, p));
        }
    }
}

}  // namespace
}  // namespace fermat
