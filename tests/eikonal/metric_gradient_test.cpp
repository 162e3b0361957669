// The gradient of times in curved coordinates and anisotropic media, on nodes.
#include "eikonal/metric/metric_gradient.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "bench/metric_media.hpp"
#include "eikonal/metric/metric_solver.hpp"
#include "executions.hpp"

namespace fermat {
namespace {

MetricField solved(const MetricMedium& medium) {
    const MetricSolver solver(medium.model, {}, test::on_cpu());
    return solver.solve({medium.source, 0}, test::on_cpu());
}

/// Of the exact time, by the place, in the frame.
Vec3 exact_gradient(const MetricMedium& medium, Vec3 q) {
    const Mapping& mapping = medium.model.mapping();
    const bool on_sphere = medium.model.coordinates().system == Coordinates::spherical;
    const Mat3 frame = mapping.frame(q);
    const Vec3 place = mapping.place(q);
    const double step =
        1e-4 * distance(place, mapping.place(q + Vec3{0, 0, medium.model.grid().spacing.z}));
    Vec3 out;
    for (int axis = 0; axis < 3; ++axis) {
        if (axis == 1 && medium.model.grid().is_2d()) continue;
        const Vec3 way{frame(0, axis), frame(1, axis), frame(2, axis)};
        const auto time = [&](double by) {
            const Vec3 there = place + by * way;
            return medium.time(on_sphere ? mapping.to_user(mapping.from_place(there)) : there);
        };
        out[axis] = (time(step) - time(-step)) / (2 * step);
    }
    return out;
}

TEST(MetricGradient, IsThatOfTheClosedForms) {
    const std::vector<MetricMedium> media = {power_law_block(21), elliptical_cube(21),
                                             thomsen_cube(21), mountain(21, 1), graded_section(41)};
    for (std::size_t m = 0; m < media.size(); ++m) {
        const MetricMedium& medium = media[m];
        const Grid& grid = medium.model.grid();
        const auto gradient = time_gradient(solved(medium), 2);
        EXPECT_EQ(gradient[1].empty(), grid.is_2d());
        const Vec3 source = grid.to_index(medium.model.mapping().to_grid(medium.source));
        double worst = 0;
        for_each_node(grid.shape, [&](Index3 n) {
            const Vec3 apart = Vec3{double(n.x), double(n.y), double(n.z)} - source;
            if (norm(apart) < 2) return;
            const Vec3 found{gradient[0](n), grid.is_2d() ? 0 : gradient[1](n), gradient[2](n)};
            const Vec3 exact = exact_gradient(medium, grid.position(n));
            const double error = norm(found - exact) / norm(exact);
            worst = std::isfinite(error) ? std::max(worst, error) : INFINITY;
        });
        EXPECT_LT(worst, 0.01) << "medium " << m;
    }
}

TEST(MetricGradient, IsNotDefinedAtTheSource) {
    MetricMedium medium = elliptical_cube(11);
    medium.source = {0.5, 0.5, 0.3};
    const auto gradient = time_gradient(solved(medium));
    for (const Field<float>& component : gradient) {
        EXPECT_TRUE(std::isnan(component(5, 5, 3)));
        EXPECT_TRUE(std::isfinite(component(5, 5, 4)));
    }
}

}  // namespace
}  // namespace fermat
