// Tomography on a CUDA device finds the same model as on the CPU. Repeated runs, and runs on any
// number of ranks, give the same bits.
#include "tomography/invert.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/device.hpp"
#include "executions.hpp"
#include "expect_error.hpp"
#include "thread_ranks.hpp"
#include "tomography/inversion_surveys.hpp"

namespace fermat {
namespace {

using test::KnownTruth;
using test::same_bits;
using test::survey_2d;
using test::survey_3d;

class GpuInvert : public ::testing::Test {
  protected:
    void SetUp() override {
        if (device_count() == 0) GTEST_SKIP() << "no CUDA device";
    }
};

InversionOptions options_3d() {
    InversionOptions options;
    options.method = InversionMethod::hole;
    options.schedule = {{2, {6, 6, 6}, {5, 5, 5}, 2, 1}, {2, {4, 4, 4}, {3, 3, 3}, 1, 2}};
    return options;
}

/// Rays differ in the last bits, so a ray along the edge of a cell may be counted in the
/// neighbouring cell.
void expect_alike(const InversionResult& cpu, const InversionResult& gpu) {
    ASSERT_EQ(cpu.history.size(), gpu.history.size());
    for (std::size_t n = 0; n < cpu.history.size(); ++n) {
        EXPECT_NEAR(gpu.history[n].misfit.rms, cpu.history[n].misfit.rms,
                    0.03 * cpu.history[n].misfit.rms + 1e-6);
        EXPECT_EQ(gpu.history[n].misfit.used, cpu.history[n].misfit.used);
        EXPECT_EQ(gpu.history[n].misfit.lost, cpu.history[n].misfit.lost);
    }
    double worst = 0;
    for (std::size_t n = 0; n < cpu.model.velocity().size(); ++n) {
        const double v = cpu.model.velocity()[n];
        ASSERT_EQ(v == 0, gpu.model.velocity()[n] == 0);
        if (v > 0) worst = std::max(worst, std::abs(gpu.model.velocity()[n] / v - 1));
    }
    EXPECT_LT(worst, 0.01);
    double both = 0;
    double apart = 0;
    for (std::size_t n = 0; n < cpu.coverage.size(); ++n) {
        both += cpu.coverage[n];
        apart += std::abs(cpu.coverage[n] - gpu.coverage[n]);
    }
    EXPECT_LT(apart, 0.01 * both);
}

// What a listener keeps is what the device computed: smoothing its sums on the CPU gives its
// fields.
TEST_F(GpuInvert, KeepsTheFieldsOfItsIterations) {
    const KnownTruth survey = survey_3d();
    InversionOptions options = options_3d();
    const Stage stage{2, {6, 6, 6}, {5, 5, 5}, 1, 1};
    options.schedule = {stage};
    InversionListener listener;
    std::vector<int> kept;
    listener.keeps = [](int) { return true; };
    listener.keep = [&](const KeptIteration& k) {
        kept.push_back(k.iteration);
        const bool last = k.iteration == stage.iterations;
        ASSERT_EQ(k.cells.size() == 0, last);
        if (last) return;
        const auto near = [](const Field<double>& found, const Field<double>& wanted) {
            double most = 0;
            for (const double value : wanted) most = std::max(most, std::abs(value));
            ASSERT_GT(most, 0);
            for (std::size_t n = 0; n < wanted.size(); ++n) {
                ASSERT_NEAR(found[n], wanted[n], 1e-10 * most) << n;
            }
        };
        Field<double> cells = k.sums.perturbation.copy();
        smooth_cells(cells, k.sums.weight, stage.cell, {}, test::on_cpu());
        near(k.cells, cells);
        Field<double> nodes = k.nodes.copy();
        smooth_vertices(nodes.view(), stage.vertex, {}, {}, test::on_cpu());
        near(k.smooth_nodes, nodes);
    };
    const auto found = invert(survey.start, survey.picks, options, test::on_gpu(), listener);
    EXPECT_EQ(kept, (std::vector<int>{0, 1, 2}));
    EXPECT_TRUE(same_bits(found, invert(survey.start, survey.picks, options, test::on_gpu())));
}

TEST_F(GpuInvert, AgreesWithTheCpuInThreeDimensions) {
    const KnownTruth survey = survey_3d();
    for (const RayShare share : {RayShare::even, RayShare::length}) {
        for (const Smoother smoother : {Smoother::running, Smoother::table}) {
            InversionOptions options = options_3d();
            options.share = share;
            options.smoother = smoother;
            expect_alike(invert(survey.start, survey.picks, options, test::on_cpu(0)),
                         invert(survey.start, survey.picks, options, test::on_gpu()));
        }
    }
}

TEST_F(GpuInvert, AgreesWithTheCpuInTwoDimensionsByEveryTracer) {
    const KnownTruth survey = survey_2d(0.01);
    for (const Tracer tracer : {Tracer::descent, Tracer::cells, Tracer::grid}) {
        InversionOptions options;
        options.method = InversionMethod::hole;
        options.schedule = {{3, {8, 1, 8}, {5, 1, 5}, 1, 1}};
        options.tracer = tracer;
        options.outliers = 4;
        expect_alike(invert(survey.start, survey.picks, options, test::on_cpu(0)),
                     invert(survey.start, survey.picks, options, test::on_gpu()));
    }
}

TEST_F(GpuInvert, AirAndLostRaysAreThoseOfTheCpu) {
    const KnownTruth survey = survey_2d();
    const Grid grid = survey.start.grid();
    Field<float> v(grid.shape);
    std::copy(survey.start.velocity().begin(), survey.start.velocity().end(), v.begin());
    v(grid.shape.x - 1, 0, 0) = 0;  // a receiver
    v(0, 0, grid.shape.z - 1) = 0;  // a source
    for (int k = 8; k < 16; ++k) v(16, 0, k) = 0;
    const Model holed(grid, std::move(v));
    InversionOptions options;
    options.method = InversionMethod::hole;
    options.schedule = {{3, {8, 1, 8}, {5, 1, 5}, 1, 1}};
    const InversionResult cpu = invert(holed, survey.picks, options, test::on_cpu(0));
    const InversionResult gpu = invert(holed, survey.picks, options, test::on_gpu());
    EXPECT_GT(gpu.history.back().misfit.lost, 30);
    expect_alike(cpu, gpu);
}

TEST_F(GpuInvert, TheSameBitsAgainAndOnAnyNumberOfRanks) {
    const KnownTruth survey = survey_3d();
    for (const RayShare share : {RayShare::even, RayShare::length}) {
        InversionOptions options = options_3d();
        options.share = share;
        const InversionResult one = invert(survey.start, survey.picks, options, test::on_gpu());
        EXPECT_TRUE(same_bits(one, invert(survey.start, survey.picks, options, test::on_gpu())));
        for (const int size : {2, 3}) {
            const auto errors = test::on_ranks(size, [&](Ranks& ranks) {
                const InversionResult other = invert(survey.start, survey.picks, options,
                                                     {.device = Device::cuda, .ranks = ranks});
                if (ranks.is_root()) {
                    EXPECT_TRUE(same_bits(one, other)) << size << " ranks";
                }
            });
            for (const auto& error : errors) EXPECT_FALSE(error);
        }
    }
}

TEST_F(GpuInvert, ARunIsNamedByItsDevice) {
    const KnownTruth survey = survey_2d();
    InversionOptions options;
    options.method = InversionMethod::hole;
    EXPECT_NE(run_fingerprint(survey.start, survey.picks, options, Device::cpu),
              run_fingerprint(survey.start, survey.picks, options, Device::cuda));
}

TEST_F(GpuInvert, MethodsOfTheCpuSayThatTheyAre) {
    const KnownTruth survey = survey_2d();
    InversionOptions options;
    options.method = InversionMethod::hole;
    options.smoother = Smoother::cached;
    test::expect_error<InputError>(
        [&] { invert(survey.start, survey.picks, options, test::on_gpu()); },
        "smoother 'cached' computes on the CPU");
}

}  // namespace
}  // namespace fermat
