#include "tomography/joint/joint_trust.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tomography/gauss_newton/dealt_rows.hpp"
#include "tomography/joint_survey.hpp"

namespace fermat {
namespace {

using Vector = std::vector<double>;
using test::Made;
using test::moving;

TEST(JointTrust, SamplesHaveTheCovarianceOfTheWholeProblem) {
    Made made(0);
    const Unknowns unknowns(made.model, {1, 1, 1});
    made = Made(unknowns.size());
    RoughnessOptions rough;
    rough.kind = Regularisation::second;
    const Roughness roughness(unknowns, rough);
    const StationTerms terms(made.picks, made.slots, 2, true, made.errors);
    JointOptions options = moving();
    options.prior = {2, 3, 0};
    std::vector<TimeDifference> pairs;
    for (std::int32_t s = 0; s < 6; ++s) {
        pairs.push_back({0, 1, s, Phase::P, DifferenceKind::correlation, 0.01 * s, 1});
    }
    DifferenceRows differences(made.picks, pairs, {}, 1);
    EventBlocks events(made.picks, made.model.grid(), options);
    const JointLayout layout{unknowns.size(),         true, true, true, terms.size(),
                             made.picks.events.size()};
    const JointParts parts{unknowns, roughness, roughness, 3,           layout,
                           terms,    events,    2,         &differences};
    JointStep step(parts);
    std::vector<Vec3> places;
    for (const Event& event : made.picks.events) places.push_back(event.position);
    differences.weigh(Vector{0.01, -0.02, 0.03, -0.01, 0.02, 0.015}, places);
    const Vector q = differences.row_weights(made.weights);
    const Vector x(layout.size(), 0.0);
    events.renew(made.slopes, q, layout.events_of(x), 1e-6);
    const WeightedRows rows(UnknownRows(made.rows), q, layout.velocities());
    const JointForward forward(Medium::of_ratio(made.model, 1.7), made.picks, {1, 1, 1},
                               VelocityBounds{}, {}, true);
    const PhaseModels models = forward.models_of(x, layout, 1);
    const double lambda = 2;
    const JointProblem problem{parts, forward, models, x, rows, q, lambda};
    const JointTrust found = joint_trust(step, problem, {false, true, 800, 7}, silent_monitor());
    const JointTrust probed = joint_trust(step, problem, {true, false, 64, 7}, silent_monitor());
    EXPECT_EQ(found.unfinished + probed.unfinished, 0);
    EXPECT_EQ(found.solves, 800);

    const auto column = [&](std::size_t at) {
        Vector unit(layout.size(), 0.0);
        unit[at] = 1;
        return step.solve_right(rows, q, unit, lambda, {1e-10, 4000}).d;
    };
    // A variance of 800 samples is good to 5 %, 1 sigma.
    for (std::size_t e = 0; e < 4; ++e) {
        const std::size_t first = layout.solved() + event_unknowns * e;
        constexpr std::array<std::size_t, 4> diagonal = {0, 4, 7, 9};
        for (std::size_t i = 0; i < event_unknowns; ++i) {
            const double exact = column(first + i)[first + i];
            EXPECT_NEAR(found.events[e][diagonal[i]], exact, 0.2 * exact) << e << " " << i;
        }
        const double both = column(first)[first + 1];
        const double size = std::sqrt(found.events[e][0] * found.events[e][4]);
        EXPECT_NEAR(found.events[e][1], both, 0.15 * size);
    }
    EXPECT_EQ(found.events[4][0], 0);  // too few picks: keeps its place
    double resolved = 0;
    for (std::size_t u = 0; u < layout.grid; u += 5) {
        const Vector of_u = column(u);
        const double exact = std::sqrt(of_u[u]) * made.model.given()[u];
        EXPECT_NEAR(found.deviation[u], exact, 0.12 * exact);
        // R = I - lambda C Rough, whose diagonal probes find exactly: each unknown has its own.
        Vector unit(layout.grid, 0.0);
        Vector bent(layout.grid);
        unit[u] = 1;
        roughness.apply(unit, bent, 1);
        double kept = 0;
        for (std::size_t v = 0; v < layout.grid; ++v) kept += of_u[v] * bent[v];
        EXPECT_NEAR(probed.resolution[u], std::clamp(1 - lambda * kept, 0.0, 1.0), 0.01);
        resolved += probed.resolution[u];
    }
    EXPECT_GT(resolved, 0.5);
    // Vs is Vp over Vp/Vs, so that its variance is not that of Vp.
    EXPECT_GT(found.s_deviation[5] / found.ratio_deviation[5], 0.1F);
}

}  // namespace
}  // namespace fermat
