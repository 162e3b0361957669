// Gradients in curved coordinates and anisotropic media on a CUDA device: by Taylor tests, and
// against the CPU's, which solve the same equations to rounding.
#include "eikonal/adjoint/metric_adjoint.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/device.hpp"
#include "core/error.hpp"
#include "executions.hpp"
#include "expect_error.hpp"
#include "metric_taylor.hpp"
#include "survey/survey.hpp"
#include "tomography/adjoint/pick_gradient.hpp"

namespace fermat {
namespace {

using test::expect_taylor;
using test::MetricCase;
using test::on_cpu;
using test::on_gpu;

class GpuMetricAdjoint : public testing::Test {
  protected:
    void SetUp() override {
        if (device_count() == 0) GTEST_SKIP() << "this machine has no CUDA device";
    }
};

template <class Values>
void expect_close(const Values& found, const Values& wanted, const char* what) {
    constexpr double tolerance = 1e-9;
    ASSERT_EQ(found.size(), wanted.size()) << what;
    double size = 0;
    double off = 0;
    for (std::size_t n = 0; n < wanted.size(); ++n) {
        ASSERT_EQ(std::isfinite(found[n]), std::isfinite(wanted[n])) << what << ' ' << n;
        if (!std::isfinite(wanted[n])) continue;
        size = std::max(size, std::abs(wanted[n]));
        off = std::max(off, std::abs(found[n] - wanted[n]));
    }
    EXPECT_LE(off, tolerance * size) << what;
}

std::vector<double> numbers_of(const std::vector<Vec3>& points) {
    std::vector<double> out;
    for (const Vec3 p : points) out.insert(out.end(), {p.x, p.y, p.z});
    return out;
}

/// By T0's closed form through central differences, which round.
constexpr double by_differences = 1e-6;

void expect_as_on_cpu(const MetricCase& c, int order) {
    const Model model = test::model_of(c);
    std::vector<PointSource> sources = {c.source, c.source};
    const Grid& grid = model.grid();
    Vec3 place = grid.position({grid.shape.x - 4, grid.shape.y / 2, 2});
    for (const int axis : {0, 2}) place[axis] += 0.3 * grid.spacing[axis];
    sources[1].position = model.mapping().to_user(place);
    sources[1].start_time = 0.25;
    const EikonalOptions options{Solver::fim, order};
    const MetricTimes on_host(model, {}, sources, c.receivers, options, on_cpu());
    const MetricTimes on_card(model, {}, sources, c.receivers, options, on_gpu());
    ASSERT_TRUE(on_card.on_device());
    const Shape shape = c.grid.shape;
    std::vector<std::shared_ptr<const MetricTimes::Solved>> kept;
    for (std::size_t n = 0; n < sources.size(); ++n) {
        Field<double> wanted(shape);
        Field<double> found(shape);
        on_host.write_times(*on_host.solve(n, on_cpu()), wanted);
        kept.push_back(on_card.solve(n, on_gpu()));
        on_card.write_times(*kept.back(), found);
        expect_close(found, wanted, "times");
    }
    const Field<float> relief = test::relief(shape, 0, 1, 9);
    Field<double> by_times(shape);
    std::copy(relief.begin(), relief.end(), by_times.begin());
    const std::vector<double> pull(c.receivers.size(), 0.7);
    const auto derive = [&](std::size_t, const MetricTimes::Solved&) {
        return TimeDerivatives{by_times, pull};
    };
    const AdjointGradient wanted = on_host.gradient({}, derive, true, on_cpu());
    const AdjointGradient found = on_card.gradient({}, derive, true, on_gpu());
    EXPECT_EQ(found.unsettled, 0);
    expect_close(found.slowness, wanted.slowness, "slowness");
    expect_close(numbers_of(found.receivers), numbers_of(wanted.receivers), "receivers");
    expect_close(found.start_times, wanted.start_times, "start times");
    for (std::size_t n = 0; n < sources.size(); ++n) {
        EXPECT_LE(norm(found.sources[n] - wanted.sources[n]),
                  by_differences * norm(wanted.sources[n]));
    }
    ASSERT_EQ(found.anisotropy.size(), wanted.anisotropy.size());
    for (std::size_t k = 0; k < found.anisotropy.size(); ++k) {
        double size = 0;
        double off = 0;
        for (std::size_t n = 0; n < shape.count(); ++n) {
            size = std::max(size, std::abs(wanted.anisotropy[k][n]));
            off = std::max(off, std::abs(found.anisotropy[k][n] - wanted.anisotropy[k][n]));
        }
        EXPECT_LE(off, by_differences * size) << "anisotropy " << k;
    }
    // Kept fields and another run give the same bits.
    const AdjointGradient again = on_card.gradient(kept, derive, true, on_gpu());
    for (std::size_t n = 0; n < shape.count(); ++n) {
        ASSERT_EQ(again.slowness[n], found.slowness[n]);
    }
}

TEST_F(GpuMetricAdjoint, RemaindersFallAsTheSquareOnASphere) {
    expect_taylor(test::sphere(), 2, on_gpu());
}

TEST_F(GpuMetricAdjoint, RemaindersFallAsTheSquareBelowAHill) {
    for (const int order : {1, 2}) expect_taylor(test::hill(), order, on_gpu());
}

TEST_F(GpuMetricAdjoint, RemaindersFallAsTheSquareInThomsensMedium) {
    for (const int order : {1, 2}) {
        expect_taylor(test::flat_thomsen(), order, on_gpu());
        expect_taylor(test::solid_thomsen(order == 2), order, on_gpu());
    }
}

TEST_F(GpuMetricAdjoint, RemaindersFallAsTheSquareWhereAxesCouple) {
    for (const int order : {1, 2}) expect_taylor(test::solid_tensor(), order, on_gpu());
}

TEST_F(GpuMetricAdjoint, IsThatOfTheCpu) {
    for (const int order : {1, 2}) {
        expect_as_on_cpu(test::sphere(), order);
        expect_as_on_cpu(test::hill(), order);
        expect_as_on_cpu(test::tunnel(), order);
        expect_as_on_cpu(test::flat_thomsen(), order);
        expect_as_on_cpu(test::solid_thomsen(order == 2), order);
        expect_as_on_cpu(test::solid_tensor(), order);
    }
}

/// Smooth ones: where fronts collide, the equations have more than one solution, and the fields of
/// single precision that both devices begin with may lead to different ones.
TEST_F(GpuMetricAdjoint, IsThatOfTheCpuOnLargeGrids) {
    MetricCase sphere = test::sphere();
    sphere.grid = {{65, 57, 49}, {39.5, 9.5, 0}, {0.03, 0.04, 1.6}};
    sphere.smoothness = 5;
    expect_as_on_cpu(sphere, 2);
}

TEST_F(GpuMetricAdjoint, GradientsOfPicksAreThoseOfTheCpu) {
    const MetricCase c = test::sphere();
    const Model model = test::model_of(c);
    const std::vector<PointSource> sources = {c.source, {{39.81, 11.1, 31}, 1}, {{41, 9.9, 50}, 2}};
    const Survey survey = survey_of(sources, c.receivers);
    const auto pull = [](std::size_t pick, double time) {
        return time - static_cast<double>(pick);
    };
    const PickGradient wanted = pick_gradient(model, survey, pull, {}, on_cpu());
    const PickGradient found = pick_gradient(model, survey, pull, {}, on_gpu());
    expect_close(found.time, wanted.time, "times");
    expect_close(found.samples, wanted.samples, "slowness");
}

TEST_F(GpuMetricAdjoint, RowsOfJumpsAreRefused) { test::expect_jumps_refused(on_gpu()); }

}  // namespace
}  // namespace fermat
