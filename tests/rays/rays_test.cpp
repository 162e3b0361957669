// Rays always arrive, follow the right path, and their sensitivities reproduce their times.
#include "rays/rays.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "executions.hpp"
#include "model/analytic.hpp"
#include "model/makers.hpp"
#include "rays/sensitivity.hpp"

namespace fermat {
namespace {

Grid box(int n, int dimensions) {
    const double h = 10.0 / (n - 1);
    return {{n, dimensions == 3 ? n : 1, n}, {}, {h, h, h}};
}

template <class Velocity>
Model model_of(const Grid& grid, Velocity velocity) {
    Field<float> v(grid.shape);
    for (int i = 0; i < grid.shape.x; ++i) {
        for (int j = 0; j < grid.shape.y; ++j) {
            for (int k = 0; k < grid.shape.z; ++k) {
                v(i, j, k) = static_cast<float>(velocity(grid.position({i, j, k})));
            }
        }
    }
    return Model(grid, std::move(v));
}

struct Medium {
    std::string name;
    Model model;
};

std::vector<Medium> media(int dimensions) {
    const Grid grid = box(dimensions == 3 ? 41 : 101, dimensions);
    std::vector<Medium> all;
    all.push_back({"smooth", random_smooth_model(grid, {3, 0.3, 1.5, 7})});
    all.push_back({"rough 1:5", random_blocks_model(grid, {1, 5, {4, 4, 4}, 3})});
    all.push_back({"layers", model_of(grid, [](Vec3 p) {
                       return p.z < 2 ? 2.0 : p.z < 5 ? 3.5 : 5.0;
                   })});
    all.push_back({"low-velocity zone",
                   model_of(grid, [](Vec3 p) { return p.z > 3 && p.z < 5 ? 1.0 : 4.0; })});
    all.push_back({"topography", model_of(grid, [](Vec3 p) {
                       const double top = 1.5 + std::sin(1.3 * p.x) + 0.3 * std::cos(3 * p.y);
                       return p.z < top ? 0.0 : 2 + 0.3 * p.z;
                   })});
    all.push_back({"obstacles", model_of(grid, [](Vec3 p) {
                       const double x = std::fmod(p.x, 3.3) - 1.6;
                       const double z = std::fmod(p.z, 3.1) - 1.5;
                       const double y = p.y > 0 ? std::fmod(p.y, 2.9) - 1.4 : 0;
                       return x * x + y * y + z * z < 1 ? 0.0 : 3.0;
                   })});
    return all;
}

/// Random points in rock: inside cells, on nodes, faces, edges and corners.
class RockPlaces {
  public:
    explicit RockPlaces(const Model& model) : model_(model) {}

    Vec3 next() {
        const Grid& grid = model_.grid();
        for (;;) {
            Vec3 p{along(), grid.is_2d() ? 0 : along(), along()};
            switch (random_() % 8) {
                case 1:
                    p.z = 0;
                    break;
                case 2:
                    p.x = 10;
                    break;
                case 3:
                    p.x = 0, p.z = 10;
                    break;
                case 4:
                    p = grid.far_corner();
                    break;
                case 5:
                    p = grid.position(grid.nearest_node(p));
                    break;
                default:
                    break;
            }
            if (!in_air(model_, p)) return p;
        }
    }

  private:
    double along() { return 10 * (static_cast<double>(random_() >> 11) * 0x1p-53); }

