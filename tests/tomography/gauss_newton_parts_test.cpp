#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <tuple>
#include <vector>

#include "model/makers.hpp"
#include "tomography/gauss_newton/bounds.hpp"
#include "tomography/gauss_newton/cooling.hpp"
#include "tomography/gauss_newton/dealt_rows.hpp"
#include "tomography/gauss_newton/linear_step.hpp"
#include "tomography/gauss_newton/parameters.hpp"
#include "tomography/gauss_newton/pick_weights.hpp"
#include "tomography/gauss_newton/shorter_step.hpp"
#include "tomography/random_vector.hpp"

namespace fermat {
namespace {

using Vector = std::vector<double>;
using test::random_vector;

double dot(const Vector& a, const Vector& b) {
    double sum = 0;
    for (std::size_t n = 0; n < a.size(); ++n) sum += a[n] * b[n];
    return sum;
}

/// A model with a hill of air in it.
Model hilly_model() {
    const Grid grid{{14, 1, 9}, {0, 0, 0}, {0.5, 1, 0.25}};
    Field<float> velocity(grid.shape, 2.0F);
    for (int i = 0; i < 5; ++i) {
        for (int k = 0; k < 4 - i / 2; ++k) velocity(i, 0, k) = 0;
    }
    return Model(grid, std::move(velocity));
}

TEST(Unknowns, WeightsOfEachSampleAddUpToOneAndReachOnlyUnknowns) {
    for (const Index3 ratio : {Index3{1, 1, 1}, Index3{2, 1, 3}, Index3{4, 1, 2}}) {
        const Model model = hilly_model();
        const Unknowns unknowns(model, ratio);
        const auto velocity = model.given();
        for (std::size_t n = 0; n < velocity.size(); ++n) {
            if (velocity[n] == 0) continue;
            double sum = 0;
            unknowns.for_each_of_sample(n, [&](std::size_t u, double weight) {
                ASSERT_LT(u, unknowns.size());
                sum += weight;
            });
            EXPECT_NEAR(sum, 1, 1e-12);
        }
    }
}

TEST(Unknowns, AirHasNone) {
    const Model model = hilly_model();
    const Unknowns unknowns(model, {1, 1, 1});
    std::size_t rock = 0;
    for (const float v : model.given()) rock += v > 0;
    EXPECT_EQ(unknowns.size(), rock);
}

TEST(Unknowns, CellsAreSampledAtTheirMiddles) {
    const Grid grid{{5, 1, 4}, {0, 0, 0}, {1, 1, 1}};
    const Model model = constant_model(grid, 2, Placement::cells);
    const Unknowns unknowns(model, {1, 1, 1});
    int corners = 0;
    unknowns.for_each_of_sample(0, [&](std::size_t, double weight) {
        EXPECT_DOUBLE_EQ(weight, 0.25);
        ++corners;
    });
    EXPECT_EQ(corners, 4);
}

TEST(VelocityBounds, TransformAndItsSlopeAgreeWithDifferences) {
    const VelocityBounds bounds(300, 6000);
    for (const double v : {301.0, 400.0, 1300.0, 5000.0, 5990.0}) {
        const double u = bounds.unknown_of(-std::log(v));
        EXPECT_NEAR(std::exp(-bounds.log_slowness_of(u)), v, 1e-9 * v);
        const double step = 1e-5;
        const double slope =
            (bounds.log_slowness_of(u + step) - bounds.log_slowness_of(u - step)) / (2 * step);
        EXPECT_NEAR(bounds.slope_at(u), slope, 1e-6);
    }
    EXPECT_GT(std::exp(-bounds.log_slowness_of(-50)), 5999);
    EXPECT_LE(std::exp(-bounds.log_slowness_of(-50)), 6000 * (1 + 1e-12));
}

TEST(Parameters, ZeroIsTheStartModelAndSlopesAreDerivatives) {
    const Model start = gradient_model(Grid{{9, 1, 7}, {0, 0, 0}, {1, 1, 1}}, 2, 0.3);
    const Parameters parameters(start, {2, 1, 3}, VelocityBounds(1, 9));
    Vector x(parameters.unknowns().size(), 0.0);
    const Model same = parameters.model_of(x, 1);
    for (std::size_t n = 0; n < same.given().size(); ++n) {
        EXPECT_NEAR(same.given()[n], start.given()[n], 2e-7 * start.given()[n]);
    }
    x = random_vector(x.size(), 5);
    const auto slopes = parameters.slopes_at(x, 1);
    // All unknowns up by e: every sample's slowness grows by its slope times e.
    constexpr double e = 1e-3;
    Vector more = x;
    for (double& value : more) value += e;
    const Model before = parameters.model_of(x, 1);
    const Model after = parameters.model_of(more, 1);
    for (std::size_t n = 0; n < slopes.size(); ++n) {
        const double change = 1.0 / after.given()[n] - 1.0 / before.given()[n];
        EXPECT_NEAR(change, e * slopes[n], 2e-3 * e * slopes[n] + 2e-7 / before.given()[n]);
    }
}

class RoughnessOf : public testing::TestWithParam<Regularisation> {};

TEST_P(RoughnessOf, IsSymmetricNotNegativeAndHasItsTrace) {
    const Unknowns unknowns(hilly_model(), {2, 1, 1});
    Roughness roughness(unknowns, {GetParam(), {1, 1, 0.5}, 0, 2.0});
    const std::size_t n = unknowns.size();
    roughness.reweight(random_vector(n, 1));
    const Vector a = random_vector(n, 2);
    const Vector b = random_vector(n, 3);
    Vector ra(n);
    Vector rb(n);
    roughness.apply(a, ra, 1);
    roughness.apply(b, rb, 2);
    EXPECT_NEAR(dot(a, rb), dot(b, ra), 1e-9 * std::abs(dot(a, ra)));
    EXPECT_GT(dot(a, ra), 0);
    double trace = 0;
    for (std::size_t u = 0; u < n; ++u) {
        Vector unit(n, 0.0);
        unit[u] = 1;
        roughness.apply(unit, ra, 1);
        trace += ra[u];
    }
    EXPECT_NEAR(roughness.trace(), trace, 1e-9 * trace);
}

TEST_P(RoughnessOf, IsTheInverseOfTheSpectralSolverOnAFullGrid) {
    if (GetParam() == Regularisation::blocky) GTEST_SKIP() << "its weights are not constant";
    const Model model = constant_model(Grid{{7, 5, 6}, {0, 0, 0}, {1, 2, 0.5}}, 2);
    const Unknowns unknowns(model, {1, 1, 1});
    const Roughness roughness(unknowns, {GetParam(), {1, 0.7, 0.5}, 0});
    SpectralSolver spectral(unknowns, roughness);
    const Vector x = random_vector(unknowns.size(), 4);
    Vector product(x.size());
    roughness.apply(x, product, 1);
    for (std::size_t n = 0; n < x.size(); ++n) product[n] = 3 * product[n] + 0.1 * x[n];
    Vector back(x.size());
    spectral.solve(product, back, 3, 0.1, 1);
    for (std::size_t n = 0; n < x.size(); ++n) EXPECT_NEAR(back[n], x[n], 1e-8);
}

/// One strong bend costs less than as much curvature in many weak ones; as much in 3-D and where
/// weights differ along the axes.
TEST(Roughness, OfSecondOrderForgivesStrongBendsInThePlane) {
    for (const auto& [across, deep, forgives] :
         {std::tuple{1, 1.0, true}, {6, 1.0, false}, {1, 0.5, false}}) {
        const Model model = constant_model(Grid{{20, across, 16}, {0, 0, 0}, {1, 1, 1}}, 2);
        const Unknowns unknowns(model, {1, 1, 1});
        Roughness roughness(unknowns, {Regularisation::second, {1, 1, deep}, 0});
        const Vector weak = random_vector(unknowns.size(), 6);
        Vector strong(unknowns.size(), 0.0);
        strong[unknowns.size() / 2] = 30;
        Vector both = weak;
        for (std::size_t u = 0; u < both.size(); ++u) both[u] += strong[u];
        const auto cost = [&](const Vector& x) {
            Vector out(x.size());
            roughness.apply(x, out, 1);
            return dot(x, out);
        };
        const double before = cost(strong) / cost(weak);
        roughness.reweight(both);
        const double after = cost(strong) / cost(weak);
        if (forgives) {
            EXPECT_LT(after, 0.5 * before);
        } else {
            EXPECT_EQ(after, before);
        }
        roughness.weigh_alike();
        EXPECT_EQ(cost(strong) / cost(weak), before);
        roughness.reweight(Vector(unknowns.size(), 0.0));  // a start model: nothing to go by
        EXPECT_EQ(cost(strong) / cost(weak), before);
    }
}

/// Without it a change that is the same at all depths costs no more at the ends than elsewhere.
TEST(Roughness, OfSecondOrderHoldsTheEndsOfDepthAsFirmlyAsAsked) {
    const Model model = constant_model(Grid{{8, 1, 40}, {0, 0, 0}, {1, 1, 0.5}}, 2);
    const Unknowns unknowns(model, {1, 1, 1});
    constexpr double length = 3;
    constexpr double firm = 1.5;
    RoughnessOptions options{Regularisation::second, {1, 1, 1}, {length, length, length}};
    const Roughness free(unknowns, options);
    options.end_damping = firm;
    const Roughness held(unknowns, options);
    const Vector level(unknowns.size(), 1.0);
    Vector without(level.size());
    Vector with(level.size());
    for (std::size_t u = 0; u < level.size(); ++u) {
        without[u] = free.stencil().apply_at(u, level.data());
        with[u] = held.stencil().apply_at(u, level.data());
    }
    constexpr double cell = 0.5;
    for (std::size_t u = 0; u < level.size(); ++u) {
        const bool at_end = u % 40 == 0 || u % 40 == 39;
        const double flux = at_end ? firm / length : 0.0;  // the slope, over a face of length 1
        EXPECT_NEAR(without[u], cell / (length * length), 1e-12);
        EXPECT_NEAR(with[u] - without[u], flux, 1e-12);
    }
    options.kind = Regularisation::first;
    Vector of_first(level.size());
    Roughness(unknowns, options).apply(level, of_first, 1);
    EXPECT_EQ(dot(of_first, of_first), 0.0);
}

INSTANTIATE_TEST_SUITE_P(Kinds, RoughnessOf,
                         testing::Values(Regularisation::first, Regularisation::second,
                                         Regularisation::blocky));

TEST(StepSolver, ZeroesTheGradientAndThreadsChangeNoBit) {
    const Unknowns unknowns(hilly_model(), {1, 1, 1});
    const Roughness roughness(unknowns, {Regularisation::first, {1, 1, 1}, 0});
    const std::size_t n = unknowns.size();
    constexpr std::size_t picks = 40;
    std::mt19937 engine(7);
    UnknownRows rows;
    for (std::size_t r = 0; r < picks; ++r) {
        for (std::size_t u = r % 3; u < n; u += 3 + r % 4) {
            rows.column.push_back(static_cast<std::int32_t>(u));
            rows.value.push_back(static_cast<float>(1 + engine() % 100) / 50);
        }
        rows.start.push_back(static_cast<std::int64_t>(rows.column.size()));
    }
    UnknownRows copy = rows;
    const Vector weights(picks, 2.0);
    const WeightedRows matrix(std::move(copy), weights, n);
    const Vector residual = random_vector(picks, 8);
    const Vector x = random_vector(n, 9);
    const StepWeights wanted{0.7, 0.2};
    StepSolver solver(unknowns, roughness, 1);
    const Vector d = solver.solve(matrix, residual, x, wanted);
    StepSolver threaded(unknowns, roughness, 3);
    EXPECT_EQ(threaded.solve(matrix, residual, x, wanted), d);

    // |gradient| of the objective after the step, against that before it.
    const auto gradient = [&](const Vector& step) {
        Vector along(picks);
        matrix.times(step, along, 1);
        for (std::size_t r = 0; r < picks; ++r) along[r] -= residual[r];
        Vector g(n);
        matrix.transposed_times(along, g, 1);
        Vector rough(n);
        roughness.apply(step, rough, 1);
        for (std::size_t u = 0; u < n; ++u) g[u] += (wanted.lambda + wanted.damping) * rough[u];
        roughness.apply(x, rough, 1);
        for (std::size_t u = 0; u < n; ++u) g[u] += wanted.lambda * rough[u];
        return std::sqrt(dot(g, g));
    };
    EXPECT_LT(gradient(d), 1e-2 * gradient(Vector(n, 0.0)));
}

TEST(PickWeights, FarPicksAreLeftOutAndOthersAreNot) {
    Vector z = random_vector(1000, 11);
    z[10] = 40;
    z[20] = -25;
    z[30] = std::nan("");
    const auto use = uses_of(z, 3);
    EXPECT_EQ(use[10], PickUse::rejected);
    EXPECT_EQ(use[20], PickUse::rejected);
    EXPECT_EQ(use[30], PickUse::lost);
    const auto rejected = std::count(use.begin(), use.end(), PickUse::rejected);
    EXPECT_LE(rejected, 2 + 10);
    EXPECT_NEAR(chi2_of(z, use), 1, 0.15);
}

TEST(PickWeights, ABadModelLeavesPicksInThatGoodErrorsWouldNot) {
    Vector z = random_vector(1000, 12);
    for (double& value : z) value *= 10;  // ten errors off on average
    const auto use = uses_of(z, 3);
    EXPECT_EQ(std::count(use.begin(), use.end(), PickUse::used), 1000);
}

TEST(Cooling, EndsBetweenTheTargetAndALittleLess) {
    // A medium whose chi2 is 0.6 + lambda / 10.
    Cooling cooling(1, false);
    cooling.start(1000);
    double chi2 = 500;
    cooling.accepted(chi2, true);
    for (int n = 0; n < 60 && cooling.phase() != Cooling::Phase::done; ++n) {
        const double next = 0.6 + cooling.lambda() / 10;
        if (cooling.admits(next)) {
            chi2 = next;
            cooling.accepted(chi2, true);
        } else {
            cooling.refused();
        }
    }
    EXPECT_EQ(cooling.phase(), Cooling::Phase::done);
    EXPECT_LE(chi2, 1);
    EXPECT_GE(chi2, 0.85);
}

TEST(ShorterStep, FindsThePartThatMeetsTheTarget) {
    // Along the step chi2 grows from 0.6 to 3 as a bent curve.
    const auto chi2_at = [](double part) { return 0.6 + 2.4 * std::pow(part, 3); };
    const std::vector<double> x{1, -1};
    ShorterStep shorter;
    EXPECT_FALSE(shorter.is_open());
    EXPECT_EQ(shorter.weight(10, 40), 40);
    std::vector<double> model{3, 3};
    double chi2 = chi2_at(1);
    for (int n = 0; n < 4 && chi2 > 1; ++n) {
        ASSERT_TRUE(shorter.shorten(x, model, 0.6, chi2, 1));
        model = shorter.from(x);
        EXPECT_NEAR((model[1] + 1) / 4, (model[0] - 1) / 2, 1e-12);
        chi2 = chi2_at((model[0] - 1) / 2);
    }
    EXPECT_LE(chi2, 1);
    EXPECT_GT(shorter.weight(10, 40), 10);
    EXPECT_LT(shorter.weight(10, 40), 40);
}

TEST(ShorterStep, AStepToARougherModelIsCutWhereItPassesTheTarget) {
    // Along the step chi2 falls from 1.5 to 0.5.
    const auto chi2_at = [](double part) { return 1.5 - part; };
    const std::vector<double> x{0};
    ShorterStep shorter;
    std::vector<double> model{1};
    for (int n = 0; n < 3 && shorter.shorten(x, model, 1.5, chi2_at(model[0]), 1); ++n) {
        model = shorter.from(x);
    }
    EXPECT_GE(chi2_at(model[0]), 0.95);
    EXPECT_LE(chi2_at(model[0]), 1.05);
    shorter.reset();
    EXPECT_FALSE(shorter.shorten(x, {1}, 1.5, 0.97, 1));  // close
    EXPECT_FALSE(shorter.shorten(x, {1}, 1.5, 1.2, 1));   // not there yet
}

TEST(ShorterStep, GivesUpAfterThreePartsAndWhereNoPartCanHelp) {
    const std::vector<double> x{0};
    ShorterStep shorter;
    for (int n = 0; n < 3; ++n) EXPECT_TRUE(shorter.shorten(x, {1}, 0.5, 9, 1));
    EXPECT_FALSE(shorter.shorten(x, {1}, 0.5, 9, 1));
    EXPECT_FALSE(shorter.is_open());
    shorter.reset();
    EXPECT_FALSE(shorter.shorten(x, {1}, 0.99, 9, 1));   // there already
    EXPECT_FALSE(shorter.shorten(x, {1}, 0.5, 0.4, 1));  // not misfit that was against it
}

TEST(Cooling, GivesUpWhereNothingHelps) {
    Cooling cooling(1, false);
    cooling.start(1000);
    for (int n = 0; n < 20 && cooling.phase() == Cooling::Phase::cooling; ++n) {
        cooling.accepted(7, true);
    }
    EXPECT_EQ(cooling.phase(), Cooling::Phase::stagnant);
}

TEST(Cooling, EndsWhereTheStartModelExplainsThePicksByItself) {
    Cooling cooling(1, false);
    cooling.start(1000);
    int models = 0;
    while (cooling.phase() != Cooling::Phase::done && models < 30) {
        cooling.accepted(0.1, true);
        ++models;
    }
    EXPECT_LT(models, 10);
}

TEST(Cooling, GoesOnFromWhatItSaved) {
    Cooling first(1, false);
    first.start(100);
    first.accepted(40, true);
    first.accepted(30, true);
    Cooling second(1, false);
    second.restore(first.save());
    first.accepted(8, true);
    second.accepted(8, true);
    EXPECT_EQ(first.lambda(), second.lambda());
    EXPECT_EQ(first.phase(), second.phase());
    EXPECT_EQ(first.save().last_chi2, second.save().last_chi2);
    EXPECT_EQ(first.save().relax_factor, second.save().relax_factor);
    EXPECT_EQ(first.save().slow, second.save().slow);
}

}  // namespace
}  // namespace fermat
