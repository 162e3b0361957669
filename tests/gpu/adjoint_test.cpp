// The adjoint on a CUDA device against the CPU's: 2-D and 3-D, both orders, air, sources between
// nodes, objectives on nodes and at receivers.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "core/device.hpp"
#include "eikonal/adjoint/adjoint.hpp"
#include "executions.hpp"
#include "random_case.hpp"

namespace fermat {
namespace {

class GpuAdjoint : public testing::Test {
  protected:
    void SetUp() override {
        if (device_count() == 0) GTEST_SKIP() << "this machine has no CUDA device";
    }
};

double difference(const Field<double>& a, const Field<double>& b) {
    double off = 0;
    double size = 0;
    for (std::size_t n = 0; n < a.size(); ++n) {
        off += (a[n] - b[n]) * (a[n] - b[n]);
        size += a[n] * a[n];
    }
    return std::sqrt(off / size);
}

void compare(const Model& model, std::vector<PointSource> sources, int order, bool at_nodes,
             bool at_receivers, double tolerance) {
    const Grid& grid = model.grid();
    std::mt19937 random(7);
    std::uniform_real_distribution<double> uniform(0, 1);
    std::vector<Vec3> receivers;
    while (at_receivers && receivers.size() < 40) {
        Vec3 p = grid.origin;
        const Vec3 size = grid.extent();
        for (int axis = 0; axis < 3; ++axis) p[axis] += uniform(random) * size[axis];
        receivers.push_back(p);
    }
    EikonalOptions options;
    options.order = order;
    const AdjointSurvey survey(model, {}, std::move(sources), receivers, options);
    Field<double> by_nodes(grid.shape);
    for (double& by : by_nodes) by = 0.5 + uniform(random);
    TimeObjective objective;
    if (at_nodes) {
        objective.nodes = [&](std::size_t) { return FieldView<const double>(by_nodes); };
    }
    if (at_receivers) {
        objective.receivers = [&](std::size_t source, std::span<const double> times,
                                  std::span<double> by) {
            for (std::size_t r = 0; r < times.size(); ++r) {
                by[r] = std::isfinite(times[r]) ? times[r] + static_cast<double>(source) : 0;
            }
        };
    }
    const AdjointGradient cpu = adjoint(survey, objective, test::on_cpu(0));
    const AdjointGradient gpu = adjoint(survey, objective, test::on_gpu());
    const AdjointGradient again = adjoint(survey, objective, test::on_gpu());
    EXPECT_LE(difference(cpu.slowness, gpu.slowness), tolerance);
    EXPECT_EQ(difference(again.slowness, gpu.slowness), 0);
    objective.by_position = false;
    EXPECT_EQ(difference(adjoint(survey, objective, test::on_gpu()).slowness, gpu.slowness), 0);
    for (std::size_t n = 0; n < cpu.sources.size(); ++n) {
        EXPECT_NEAR(gpu.start_times[n], cpu.start_times[n], 1e-5 * std::abs(cpu.start_times[n]));
        EXPECT_LE(norm(gpu.sources[n] - cpu.sources[n]),
                  tolerance * (norm(cpu.sources[n]) + std::abs(cpu.start_times[n])));
    }
    for (std::size_t r = 0; r < receivers.size(); ++r) {
        EXPECT_LE(norm(gpu.receivers[r] - cpu.receivers[r]),
                  tolerance * (1 + norm(cpu.receivers[r])));
    }
}

TEST_F(GpuAdjoint, IsThatOfTheCpuInSmoothMedia) {
    for (const int order : {1, 2}) {
        for (const bool at_nodes : {true, false}) {
            const Model flat = gradient_model({{201, 1, 133}, {1, 0, 2}, {0.1, 1, 0.12}}, 2, 0.3);
            compare(flat, {{{6.03, 0, 5.1}, 0}, {{20, 0, 2}, 1}}, order, at_nodes, !at_nodes, 1e-3);
            const Model full = gradient_model({{65, 49, 57}, {}, {0.1, 0.12, 0.09}}, 2, 0.3);
            compare(full, {{{3.03, 2.2, 1.1}, 0}, {{0, 0, 0}, 1}}, order, at_nodes, !at_nodes,
                    1e-3);
        }
    }
}

TEST_F(GpuAdjoint, IsThatOfTheCpuInRoughMediaWithAir) {
    for (unsigned seed = 0; seed < 12; ++seed) {
        const auto c = test::random_case(seed, 2 + static_cast<int>(seed % 2), {9, 200, 50, 9});
        // Where fronts collide, rounding decides from which one a node is made, and all that the
        // other one has passed through gets nothing of it.
        compare(c.model, {{c.source, 0.5}}, 1, true, true, 3e-2);
        compare(c.model, {{c.source, 0.5}}, 2, true, true, 1e-1);
    }
}

TEST_F(GpuAdjoint, ManySourcesAreAddedInTheirOrder) {
    const Model model = gradient_model({{97, 1, 65}, {}, {0.1, 1, 0.1}}, 2, 0.3);
    std::vector<PointSource> sources;
    for (int n = 0; n < 300; ++n) sources.push_back({{0.031 * n, 0, 0.02 * n}, 0.1 * n});
    compare(model, sources, 2, false, true, 2e-4);
}

/// So many tiles go by their order, few in passes.
TEST_F(GpuAdjoint, IsThatOfTheCpuWithManyTiles) {
    const Model model = gradient_model({{65, 65, 65}, {}, {0.1, 0.1, 0.1}}, 2, 0.3);
    std::mt19937 random(3);
    std::uniform_real_distribution<double> uniform(0, 6.4);
    std::vector<PointSource> sources;
    for (int n = 0; n < 150; ++n) {
        sources.push_back({{uniform(random), uniform(random), uniform(random)}, 0});
    }
    compare(model, sources, 2, false, true, 1e-3);
    sources.resize(140);
    compare(model, sources, 2, true, false, 1e-3);
}

TEST_F(GpuAdjoint, RefusesWhatIsNotFinite) {
    const Model model = gradient_model({{33, 1, 33}, {}, {0.1, 1, 0.1}}, 2, 0.3);
    const AdjointSurvey survey(model, {}, {{{1, 0, 1}, 0}}, {}, {});
    Field<double> by(model.grid().shape, 1.0);
    by[77] = NAN;
    TimeObjective objective;
    objective.nodes = [&](std::size_t) { return FieldView<const double>(by); };
    EXPECT_THROW(adjoint(survey, objective, test::on_gpu()), InputError);
}

}  // namespace
}  // namespace fermat
