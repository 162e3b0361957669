// The adjoint of times in curved coordinates and anisotropic media, by Taylor tests.
#include "eikonal/adjoint/metric_adjoint.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <utility>

#include "core/error.hpp"
#include "executions.hpp"
#include "expect_error.hpp"
#include "metric_taylor.hpp"
#include "model/metric.hpp"

namespace fermat {
namespace {

using test::expect_taylor;
using test::on_cpu;

TEST(MetricAdjoint, RemaindersFallAsTheSquareOnASphere) {
    expect_taylor(test::sphere(), 2, on_cpu());
}

TEST(MetricAdjoint, RemaindersFallAsTheSquareBelowAHill) {
    for (const int order : {1, 2}) expect_taylor(test::hill(), order, on_cpu());
}

TEST(MetricAdjoint, RemaindersFallAsTheSquareInThomsensMedium) {
    for (const int order : {1, 2}) {
        expect_taylor(test::flat_thomsen(), order, on_cpu());
        expect_taylor(test::solid_thomsen(order == 2), order, on_cpu());
    }
}

TEST(MetricAdjoint, RowsOfJumpsAreRefused) { test::expect_jumps_refused(on_cpu()); }

}  // namespace
}  // namespace fermat
