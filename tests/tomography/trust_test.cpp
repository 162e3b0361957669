#include "tomography/trust/trust.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <cstring>
#include <random>

#include "core/random_stream.hpp"
#include "executions.hpp"
#include "inversion_surveys.hpp"
#include "thread_ranks.hpp"
#include "tomography/gauss_newton/gauss_newton.hpp"
#include "tomography/trust/dense_inverse.hpp"
#include "tomography/trust/estimates.hpp"
#include "tomography/trust/linear_problem.hpp"
#include "tomography/trust/prior.hpp"

namespace fermat {
namespace {

using Vector = std::vector<double>;
using Matrix = Eigen::MatrixXd;

struct Case {
    test::KnownTruth survey;
    InversionOptions options;
    FoundModel found;

    LinearProblem problem(const Execution& execution = test::on_cpu(2)) const {
        return {survey.start, survey.picks, options, found, execution};
    }
};

Case make_case(Regularisation kind, Index3 ratio = {2, 1, 2}, int threads = 2) {
    Case out{test::survey_2d(0.004), {}, {}};
    out.options.method = InversionMethod::gauss_newton;
    out.options.gauss_newton.roughness.kind = kind;
    out.options.gauss_newton.ratio = ratio;
    out.options.update.min_velocity = 0.5;
    out.options.update.max_velocity = 10;
    const InversionResult result =
        invert(out.survey.start, out.survey.picks, out.options, test::on_cpu(threads));
    out.found = found_model(result, serial_ranks());
    return out;
}

/// The problem's matrices, asked for column by column.
struct Dense {
    Matrix a;
    Matrix r;
    Matrix prior;       ///< of deviations, by its weight
    Matrix covariance;  ///< by that prior
    Matrix resolution;
    Matrix spread;  ///< from unknowns to samples

    explicit Dense(const LinearProblem& problem) {
        const auto n = static_cast<Eigen::Index>(problem.size());
        const auto rows = static_cast<Eigen::Index>(problem.rows().rows());
        const auto samples = static_cast<Eigen::Index>(problem.model().given().size());
        a.resize(rows, n);
        r.resize(n, n);
        prior.resize(n, n);
        spread.resize(samples, n);
        Vector unit(problem.size(), 0.0);
        Vector along(problem.rows().rows());
        Vector rough(problem.size());
        for (Eigen::Index u = 0; u < n; ++u) {
            unit[static_cast<std::size_t>(u)] = 1;
            problem.rows().times(unit, along, 1);
            problem.roughness().apply(unit, rough, 1);
            Vector field(problem.size());
            problem.prior().apply(unit, field, 1);
            const Vector on_samples = problem.on_samples(unit, 1);
            unit[static_cast<std::size_t>(u)] = 0;
            a.col(u) = Eigen::Map<Eigen::VectorXd>(along.data(), rows);
            r.col(u) = Eigen::Map<Eigen::VectorXd>(rough.data(), n);
            prior.col(u) = Eigen::Map<Eigen::VectorXd>(field.data(), n);
            spread.col(u) = Eigen::Map<const Eigen::VectorXd>(on_samples.data(), samples);
        }
        const Matrix normal = a.transpose() * a + problem.lambda() * r;
        resolution = normal.ldlt().solve(a.transpose() * a);
        prior *= problem.prior_weight(silent_monitor());
        const Matrix believed = a.transpose() * a + prior;
        covariance = believed.ldlt().solve(Matrix::Identity(n, n));
    }
};

/// |found - truth| / |truth|, in the Euclidean norm.
double distance(const Eigen::VectorXd& truth, const Vector& found) {
    const Eigen::Map<const Eigen::VectorXd> f(found.data(),
                                              static_cast<Eigen::Index>(found.size()));
    return (f - truth).norm() / truth.norm();
}

TEST(DenseInverse, IsEigensAndThreadsChangeNoBit) {
    constexpr std::size_t n = 211;  // no multiple of any block
    const Matrix half = Matrix::Random(n, n);
    const Matrix matrix = half * half.transpose() + 0.1 * Matrix::Identity(n, n);
    Vector values(n * n);
    Eigen::Map<Matrix>(values.data(), n, n) = matrix;
    const DenseInverse inverse(values, n, 1);
    const DenseInverse threaded(values, n, 3);
    const Matrix right = matrix.inverse();
    const double close = 1e-8 * right.norm();
    Vector columns(n * 70);
    Vector same(n * 70);
    for (const std::size_t first : {0U, 70U, 141U}) {
        inverse.columns(first, 70, columns);
        threaded.columns(first, 70, same);
        EXPECT_EQ(columns, same);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t c = 0; c < 70; ++c) {
                EXPECT_NEAR(
                    columns[i * 70 + c],
                    right(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(first + c)),
                    close);
            }
        }
    }
}

