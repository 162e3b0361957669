// The linear solver on a CUDA device gives the result of the CPU, and the same bits in every run.
#include "tomography/gauss_newton/linear_step.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "../thread_ranks.hpp"
#include "../tomography/inversion_surveys.hpp"
#include "core/device.hpp"
#include "executions.hpp"
#include "model/makers.hpp"
#include "tomography/gauss_newton/dealt_rows.hpp"

namespace fermat {
namespace {

using Vector = std::vector<double>;

class CudaStepSolver : public ::testing::Test {
  protected:
    void SetUp() override {
        if (device_count() == 0) GTEST_SKIP() << "no CUDA device";
    }
};

Vector random_vector(std::size_t size, unsigned seed) {
    std::mt19937 engine(seed);
    std::normal_distribution<double> normal;
    Vector values(size);
    for (double& value : values) value = normal(engine);
    return values;
}

constexpr std::size_t picks = 4000;

std::vector<RowLot> lots_of(std::size_t columns, int rank, int size) {
    std::vector<RowLot> lots(3);
    std::mt19937 engine(7);
    for (std::size_t r = 0; r < picks; ++r) {
        const bool mine = static_cast<int>(r / 10) % size == rank;
        RowLot& lot = lots[r % 3];
        if (mine) lot.picks.push_back(static_cast<std::int32_t>(r));
        for (std::size_t c = engine() % columns; c < columns; c += 1 + engine() % 40) {
            const auto value = static_cast<float>(1 + engine() % 100) / 50;
            if (!mine) continue;
            lot.rows.column.push_back(static_cast<std::int32_t>(c));
            lot.rows.value.push_back(value);
        }
        if (mine) lot.rows.start.push_back(static_cast<std::int64_t>(lot.rows.column.size()));
    }
    return lots;
}

Vector weights_of_picks() {
    Vector weights;
    for (std::size_t r = 0; r < picks; ++r) {
        weights.push_back(r % 13 == 0 ? 0 : 1 + static_cast<double>(r % 4));
    }
    return weights;
}

/// A model with a hill of air, so the unknowns do not fill their grid.
Model hilly_model() {
    const Grid grid{{30, 12, 17}, {0, 0, 0}, {0.5, 1, 0.25}};
    Field<float> velocity(grid.shape, 2.0F);
    for (int i = 0; i < 9; ++i) {
        for (int j = 0; j < 12; ++j) {
            for (int k = 0; k < 5 - i / 2; ++k) velocity(i, j, k) = 0;
        }
    }
    return Model(grid, std::move(velocity));
}

TEST_F(CudaStepSolver, ProductsHaveTheBitsOfTheCpu) {
    constexpr std::size_t columns = 5000;
    const DealtRows cpu(lots_of(columns, 0, 1), weights_of_picks(), columns, serial_ranks());
    const DealtRows cuda(lots_of(columns, 0, 1), weights_of_picks(), columns, serial_ranks(),
                         RowPlace::cuda);
    EXPECT_EQ(cpu.trace(), cuda.trace());
    const Vector x = random_vector(columns, 1);
    const Vector y = random_vector(picks, 2);
    Vector a(picks);
    Vector b(picks);
    cpu.times(x, a, 2);
    cuda.times(x, b, 2);
    for (std::size_t r = 0; r < picks; ++r) ASSERT_NEAR(a[r], b[r], 1e-10);
    Vector c(columns);
    Vector d(columns);
    cpu.transposed_times(y, c, 2);
    cuda.transposed_times(y, d, 2);
    EXPECT_EQ(c, d);
    cpu.column_squares(c, 2);
    cuda.column_squares(d, 2);
    EXPECT_EQ(c, d);
}

TEST_F(CudaStepSolver, FindsTheStepOfTheCpuAndRepeatsItsBits) {
    const Model model = hilly_model();
    const Unknowns unknowns(model, {1, 1, 1});
    const std::size_t grid = unknowns.size();
    for (const Regularisation kind :
         {Regularisation::first, Regularisation::second, Regularisation::blocky}) {
        for (const std::size_t terms : {0U, 3U}) {
            Roughness roughness(unknowns, {kind, {1, 1, 0.5}, 0});
            roughness.reweight(random_vector(grid, 3));
            const std::size_t columns = grid + terms;
            const Vector right = random_vector(columns, 4);
            const SolveLimits tight{1e-10, 2000};
            StepSolver solver(unknowns, roughness, 2, Vector(terms, 0.5));
            const DealtRows cpu(lots_of(columns, 0, 1), weights_of_picks(), columns,
                                serial_ranks());
            const DealtRows cuda(lots_of(columns, 0, 1), weights_of_picks(), columns,
                                 serial_ranks(), RowPlace::cuda);
            const LinearSolution wanted = solver.solve(cpu, right, 30, tight);
            const LinearSolution found = solver.solve(cuda, right, 30, tight);
            const LinearSolution again = solver.solve(cuda, right, 30, tight);
            ASSERT_TRUE(wanted.converged);
            ASSERT_TRUE(found.converged);
            EXPECT_EQ(found.d, again.d);
            double largest = 0;
            for (const double value : wanted.d) largest = std::max(largest, std::abs(value));
            for (std::size_t u = 0; u < columns; ++u) {
                ASSERT_NEAR(found.d[u], wanted.d[u], 1e-6 * largest) << name_of(kind) << " " << u;
            }
        }
    }
}

TEST_F(CudaStepSolver, RanksShareRowsOnDevices) {
    constexpr std::size_t columns = 5000;
    const DealtRows one(lots_of(columns, 0, 1), weights_of_picks(), columns, serial_ranks(),
                        RowPlace::cuda);
    Vector wanted(columns);
    one.transposed_times(random_vector(picks, 2), wanted, 1);
    test::on_ranks(2, [&](Ranks& ranks) {
        DealtRows rows(lots_of(columns, ranks.rank(), 2), weights_of_picks(), columns, ranks,
                       RowPlace::cuda);
        EXPECT_EQ(rows.on_device(), nullptr);
        rows.while_served(1, [&] {
            Vector found(columns);
            rows.transposed_times(random_vector(picks, 2), found, 1);
            EXPECT_EQ(found, wanted);
        });
    });
}

TEST_F(CudaStepSolver, InversionsOnTheDeviceExplainThePicksAndRepeatTheirBits) {
    const test::KnownTruth survey = test::survey_3d();
    InversionOptions options;
    options.method = InversionMethod::gauss_newton;
    options.target_rms = 0.01;
    const InversionResult one = invert(survey.start, survey.picks, options, test::on_gpu());
    const InversionResult two = invert(survey.start, survey.picks, options, test::on_gpu());
    EXPECT_LE(one.history.back().misfit.rms, 0.0101);
    EXPECT_TRUE(test::same_bits(one, two));
}

}  // namespace
}  // namespace fermat