    const Model& model_;
    std::mt19937_64 random_{17};
};

struct Geometry {
    std::vector<PointSource> sources;
    std::vector<Vec3> receivers;
};

Geometry random_geometry(const Model& model, int sources, int receivers) {
    RockPlaces places(model);
    Geometry g;
    for (int s = 0; s < sources; ++s) g.sources.push_back({places.next(), 0});
    const Grid& grid = model.grid();
    for (int r = 0; r < receivers; ++r) {
        Vec3 p = places.next();
        // Some receivers are less than a cell from a source, and some on it.
        const Vec3 source = g.sources[static_cast<std::size_t>(r % sources)].position;
        if (r % 20 == 7) p = grid.clamp(source + 0.3 * grid.spacing);
        if (r % 50 == 9) p = source;
        if (in_air(model, p)) p = source;
        g.receivers.push_back(p);
    }
    return g;
}

RaySet trace(const Model& model, const Geometry& g, const RayOptions& options,
             const Execution& execution = {}) {
    return trace_rays(model, survey_of(g.sources, g.receivers), options, execution);
}

void expect_sound(const Medium& medium, const Geometry& g, const RaySet& rays,
                  std::string_view tracer) {
    for (std::size_t r = 0; r < rays.size(); ++r) {
        const RayInfo& ray = rays.rays[r];
        const auto path = rays.path(r);
        const Vec3 source = g.sources[static_cast<std::size_t>(ray.source)].position;
        ASSERT_TRUE(has_arrived(ray.status))
            << medium.name << ", " << tracer << ": " << name_of(ray.status) << " from receiver "
            << ray.receiver << " to source " << ray.source;
        ASSERT_EQ(path.front(), g.receivers[static_cast<std::size_t>(ray.receiver)]);
        ASSERT_EQ(path.back(), source);
        ASSERT_TRUE(std::isfinite(ray.time) && ray.time >= 0);
        for (const Vec3& p : path) {
            ASSERT_TRUE(medium.model.grid().contains(p));
            ASSERT_FALSE(in_air(medium.model, p)) << medium.name << ", " << tracer;
        }
    }
}

class Rays : public ::testing::TestWithParam<int> {};

TEST_P(Rays, AlwaysArriveInEveryMedium) {
    const int dimensions = GetParam();
    for (const Medium& medium : media(dimensions)) {
        const Geometry g = random_geometry(medium.model, 4, 500);
        for (const Tracer tracer : {Tracer::descent, Tracer::cells, Tracer::grid}) {
            if (tracer == Tracer::grid && dimensions == 3) continue;
            RayOptions options;
            options.tracer = tracer;
            expect_sound(medium, g, trace(medium.model, g, options), name_of(tracer));
        }
    }
}

TEST_P(Rays, SensitivityTimesSlownessIsTheTime) {
    for (const Medium& medium : media(GetParam())) {
        const RaySet rays = trace(medium.model, random_geometry(medium.model, 2, 60), {});
        const SparseRows nodes = sensitivity(medium.model, rays, Basis::nodes);
        const SparseRows cells = sensitivity(medium.model, rays, Basis::cells);
        for (std::size_t r = 0; r < rays.size(); ++r) {
            double time = 0;
            double length = 0;
            for (auto n = nodes.row_start[r]; n < nodes.row_start[r + 1]; ++n) {
                const auto at = static_cast<std::size_t>(n);
                const auto node = static_cast<std::size_t>(nodes.column[at]);
                time += nodes.value[at] / medium.model.velocity()[node];
            }
            for (auto n = cells.row_start[r]; n < cells.row_start[r + 1]; ++n) {
                length += cells.value[static_cast<std::size_t>(n)];
            }
            EXPECT_NEAR(time, rays.rays[r].time, 1e-6 * rays.rays[r].time + 1e-12);
            EXPECT_NEAR(length, rays.rays[r].length, 1e-9 * rays.rays[r].length + 1e-12);
        }
    }
}

TEST_P(Rays, ThreadsDoNotChangeABit) {
    const Medium medium = std::move(media(GetParam()).front());
    const Geometry g = random_geometry(medium.model, 5, 100);
    const RaySet one = trace(medium.model, g, {}, test::on_cpu(1));
    for (const int threads : {3, 8}) {
        const RaySet many = trace(medium.model, g, {}, test::on_cpu(threads));
        EXPECT_EQ(one.points, many.points);
        EXPECT_EQ(one.first_point, many.first_point);
    }
}

TEST_P(Rays, TracedFromTheOtherEndAreTheSame) {
    for (const Medium& medium : media(GetParam())) {
        if (medium.name.starts_with("rough")) continue;  // many paths have nearly the same time
        // Where velocity jumps, the fields of the two ends differ by the discretisation.
        const double part = medium.name == "smooth" ? 0.01 : 0.06;
        Geometry g = random_geometry(medium.model, 9, 4);
        for (std::size_t s = 0; s < g.sources.size(); ++s) {
            g.sources[s].start_time = 0.5 * static_cast<double>(s);
        }
        // Pairs in random order, some of them twice, some missing.
        std::vector<RayPair> pairs;
        for (int p = 0; p < 40; ++p) pairs.push_back({(7 * p) % 9, (5 * p + p / 9) % 4});
        RayOptions options;
        const RaySet exchanged =
            trace_rays(medium.model, survey_of(g.sources, g.receivers, pairs), options);
        options.reciprocity = Reciprocity::off;
        const RaySet direct =
            trace_rays(medium.model, survey_of(g.sources, g.receivers, pairs), options);
        EXPECT_NE(exchanged.points, direct.points) << "the other end was not tried";
        expect_sound(medium, g, exchanged, "descent");
        ASSERT_EQ(exchanged.size(), pairs.size());
        for (std::size_t r = 0; r < pairs.size(); ++r) {
            const RayInfo& a = exchanged.rays[r];
            const RayInfo& b = direct.rays[r];
            EXPECT_EQ(a.source, b.source);
            EXPECT_EQ(a.receiver, b.receiver);
            const double start = g.sources[static_cast<std::size_t>(a.source)].start_time;
            const double spent = b.field_time - start;
            EXPECT_NEAR(a.field_time - start, spent, part * (spent + 0.3)) << medium.name;
            EXPECT_NEAR(a.time - start, b.time - start, part * (spent + 0.3)) << medium.name;
        }
    }
}

TEST_P(Rays, CoverageAddsUpToTheRays) {
    const Medium medium = std::move(media(GetParam()).front());
    const RaySet rays = trace(medium.model, random_geometry(medium.model, 2, 50), {});
    const Coverage cover = coverage(medium.model, rays);
    double sum = 0;
    for (const float length : cover.length) sum += length;
    double expected = 0;
    for (const RayInfo& ray : rays.rays) expected += ray.length;
    EXPECT_NEAR(sum, expected, 1e-5 * expected);
    EXPECT_EQ(cover.count.shape(), medium.model.grid().cell_shape());
    EXPECT_LE(*std::max_element(cover.count.begin(), cover.count.end()), 100);
}

INSTANTIATE_TEST_SUITE_P(Dimensions, Rays, ::testing::Values(2, 3),
                         [](const auto& p) { return std::to_string(p.param) + "D"; });

TEST(RayAccuracy, TimesAlongRaysMatchTheFieldInSmoothMedia) {
    const Model model = random_smooth_model(box(97, 3), {3, 0.3, 2.5, 7});
    const RaySet rays = trace(model, random_geometry(model, 3, 300), {});
    std::vector<double> errors;
    for (const RayInfo& ray : rays.rays) {
        if (ray.field_time > 0) errors.push_back(std::abs(ray.time / ray.field_time - 1));
    }
    std::sort(errors.begin(), errors.end());
    EXPECT_LE(errors[errors.size() / 2], 2e-4);
    EXPECT_LE(errors.back(), 5e-3);
}

/// Rays in a constant gradient are circles about points at the depth where v would be 0.
TEST(RayAccuracy, RaysOfAConstantGradientAreArcs) {
    const Grid grid = box(129, 3);
    const Model model = gradient_model(grid, 2, 0.5);
    RockPlaces places(model);
    const PointSource source{{5, 5, 0.5}, 0};
    std::vector<Vec3> receivers;
    for (int r = 0; r < 200; ++r) receivers.push_back(places.next());
    const RaySet rays = trace_rays(model, survey_of(std::span(&source, 1), receivers), {});
    double worst = 0;
    for (std::size_t r = 0; r < rays.size(); ++r) {
        const Vec3 a = source.position;
        const Vec3 b = receivers[r];
        const double x = std::hypot(b.x - a.x, b.y - a.y);
        if (x < 1e-3) continue;
        const double za = a.z + 4;
        const double zb = b.z + 4;
        const double centre = (x * x + zb * zb - za * za) / (2 * x);
        const double radius = std::hypot(centre, za);
        const bool dives_out = centre > 0 && centre < x && radius - 4 > 10;
        if (dives_out) continue;
        for (const Vec3& p : rays.path(r)) {
            const double along = ((p.x - a.x) * (b.x - a.x) + (p.y - a.y) * (b.y - a.y)) / x;
            const double across = ((p.y - a.y) * (b.x - a.x) - (p.x - a.x) * (b.y - a.y)) / x;
            const double off = std::hypot(along - centre, p.z + 4) - radius;
            worst = std::max(worst, std::hypot(off, across) / grid.spacing.x);
        }
    }
    EXPECT_LE(worst, 0.3);
}

TEST(RayAccuracy, HeadWaveRaysRunAlongTheInterfaceAtTheCriticalAngle) {
    const Grid grid{{401, 1, 201}, {}, {1, 1, 1}};
    const Model model = model_of(grid, [](Vec3 p) { return p.z < 40 ? 2.0 : 5.0; });
    const PointSource source{{0, 0, 0}, 0};
    const Vec3 receiver{380, 0, 0};
    const RaySet rays =
        trace_rays(model, survey_of(std::span(&source, 1), std::span(&receiver, 1)), {});
    const auto path = rays.path(0);
    double along_interface = 0;
    for (std::size_t p = 0; p + 1 < path.size(); ++p) {
        const Vec3 middle = 0.5 * (path[p] + path[p + 1]);
        if (std::abs(middle.z - 39.5) <= 1.5)
            along_interface += std::abs(path[p + 1].x - path[p].x);
        EXPECT_LE(middle.z, 42);
    }
    const double critical = std::asin(0.4);
    EXPECT_NEAR(along_interface, 380 - 2 * 40 * std::tan(critical), 10);
    // The part of the ray from the surface down to ten cells above the interface.
    const auto low = std::find_if(path.begin(), path.end(), [](Vec3 p) { return p.z > 30; });
    const double angle = std::atan2(receiver.x - low->x, low->z);
    EXPECT_NEAR(angle, critical, 2 * M_PI / 180);
}

TEST(RayStatuses, AirAndWallsAreTold) {
    const Model model = model_of(box(21, 2), [](Vec3 p) {
        return p.z < 2 ? 0.0 : std::abs(p.x - 5) < 0.3 ? 0.0 : 2.0;
    });
    const std::vector<PointSource> sources{{{2, 0, 5}, 0}, {{2, 0, 0.5}, 0}};
    const std::vector<Vec3> receivers{{1, 0, 9}, {8, 0, 9}, {3, 0, 0.5}};
    const RaySet rays = trace_rays(model, survey_of(sources, receivers), {});
    EXPECT_EQ(rays.rays[0].status, RayStatus::ok);
    EXPECT_EQ(rays.rays[1].status, RayStatus::unreachable);
    EXPECT_EQ(rays.rays[2].status, RayStatus::receiver_in_air);
    for (int r = 3; r < 6; ++r) {
        EXPECT_EQ(rays.rays[static_cast<std::size_t>(r)].status, RayStatus::source_in_air);
    }
    EXPECT_TRUE(std::isinf(rays.rays[1].time));
    // With more sources than receivers, rays are traced from the other end, with the same statuses.
    const std::vector<PointSource> many{
        {{1, 0, 9}, 1}, {{8, 0, 9}, 2}, {{3, 0, 0.5}, 3}, {{2, 0, 6}, 4}};
    const std::vector<Vec3> few{{2, 0, 5}, {2, 0, 0.5}};
    const RaySet turned = trace_rays(model, survey_of(many, few), {});
    using enum RayStatus;
    const std::vector<RayStatus> told{
        ok, receiver_in_air, unreachable, receiver_in_air, source_in_air, source_in_air,
        ok, receiver_in_air};
    for (std::size_t r = 0; r < told.size(); ++r) {
        EXPECT_EQ(turned.rays[r].status, told[r]) << r;
        EXPECT_EQ(turned.path(r).front(), few[r % 2]);
        EXPECT_EQ(std::isinf(turned.rays[r].time), told[r] != ok);
        if (told[r] != ok) {
            EXPECT_EQ(turned.path(r).size(), 1u);
        }
    }
    const std::vector<Vec3> outside{{11, 0, 5}};
    EXPECT_THROW(trace_rays(model, survey_of(sources, outside), {}), InputError);
    RayOptions options;
    options.tracer = Tracer::grid;
    EXPECT_THROW(validate(options, box(5, 3)), InputError);
}

}  // namespace
}  // namespace fermat
