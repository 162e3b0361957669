// The inversion by gradients of the adjoint, held against Gauss-Newton on the same picks.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <vector>

#include "../expect_error.hpp"
#include "../thread_ranks.hpp"
#include "core/error.hpp"
#include "executions.hpp"
#include "inversion_surveys.hpp"
#include "tomography/adjoint/lbfgs.hpp"

namespace fermat {
namespace {

InversionOptions by_gradients() {
    InversionOptions options;
    options.method = InversionMethod::adjoint;
    options.gauss_newton.roughness.kind = Regularisation::second;
    return options;
}

TEST(Lbfgs, FindsTheLeastPointOfAQuadraticForm) {
    // Half x^T (D + lambda R) x - b x, with R = 1 known and D seen through its gradients alone.
    const std::vector<double> data{1, 30, 4, 100, 0.5};
    const double lambda = 0.3;
    std::vector<double> x(5, 0.0);
    Lbfgs memory;
    const auto gradient = [&](const std::vector<double>& at) {
        std::vector<double> g(5);
        for (std::size_t n = 0; n < 5; ++n) g[n] = data[n] * at[n] - 1;
        return g;
    };
    for (int n = 0; n < 30; ++n) {
        std::vector<double> g = gradient(x);
        for (std::size_t u = 0; u < 5; ++u) g[u] += lambda * x[u];
        const auto way = memory.direction(
            g,
            [&](const auto& s) {
                std::vector<double> out = s;
                for (double& value : out) value *= lambda;
                return out;
            },
            [](const auto& r) {
                std::vector<double> out = r;
                for (double& value : out) value /= 20;
                return out;
            });
        double curvature = 0;
        for (std::size_t u = 0; u < 5; ++u) curvature += (data[u] + lambda) * way[u] * way[u];
        if (curvature == 0) break;
        const double length = -inner(way, g) / curvature;
        std::vector<double> next = x;
        for (std::size_t u = 0; u < 5; ++u) next[u] += length * way[u];
        Lbfgs::Pair pair{next, gradient(next)};
        const std::vector<double> before = gradient(x);
        for (std::size_t u = 0; u < 5; ++u) {
            pair.step[u] -= x[u];
            pair.change[u] -= before[u];
        }
        memory.remember(std::move(pair));
        x = next;
    }
    for (std::size_t u = 0; u < 5; ++u) EXPECT_NEAR(x[u], 1 / (data[u] + lambda), 1e-9);
}

TEST(AdjointInversion, ExplainsThePicksToTheirErrorsAndFindsTheTruth) {
    const test::KnownTruth survey = test::survey_2d(0.01);
    const InversionResult found =
        invert(survey.start, survey.picks, by_gradients(), test::on_cpu());
    EXPECT_EQ(found.reason, StopReason::target_chi2);
    EXPECT_LE(found.history.back().misfit.chi2, 1.0);
    EXPECT_GE(found.history.back().misfit.chi2, 0.8);
    const Recovery score = recovery(survey.start, survey.truth, found.model, found.coverage, 1);
    EXPECT_GT(score.correlation, 0.85);
    RecordProperty("passes", found.history.back().passes);
}

TEST(AdjointInversion, HasTheSameBitsForAnyNumberOfThreadsAndRanks) {
    const test::KnownTruth survey = test::survey_3d();
    InversionOptions options = by_gradients();
    options.target_rms = 0.01;
    options.gauss_newton.iterations = 3;
    const InversionResult one = invert(survey.start, survey.picks, options, test::on_cpu());
    for (const int size : {1, 3}) {
        std::optional<InversionResult> root;
        test::on_ranks(size, [&](Ranks& ranks) {
            InversionResult result = invert(survey.start, survey.picks, options,
                                            {.threads = 2, .device = Device::cpu, .ranks = ranks});
            if (ranks.is_root()) root.emplace(std::move(result));
        });
        EXPECT_TRUE(test::same_bits(one, *root)) << size;
    }
}

TEST(AdjointInversion, GoesOnFromAStateToTheSameBits) {
    const test::KnownTruth survey = test::survey_2d(0.01);
    InversionOptions options = by_gradients();
    options.gauss_newton.iterations = 5;
    std::optional<InversionState> middle;
    InversionListener listener;
    listener.update = [&](const InversionState& state) {
        if (state.history.size() != 4) return;
        middle = state.copy();
    };
    const InversionResult whole =
        invert(survey.start, survey.picks, options, test::on_cpu(), listener);
    ASSERT_TRUE(middle.has_value());
    EXPECT_TRUE(test::same_bits(
        whole, invert(survey.start, survey.picks, options, test::on_cpu(), {}, std::move(middle))));
}

TEST(AdjointInversion, RefusesWhatItDoesNotKnow) {
    const test::KnownTruth survey = test::survey_2d(0.01);
    InversionOptions options = by_gradients();
    options.gauss_newton.terms = Terms::shot;
    const auto run = [&] { invert(survey.start, survey.picks, options, test::on_cpu()); };
    test::expect_error<InputError>(run, "terms is 'shot' and the method is 'adjoint'");
    options = by_gradients();
    options.eikonal.solver = Solver::vidale;
    test::expect_error<InputError>(run, "solver 'vidale' has no adjoint");
}

}  // namespace
}  // namespace fermat
