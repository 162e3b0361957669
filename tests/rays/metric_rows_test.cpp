// Derivatives of times along rays in curved coordinates and anisotropic media.
#include <gtest/gtest.h>

#include <functional>
#include <utility>

#include "bench/metric_media.hpp"
#include "expect_error.hpp"
#include "rays/anisotropy_rows.hpp"
#include "rays/rays.hpp"
#include "rays/sensitivity.hpp"

namespace fermat {
namespace {

RaySet some_rays(const MetricMedium& medium) {
    const Grid& grid = medium.model.grid();
    std::vector<Vec3> stations;
    for (const Vec3 part : {Vec3{0.9, 0.9, 0.95}, {0.1, 0.6, 0.7}, {0.85, 0.2, 0}}) {
        Vec3 q;
        for (int axis = 0; axis < 3; ++axis) {
            q[axis] = grid.coordinate(axis, part[axis] * (grid.shape[axis] - 1));
        }
        stations.push_back(medium.model.mapping().to_user(q));
    }
    const PointSource source{medium.source, 0};
    return trace_rays(medium.model, survey_of(std::span(&source, 1), stations), {}, {});
}

double product(const SparseRows& rows, std::size_t row, FieldView<const float> values) {
    double sum = 0;
    for (auto e = rows.row_start[row]; e < rows.row_start[row + 1]; ++e) {
        const auto entry = static_cast<std::size_t>(e);
        sum += rows.value[entry] * values[static_cast<std::size_t>(rows.column[entry])];
    }
    return sum;
}

void expect_times_of_rows(const MetricMedium& medium) {
    const RaySet rays = some_rays(medium);
    Field<float> slowness(medium.model.grid().shape);
    for (std::size_t n = 0; n < slowness.size(); ++n) {
        slowness[n] = 1 / medium.model.velocity()[n];
    }
    const SparseRows nodes = sensitivity(medium.model, rays, Basis::nodes);
    const SparseRows cells = sensitivity(medium.model, rays, Basis::cells);
    const Field<float> ones(medium.model.grid().cell_shape(), 1.0F);
    for (std::size_t r = 0; r < rays.size(); ++r) {
        ASSERT_EQ(rays.rays[r].status, RayStatus::ok);
        EXPECT_NEAR(product(nodes, r, slowness.view()), rays.rays[r].time,
                    1e-6 * rays.rays[r].time);
        EXPECT_NEAR(product(cells, r, ones.view()), rays.rays[r].length,
                    1e-6 * rays.rays[r].length);
    }
}

TEST(MetricRows, TimesSlownessAreTheTimesAndLengthsAreTrue) {
    expect_times_of_rows(power_law_block(11));
    expect_times_of_rows(mountain(11, 1));
    expect_times_of_rows(graded_section(17));
    expect_times_of_rows(diffeomorphic_cube(13));
    expect_times_of_rows(thomsen_cube(11));
}

/// Compares a row with the change of the time along the ray when the parameter grows by `step`
/// at all nodes, less at those of larger x.
void expect_derivative(const MetricMedium& medium, AnisotropyParameter parameter,
                       const std::function<void(AnisotropyValues&, std::size_t, double)>& change) {
    const RaySet rays = some_rays(medium);
    const SparseRows rows = anisotropy_sensitivity(medium.model, rays, parameter);
    const Grid& grid = medium.model.grid();
    Field<float> change_of(grid.shape);
    for_each_node(grid.shape, [&](Index3 n) {
        change_of(n) = 1 - 0.5F * static_cast<float>(n.x) / static_cast<float>(grid.shape.x);
    });
    const auto times_with = [&](double step) {
        AnisotropyValues values;
        values.kind = medium.model.anisotropy().kind;
        for (std::size_t k = 0; k < 6; ++k) {
            values.values[k] = medium.model.anisotropy().values[k].copy();
        }
        for (std::size_t n = 0; n < change_of.size(); ++n) {
            change(values, n, step * static_cast<double>(change_of[n]));
        }
        const Model other = medium.model.with_metric(
            std::make_shared<const Metric>(grid, medium.model.coordinates(), std::move(values)));
        const SparseRows own = sensitivity(other, rays, Basis::nodes);
        Field<float> slowness(grid.shape);
        for (std::size_t n = 0; n < slowness.size(); ++n) slowness[n] = 1 / other.velocity()[n];
        std::vector<double> times;
        for (std::size_t r = 0; r < rays.size(); ++r) {
            times.push_back(product(own, r, slowness.view()));
        }
        return times;
    };
    constexpr double step = 1e-2;
    const std::vector<double> more = times_with(step);
    const std::vector<double> less = times_with(-step);
    for (std::size_t r = 0; r < rays.size(); ++r) {
        const double wanted = (more[r] - less[r]) / (2 * step);
        EXPECT_NEAR(product(rows, r, change_of.view()), wanted,
                    2e-3 * std::abs(wanted) + 2e-5 * rays.rays[r].time)
            << name_of(parameter) << " of ray " << r;
    }
}

TEST(MetricRows, DerivativesByAnisotropyAreThoseOfDifferences) {
    for (const auto& [name, parameter] : choices<AnisotropyParameter>.entries) {
        const bool thomsen =
            parameter == AnisotropyParameter::epsilon || parameter == AnisotropyParameter::delta;
        const auto value = static_cast<std::size_t>(parameter) - (thomsen ? 0 : 2);
        expect_derivative(thomsen ? thomsen_cube(9) : diffeomorphic_cube(11), parameter,
                          [&](AnisotropyValues& values, std::size_t n, double by) {
                              values.values[value][n] += static_cast<float>(by);
                          });
    }
}

TEST(MetricRows, AParameterThatTheModelLacksIsRefused) {
    const MetricMedium medium = thomsen_cube(5);
    test::expect_error<InputError>(
        [&] { anisotropy_sensitivity(medium.model, {}, AnisotropyParameter::xy); },
        "the model has no xy (it has Thomsen anisotropy)");
}

}  // namespace
}  // namespace fermat
