// Rays of tracer 'cells' that run along a face of the box stay on it.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "executions.hpp"
#include "model/makers.hpp"
#include "rays/rays.hpp"

namespace fermat {
namespace {

double cells_time(const Model& model, Vec3 source, Vec3 receiver) {
    RayOptions options;
    options.tracer = Tracer::cells;
    options.reciprocity = Reciprocity::off;
    const std::vector<PointSource> sources{{source, 0}};
    const std::vector<Vec3> receivers{receiver};
    const RaySet rays = trace_rays(model, survey_of(sources, receivers), options, test::on_cpu());
    EXPECT_EQ(rays.rays[0].status, RayStatus::ok);
    return rays.rays[0].time;
}

TEST(AlongFaces, ARayAlongAFaceIsTheStraightLine) {
    const Grid grid{{11, 9, 8}, {}, {0.5, 0.5, 0.5}};
    const Model model = constant_model(grid, 2);
    const Vec3 source{0, 0, 1.75};
    const Vec3 receiver{0, 4, 0.4305};
    EXPECT_LE(cells_time(model, source, receiver), 1.01 * distance(source, receiver) / 2);
}

TEST(AlongFaces, RaysAlongAFaceAreThoseOfItsPlane) {
    const double h = 0.5;
    const Grid grid{{11, 9, 8}, {}, {h, h, h}};
    const Model model = constant_model(grid, 2);
    const Vec3 far = grid.far_corner();
    for (int face = 0; face < 6; ++face) {
        const int across = face / 2;
        const int first = across == 0 ? 1 : 0;
        const int second = across == 2 ? 1 : 2;
        const Grid plane{{grid.shape[first], 1, grid.shape[second]}, {}, {h, h, h}};
        const Model flat = constant_model(plane, 2);
        for (int n = 0; n < 40; ++n) {
            Vec3 source;
            Vec3 receiver;
            for (int a = 0; a < 3; ++a) {
                source[a] = far[a] * std::fmod(0.37 * (n + 1) + 0.21 * a, 1.0);
                receiver[a] = far[a] * std::fmod(0.61 * (n + 2) + 0.47 * a, 1.0);
            }
            source[across] = receiver[across] = face % 2 ? far[across] : 0;
            const double along = cells_time(flat, {source[first], 0, source[second]},
                                            {receiver[first], 0, receiver[second]});
            EXPECT_NEAR(cells_time(model, source, receiver), along, 0.01 * along)
                << "face " << face << " line " << n;
        }
    }
}

}  // namespace
}  // namespace fermat