TEST(DenseInverse, RefusesAMatrixThatIsNotPositive) {
    EXPECT_THROW(DenseInverse({1, 2, 2, 1}, 2, 1), ComputeError);
}

class TrustOf : public testing::TestWithParam<Regularisation> {};

TEST_P(TrustOf, RoughnessHasTheRootItSays) {
    const Case given = make_case(GetParam(), {4, 1, 4});
    const LinearProblem problem = given.problem();
    const Dense dense(problem);
    const auto n = static_cast<Eigen::Index>(problem.size());
    Matrix root(n, 4 * n);
    Vector noise(4 * problem.size(), 0.0);
    Vector out(problem.size());
    for (Eigen::Index c = 0; c < 4 * n; ++c) {
        noise[static_cast<std::size_t>(c)] = 1;
        problem.roughness().apply_root(noise, out);
        noise[static_cast<std::size_t>(c)] = 0;
        root.col(c) = Eigen::Map<Eigen::VectorXd>(out.data(), n);
    }
    EXPECT_LT((root * root.transpose() - dense.r).norm(), 1e-12 * dense.r.norm());
}

TEST_P(TrustOf, ExactNumbersAreThoseOfDenseAlgebra) {
    const Case given = make_case(GetParam());
    const LinearProblem problem = given.problem();
    const Dense dense(problem);
    const TrustNumbers exact = exact_trust(problem, {}, silent_monitor());
    EXPECT_LT(distance(dense.resolution.diagonal(), exact.resolution), 1e-4);
    const Eigen::VectorXd variance =
        (dense.spread * dense.covariance).cwiseProduct(dense.spread).rowwise().sum();
    EXPECT_LT(distance(variance, exact.variance), 1e-4);
}

TEST_P(TrustOf, SampledNumbersComeNearDenseAlgebra) {
    const Case given = make_case(GetParam(), {1, 1, 1});
    const LinearProblem problem = given.problem();
    const Dense dense(problem);
    TrustOptions options;
    options.solves = 200;
    const TrustNumbers sampled = sampled_trust(problem, options, test::on_cpu(2));
    EXPECT_EQ(sampled.unfinished, 0);
    const double off = distance(dense.resolution.diagonal(), sampled.resolution);
    RecordProperty("resolution_off", std::to_string(off));
    EXPECT_LT(off, 0.25);
    double squares = 0;
    for (std::size_t u = 0; u < problem.size(); ++u) {
        const double error = sampled.resolution[u] - dense.resolution(static_cast<Eigen::Index>(u),
                                                                      static_cast<Eigen::Index>(u));
        squares += error * error / static_cast<double>(problem.size());
    }
    // What it says of its own error.
    EXPECT_GT(sampled.stray, 0.8 * std::sqrt(squares));
    EXPECT_LT(sampled.stray, 6 * std::sqrt(squares));
    const Eigen::VectorXd deviation =
        (dense.spread * dense.covariance).cwiseProduct(dense.spread).rowwise().sum().cwiseSqrt();
    Vector roots = sampled.variance;
    for (double& value : roots) value = std::sqrt(value);
    EXPECT_LT(distance(deviation, roots), 3 / std::sqrt(2.0 * options.solves));
    std::printf("unknowns %zu: resolution off by %.3f, deviation by %.3f (relative 2-norms)\n",
                problem.size(), off, distance(deviation, roots));
}

TEST_P(TrustOf, PointSpreadIsAColumnOfDenseAlgebra) {
    const Case given = make_case(GetParam());
    const LinearProblem problem = given.problem();
    const Dense dense(problem);
    const Grid& grid = problem.unknowns().grid();
    const Index3 node{5, 0, 7};
    const auto fields = point_spread(problem, std::vector{grid.position(node)}, test::on_cpu(2));
    ASSERT_EQ(fields.size(), 1U);
    const std::int32_t unknown = problem.unknowns().numbers()[grid.shape.offset(node)];
    const Eigen::VectorXd right = dense.spread * dense.resolution.col(unknown);
    EXPECT_LT(distance(right, Vector(fields[0].begin(), fields[0].end())), 1e-3);
}

