// No ray steps past its source and turns back. Near the source, the length, time and take-off angle
// of rays are right.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "model/analytic.hpp"
#include "model/makers.hpp"
#include "rays/rays.hpp"

namespace fermat {
namespace {

Grid box(int dimensions, Vec3 spacing = {1, 1, 1}) {
    const int n = dimensions == 3 ? 18 : 41;
    return {{n, dimensions == 3 ? n + 3 : 1, n - 2}, {-3, 1, 2}, spacing};
}

/// Points between nodes, at least one cell away from the faces.
class Places {
  public:
    explicit Places(const Grid& grid) : grid_(grid) {}

    Vec3 next() {
        Vec3 p = grid_.origin;
        for (int axis = 0; axis < 3; ++axis) {
            if (grid_.shape[axis] == 1) continue;
            std::uniform_real_distribution<double> inside(1, grid_.shape[axis] - 2);
            p[axis] += inside(random_) * grid_.spacing[axis];
        }
        return p;
    }

  private:
    Grid grid_;
    std::mt19937 random_{9};
};

struct TracedSurvey {
    std::vector<PointSource> sources;
    std::vector<Vec3> receivers;
    RaySet rays;
};

TracedSurvey survey(const Model& model, Tracer tracer, int sources, int receivers) {
    TracedSurvey made;
    Places places(model.grid());
    for (int n = 0; n < sources; ++n) made.sources.push_back({places.next(), 0});
    for (int n = 0; n < receivers; ++n) made.receivers.push_back(places.next());
    RayOptions options;
    options.tracer = tracer;
    options.reciprocity = Reciprocity::off;
    made.rays = trace_rays(model, survey_of(made.sources, made.receivers), options);
    return made;
}

Vec3 unit(Vec3 v) { return v / norm(v); }
double degrees_between(Vec3 a, Vec3 b) {
    const double cosine = dot(unit(a), unit(b));
    return std::acos(std::clamp(cosine, -1.0, 1.0)) * 180 / std::acos(-1.0);
}
/// The sharpest bend between two segments of a path, in degrees.
double sharpest_bend(std::span<const Vec3> path) {
    double most = 0;
    for (std::size_t i = 1; i + 1 < path.size(); ++i) {
        most = std::max(most, degrees_between(path[i] - path[i - 1], path[i + 1] - path[i]));
    }
    return most;
}
/// The vector from the last point before the source to the source.
Vec3 last_leg(std::span<const Vec3> path) { return path.back() - path[path.size() - 2]; }

class RaysEndAtSources : public testing::TestWithParam<int> {};

TEST_P(RaysEndAtSources, InAHomogeneousMediumRaysAreTheStraightLine) {
    const int dimensions = GetParam();
    for (const Vec3 spacing : {Vec3{1, 1, 1}, Vec3{1, 0.4, 2.5}}) {
        const Model model = constant_model(box(dimensions, spacing), 2);
        const TracedSurvey made = survey(model, Tracer::descent, 60, 70);
        for (std::size_t r = 0; r < made.rays.size(); ++r) {
            const RayInfo& ray = made.rays.rays[r];
            const auto path = made.rays.path(r);
            const Vec3 straight = path.back() - path.front();
            ASSERT_EQ(ray.status, RayStatus::ok);
            EXPECT_NEAR(ray.length, norm(straight), 1e-6 * norm(straight));
            EXPECT_NEAR(ray.time, ray.field_time, 5e-6 * ray.field_time);
            EXPECT_LT(sharpest_bend(path), 0.1);
            EXPECT_LT(degrees_between(last_leg(path), straight), 0.1);
        }
    }
}

TEST_P(RaysEndAtSources, InAGradientRaysTakeOffAsTheClosedFormSays) {
    const int dimensions = GetParam();
    const LinearVelocity medium{2, {0.02, dimensions == 3 ? -0.01 : 0, 0.05}};
    const Grid grid = box(dimensions);
    const Model model = gradient_model(grid, medium.velocity(grid.origin), medium.gradient);
    const TracedSurvey made = survey(model, Tracer::descent, 60, 70);
    for (std::size_t r = 0; r < made.rays.size(); ++r) {
        const RayInfo& ray = made.rays.rays[r];
        const auto path = made.rays.path(r);
        const Vec3 from = path.back();
        const Vec3 to = path.front();
        ASSERT_EQ(ray.status, RayStatus::ok);
        EXPECT_NEAR(ray.time, medium.time(from, to), 2e-4 * ray.time);
        EXPECT_NEAR(ray.time, ray.field_time, 5e-4 * ray.time);
        EXPECT_NEAR(ray.length, medium.ray_length(from, to), 5e-4 * ray.length);
        EXPECT_LT(sharpest_bend(path), 10);
        // At the source, the wave leaves against the gradient of the time.
        const Vec3 take_off = -1.0 * medium.time_gradient(to, from);
        EXPECT_LT(degrees_between(-1.0 * last_leg(path), take_off), 2);
    }
}

TEST_P(RaysEndAtSources, NoRayOfAnyTracerTurnsBackNearItsSource) {
    const int dimensions = GetParam();
    const Grid grid = box(dimensions);
    const Model media[] = {constant_model(grid, 2), gradient_model(grid, 2, 0.3),
                           random_smooth_model(grid, {3, 0.3, 4, 7})};
    for (const Model& model : media) {
        for (const Tracer tracer : {Tracer::descent, Tracer::cells, Tracer::grid}) {
            if (tracer == Tracer::grid && dimensions == 3) continue;
            const TracedSurvey made = survey(model, tracer, 40, 50);
            for (std::size_t r = 0; r < made.rays.size(); ++r) {
                const auto path = made.rays.path(r);
                const auto end = path.subspan(path.size() - std::min<std::size_t>(path.size(), 5));
                EXPECT_LT(sharpest_bend(end), 90) << name_of(tracer) << " ray " << r;
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Dimensions, RaysEndAtSources, testing::Values(2, 3));

}  // namespace
}  // namespace fermat
