// Compares models with a metric on a CUDA device with closed forms and with the CPU.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "bench/metric_media.hpp"
#include "core/device.hpp"
#include "eikonal/metric/metric_solver.hpp"
#include "executions.hpp"

namespace fermat {
namespace {

class GpuMetric : public testing::Test {
  protected:
    void SetUp() override {
        if (device_count() == 0) GTEST_SKIP() << "this machine has no CUDA device";
    }
};

Field<float> times_of(const MetricMedium& medium, int order, const Execution& execution) {
    EikonalOptions options;
    options.order = order;
    const MetricSolver solver(medium.model, options, execution);
    const MetricField field = solver.solve({medium.source, 0}, execution);
    Field<float> times(medium.model.grid().shape);
    write_times(field, times.view());
    return times;
}

double mean_error(const MetricMedium& medium, const Field<float>& times) {
    const Grid& grid = medium.model.grid();
    double sum = 0;
    for_each_node(grid.shape, [&](Index3 n) {
        const Vec3 user = medium.model.mapping().to_user(grid.position(n));
        sum += std::abs(times(n) - medium.time(user));
    });
    return sum / static_cast<double>(grid.node_count());
}

TEST_F(GpuMetric, TimesAreThoseOfClosedForms) {
    for (const int nodes : {31, 64}) {
        const MetricMedium sphere = power_law_block(nodes);
        EXPECT_LT(mean_error(sphere, times_of(sphere, 2, test::on_gpu())), 2e-5);
        const MetricMedium bent = diffeomorphic_cube(nodes);
        EXPECT_LT(mean_error(bent, times_of(bent, 2, test::on_gpu())), nodes == 31 ? 1.2e-4 : 3e-5);
        const MetricMedium tilted = thomsen_cube(nodes);
        EXPECT_LT(mean_error(tilted, times_of(tilted, 2, test::on_gpu())), 1e-6);
        const MetricMedium slopes = mountain(nodes, 0);
        EXPECT_LT(mean_error(slopes, times_of(slopes, 2, test::on_gpu())), 1e-6);
    }
    const MetricMedium section = graded_section(101);
    EXPECT_LT(mean_error(section, times_of(section, 2, test::on_gpu())), 1e-5);
}

TEST_F(GpuMetric, TimesAreThoseOfTheCpu) {
    for (const int order : {1, 2}) {
        for (const bool full : {false, true}) {
            const MetricMedium medium = full ? diffeomorphic_cube(33) : power_law_block(33);
            const Field<float> cpu = times_of(medium, order, test::on_cpu(0));
            const Field<float> gpu = times_of(medium, order, test::on_gpu());
            double largest = 0;
            for (std::size_t n = 0; n < cpu.size(); ++n) {
                ASSERT_EQ(std::isfinite(cpu[n]), std::isfinite(gpu[n]));
                if (cpu[n] > 0) largest = std::max(largest, std::abs(double{gpu[n]} / cpu[n] - 1));
            }
            // Second order may find another solution where the octant is not certain.
            EXPECT_LT(largest, order == 1 ? 2e-4 : 1e-3) << order << ' ' << full;
        }
    }
}

TEST_F(GpuMetric, SameBitsEveryTime) {
    const MetricMedium medium = power_law_block(49);
    const Field<float> first = times_of(medium, 2, test::on_gpu());
    const Field<float> again = times_of(medium, 2, test::on_gpu());
    for (std::size_t n = 0; n < first.size(); ++n) ASSERT_EQ(first[n], again[n]);
}

TEST_F(GpuMetric, SourcesAtOnceHaveTheBitsOfSourcesAlone) {
    for (const bool full : {false, true}) {
        const MetricMedium medium = full ? diffeomorphic_cube(33) : power_law_block(33);
        const MetricSolver solver(medium.model, {}, test::on_gpu());
        const Grid& grid = medium.model.grid();
        std::vector<PointSource> sources;
        for (const double part : {0.1, 0.33, 0.5, 0.71, 0.98}) {
            const Vec3 q = grid.origin + part * (grid.far_corner() - grid.origin);
            sources.push_back({medium.model.mapping().to_user(q), 10 * part});
        }
        int seen = 0;
        solver.for_each_field(sources, test::on_gpu(), [&](std::size_t n, MetricField&& field) {
            const MetricField alone = solver.solve(sources[n], test::on_gpu());
            for (std::size_t m = 0; m < field.tau.size(); ++m) {
                ASSERT_EQ(field.tau[m], alone.tau[m]) << n << ' ' << m;
            }
            ++seen;
        });
        EXPECT_EQ(seen, 5);
    }
}

}  // namespace
}  // namespace fermat