INSTANTIATE_TEST_SUITE_P(Kinds, TrustOf,
                         testing::Values(Regularisation::first, Regularisation::second,
                                         Regularisation::blocky, Regularisation::mixed));

TEST(Trust, TermsTakeTheirPartOfTheResolution) {
    Case with = make_case(Regularisation::second);
    const TrustNumbers without = exact_trust(with.problem(), {}, test::on_cpu().monitor);
    with.options.gauss_newton.terms = Terms::both;
    const LinearProblem problem = with.problem();
    const auto n = static_cast<Eigen::Index>(problem.size());
    const auto all = static_cast<Eigen::Index>(problem.columns());
    ASSERT_EQ(static_cast<std::size_t>(all - n),
              with.survey.picks.events.size() + with.survey.picks.stations.size());
    const auto rows = static_cast<Eigen::Index>(problem.rows().rows());
    Matrix a(rows, all);
    Matrix prior = Matrix::Zero(all, all);
    Vector along(problem.rows().rows());
    Vector rough(problem.size());
    for (Eigen::Index u = 0; u < all; ++u) {
        Vector unit(problem.columns(), 0.0);
        unit[static_cast<std::size_t>(u)] = 1;
        problem.rows().times(unit, along, 1);
        a.col(u) = Eigen::Map<Eigen::VectorXd>(along.data(), rows);
        problem.roughness().apply(std::span(unit).first(problem.size()), rough, 1);
        if (u < n) {
            prior.col(u).head(n) = problem.lambda() * Eigen::Map<Eigen::VectorXd>(rough.data(), n);
        } else {
            prior(u, u) = problem.term_damping()[static_cast<std::size_t>(u - n)];
        }
    }
    const Matrix normal = a.transpose() * a + prior;
    const Matrix resolution = normal.ldlt().solve(a.transpose() * a);
    const TrustNumbers exact = exact_trust(problem, {}, test::on_cpu().monitor);
    EXPECT_LT(distance(resolution.diagonal().head(n), exact.resolution), 1e-4);
    double sum = 0;
    double sum_without = 0;
    for (std::size_t u = 0; u < problem.size(); ++u) {
        sum += exact.resolution[u];
        sum_without += without.resolution[u];
    }
    EXPECT_LT(sum, 0.98 * sum_without);
    TrustOptions many;
    many.solves = 100;
    many.deviation = false;
    const TrustNumbers sampled = sampled_trust(problem, many, test::on_cpu(2));
    EXPECT_LT(distance(resolution.diagonal().head(n), sampled.resolution), 0.2);
}

TEST(Trust, IsExactWhereThereAreFewUnknownsAndSaysSo) {
    const Case given = make_case(Regularisation::second);
    const Trust trust = estimate_trust(given.problem(), {}, test::on_cpu(2));
    EXPECT_TRUE(trust.exact);
    EXPECT_NE(trust.sentence.find("exact"), std::string::npos);
    ASSERT_EQ(trust.resolution.size(), given.survey.start.given().size());
    for (std::size_t s = 0; s < trust.resolution.size(); ++s) {
        EXPECT_GE(trust.resolution[s], 0);
        EXPECT_LE(trust.resolution[s], 1);
        EXPECT_GT(trust.deviation[s], 0);
    }
}

TEST(Trust, HasTheSameBitsForAnyThreadsAndRanks) {
    const Case given = make_case(Regularisation::first);
    TrustOptions options;
    options.method = TrustMethod::sampled;
    options.solves = 9;
    const Trust alone = estimate_trust(given.problem(), options, test::on_cpu(2));
    const auto same = [](const Field<float>& a, const Field<float>& b) {
        return a.size() == b.size() &&
               std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
    };
    for (const int threads : {1, 3}) {
        Case other = make_case(Regularisation::first, {2, 1, 2}, threads);
        const auto errors = test::on_ranks(3, [&](Ranks& ranks) {
            const Execution own{threads, Device::cpu, silent_monitor(), ranks};
            const LinearProblem problem = other.problem(own);
            const Trust trust = estimate_trust(problem, options, own);
            if (!ranks.is_root()) return;
            EXPECT_TRUE(same(trust.resolution, alone.resolution));
            EXPECT_TRUE(same(trust.deviation, alone.deviation));
        });
        for (const auto& error : errors) EXPECT_FALSE(error);
    }
    options.seed = 2;
    const Trust other = estimate_trust(given.problem(), options, test::on_cpu(2));
    EXPECT_FALSE(same(other.deviation, alone.deviation));
}

