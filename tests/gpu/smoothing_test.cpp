// Smoothing on a CUDA device gives the result of the CPU: both compute the same sums in the same
// order.
#include "tomography/smoothing/smoothing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/device.hpp"
#include "core/error.hpp"
#include "executions.hpp"
#include "expect_error.hpp"
#include "tomography/hole/update.hpp"
#include "tomography/smoothing/resident_cuda.hpp"

namespace fermat {
namespace {

class CudaSmoothing : public ::testing::Test {
  protected:
    void SetUp() override {
        if (device_count() == 0) GTEST_SKIP() << "no CUDA device";
    }
};

Field<double> random_field(Shape shape, unsigned seed, double low, double high) {
    std::mt19937_64 engine(seed);
    std::uniform_real_distribution<double> uniform(low, high);
    Field<double> field(shape);
    for (double& value : field) value = uniform(engine);
    return field;
}

void expect_close(const Field<double>& expected, const Field<double>& found,
                  const SmoothingSize& size) {
    for (std::size_t n = 0; n < expected.size(); ++n) {
        ASSERT_NEAR(found[n], expected[n], 1e-11) << to_string(size) << " element " << n;
    }
}

TEST_F(CudaSmoothing, AgreesWithTheCpu) {
    for (const Shape shape : {Shape{207, 77, 26}, Shape{61, 1, 40}, Shape{3, 5, 1}}) {
        const Field<double> values = random_field(shape, 1, -1, 1);
        const Field<double> coverage = random_field(shape, 2, 0, 5);
        for (const SmoothingSize size :
             {SmoothingSize{97, 25, 25}, {24, 12, 8}, {5, 3, 3}, {1, 1, 1}, {2, 1, 4}}) {
            for (const Smoother smoother : {Smoother::table, Smoother::running}) {
                const SmoothingOptions twice{smoother, 2};
                Field<double> expected = values.copy(), found = values.copy();
                smooth_vertices(expected.view(), size, twice, {}, test::on_cpu());
                smooth_vertices(found.view(), size, twice, {}, test::on_gpu());
                expect_close(expected, found, size);
                expected = values.copy();
                found = values.copy();
                smooth_cells(expected, coverage, size, twice, test::on_cpu());
                smooth_cells(found, coverage, size, twice, test::on_gpu());
                expect_close(expected, found, size);
            }
        }
    }
}

TEST_F(CudaSmoothing, RunningSumsForgetWhatLeftTheBox) {
    const Shape shape{300, 3, 40};
    Field<double> expected = random_field(shape, 13, 1e-9, 1e-8);
    for (int i = 0; i < 30; ++i) expected(i, i % 3, i % 7) = 1e300;
    Field<double> found = expected.copy();
    smooth_vertices(expected.view(), {11, 3, 5}, {Smoother::basic}, {}, test::on_cpu());
    smooth_vertices(found.view(), {11, 3, 5}, {Smoother::running}, {}, test::on_gpu());
    for (std::size_t n = 0; n < found.size(); ++n) ASSERT_NEAR(found[n] / expected[n], 1, 1e-12);
}

TEST_F(CudaSmoothing, OtherMethodsSayThatTheyAreOfTheCpu) {
    Field<double> values({4, 4, 4}, 1.0);
    test::expect_error<InputError>(
        [&] {
            smooth_vertices(values.view(), {3, 3, 3}, {Smoother::basic}, {}, test::on_gpu());
        },
        "smoother 'basic' computes on the CPU");
}

TEST_F(CudaSmoothing, WhatStaysOnTheDeviceGivesTheCallsOfTheHost) {
    const Grid grid{{41, 23, 12}, {}, {1, 1, 1}};
    const Field<double> perturbations = random_field(grid.cell_shape(), 3, -1, 1);
    const Field<double> coverage = random_field(grid.cell_shape(), 4, 0, 5);
    const SmoothingSize cell{12, 6, 4}, vertex{13, 7, 5};
    for (const Smoother smoother : {Smoother::table, Smoother::running}) {
        Field<double> cells = perturbations.copy();
        smooth_cells(cells, coverage, cell, {smoother}, test::on_gpu());
        Field<double> spread = cells_to_nodes(grid, cells, cell);
        Field<double> nodes = spread.copy();
        smooth_vertices(nodes.view(), vertex, {smoother}, {}, test::on_gpu());

        ResidentSmoothing resident(grid.cell_shape(), grid.shape, smoother);
        const auto fill = [](FieldView<double> place, const Field<double>& values) {
            std::copy(values.begin(), values.end(), place.begin());
        };
        const auto expect_equal = [](const Field<double>& expected, FieldView<double> found) {
            for (std::size_t n = 0; n < expected.size(); ++n) ASSERT_EQ(found[n], expected[n]) << n;
        };
        for (int iteration = 0; iteration < 2; ++iteration) {
            fill(resident.perturbations(), perturbations);
            fill(resident.coverage(), coverage);
            resident.smooth_both(cell, vertex);
            expect_equal(nodes, resident.nodes());
            resident.smooth_cells(cell);
            expect_equal(cells, resident.perturbations());
            fill(resident.nodes(), spread);
            resident.smooth_vertices(vertex);
            expect_equal(nodes, resident.nodes());
        }
    }
}

TEST_F(CudaSmoothing, KernelsTellHowTheyFillTheDevice) {
    for (const Smoother smoother : {Smoother::table, Smoother::running}) {
        for (const KernelProfile& kernel : cell_kernels(smoother, {206, 76, 25})) {
            EXPECT_GT(kernel.registers, 0) << kernel.kernel;
            EXPECT_GT(kernel.blocks, 0) << kernel.kernel;
            EXPECT_GT(kernel.occupancy(), 0) << kernel.kernel;
            EXPECT_LE(kernel.occupancy(), 1) << kernel.kernel;
        }
    }
}

}  // namespace
}  // namespace fermat