/// Truths drawn from the prior, seen by noisy picks: the posterior deviation must cover 68 % of the
/// errors of what is found.
TEST(Trust, DeviationCoversTheTruthOfALinearProblem) {
    const Case given = make_case(Regularisation::second);
    const LinearProblem problem = given.problem();
    const Dense dense(problem);
    const auto n = dense.prior.rows();
    const TrustNumbers exact = exact_trust(problem, {}, silent_monitor());
    TrustOptions options;
    options.solves = 128;
    const TrustNumbers sampled = sampled_trust(problem, options, test::on_cpu(2));
    const Eigen::LLT<Matrix> prior(dense.prior);
    RandomStream random(5);
    const auto normal = [&](Eigen::Index size) {
        Eigen::VectorXd values(size);
        for (double& value : values) value = random.normal();
        return values;
    };
    double inside[2] = {0, 0};
    constexpr int truths = 60;
    for (int t = 0; t < truths; ++t) {
        const Eigen::VectorXd truth = prior.matrixU().solve(normal(n));
        const Eigen::VectorXd data = dense.a * truth + normal(dense.a.rows());
        const Eigen::VectorXd found = dense.covariance * (dense.a.transpose() * data);
        const Eigen::VectorXd error = dense.spread * (found - truth);
        for (Eigen::Index s = 0; s < error.size(); ++s) {
            const auto at = static_cast<std::size_t>(s);
            inside[0] += std::abs(error[s]) < std::sqrt(exact.variance[at]);
            inside[1] += std::abs(error[s]) < std::sqrt(sampled.variance[at]);
        }
    }
    const double all = truths * static_cast<double>(dense.spread.rows());
    std::printf("inside one deviation: exact %.3f, sampled %.3f\n", inside[0] / all,
                inside[1] / all);
    EXPECT_NEAR(inside[0] / all, 0.683, 0.03);
    EXPECT_NEAR(inside[1] / all, 0.683, 0.03);
}

/// Data drawn with a known weight of the prior: the weight that they make most likely is near it.
TEST(Trust, ThePriorsWeightIsFoundFromThePicks) {
    const Case given = make_case(Regularisation::second);
    const LinearProblem problem = given.problem();
    const Dense dense(problem);
    const double unit = problem.prior_weight(silent_monitor());
    RandomStream random(7);
    const auto normal = [&](Eigen::Index size) {
        Eigen::VectorXd values(size);
        for (double& value : values) value = random.normal();
        return values;
    };
    for (const double weight : {0.2 * unit, unit, 5 * unit}) {
        const Eigen::LLT<Matrix> prior(weight / unit * dense.prior);
        double sum = 0;
        constexpr int truths = 6;
        for (int t = 0; t < truths; ++t) {
            const Eigen::VectorXd truth = prior.matrixU().solve(normal(dense.prior.rows()));
            const Eigen::VectorXd noisy = dense.a * truth + normal(dense.a.rows());
            const Vector data(noisy.begin(), noisy.end());
            const Vector no_terms;
            const Vector smooth(problem.size(), 0.0);
            const double found =
                likely_weight({problem.unknowns(), problem.rows(), data, smooth, no_terms, 1},
                              problem.prior(), silent_monitor());
            sum += std::log(found / weight) / truths;
        }
        EXPECT_NEAR(sum, 0, 0.4) << weight;
    }
}

TEST(Trust, RefusesWhatHasNoResolution) {
    const test::KnownTruth survey = test::survey_2d(0.004);
    InversionOptions options;
    options.method = InversionMethod::hole;
    options.schedule = {{1, {4, 1, 4}, {5, 1, 5}, 1, 1}};
    const InversionResult result = invert(survey.start, survey.picks, options);
    EXPECT_THROW(found_model(result, serial_ranks()), InputError);
    const Case given = make_case(Regularisation::second);
    const LinearProblem problem = given.problem();
    EXPECT_THROW(point_spread(problem, std::vector{Vec3{-50, 0, 1}}, test::on_cpu(2)), InputError);
    TrustOptions bad;
    bad.solves = 0;
    EXPECT_THROW(estimate_trust(problem, bad, test::on_cpu(2)), InputError);
}

}  // namespace
}  // namespace fermat
