// Two phases of one survey travel in two velocities of one medium.
#include <gtest/gtest.h>

#include <vector>

#include "core/error.hpp"
#include "executions.hpp"
#include "expect_error.hpp"
#include "model/makers.hpp"
#include "model/medium.hpp"
#include "rays/rays.hpp"
#include "tomography/synthetic.hpp"

namespace fermat {
namespace {

const Grid box{{21, 1, 11}, {}, {1, 1, 1}};

Survey both_phases() {
    const std::vector<PointSource> sources{{{1, 0, 9}, 3}, {{18, 0, 2}, 0}};
    const std::vector<Vec3> receivers{{4, 0, 0}, {12, 0, 0}};
    Survey survey = survey_of(sources, receivers);
    survey.arrivals[1].phase = Phase::S;
    survey.arrivals[2].phase = Phase::S;
    return survey;
}

double way(const Survey& survey, const Arrival& arrival) {
    return distance(survey.event_of(arrival).position, survey.station_of(arrival).position);
}

TEST(TwoPhases, MediumListsThePhasesOfItsVelocities) {
    const Model p = constant_model(box, 4);
    const auto list = [](const Medium& medium) {
        return std::vector<Phase>(medium.phases().begin(), medium.phases().end());
    };
    const Medium one(p);
    EXPECT_EQ(list(one), std::vector<Phase>{Phase::P});
    // Its velocity is that of whichever phase a survey has.
    EXPECT_EQ(one.of(Phase::S).given()[0], 4);
    const Medium two = Medium::of_ratio(p, 2);
    EXPECT_EQ(list(two), (std::vector<Phase>{Phase::P, Phase::S}));
    EXPECT_EQ(two.of(Phase::P).given()[0], 4);
    EXPECT_EQ(two.first().given()[0], 4);
    EXPECT_EQ(two.of(Phase::S).given()[0], 2);
}

TEST(TwoPhases, RaysTravelInTheirOwnVelocity) {
    const Medium medium = Medium::of_ratio(constant_model(box, 4), 2);
    const Survey survey = both_phases();
    for (const Tracer tracer : {Tracer::descent, Tracer::bending, Tracer::graph}) {
        RayOptions options;
        options.tracer = tracer;
        const RaySet rays = trace_rays(medium, survey, options, test::on_cpu(2));
        const auto order = ray_order(survey);
        ASSERT_EQ(rays.size(), survey.arrivals.size());
        for (std::size_t n = 0; n < rays.size(); ++n) {
            const Arrival& arrival = survey.arrivals[static_cast<std::size_t>(order[n])];
            const RayInfo& ray = rays.rays[n];
            EXPECT_EQ(ray.source, arrival.event);
            EXPECT_EQ(ray.receiver, arrival.station);
            EXPECT_EQ(ray.phase, arrival.phase);
            const double velocity = arrival.phase == Phase::P ? 4 : 2;
            const double exact =
                survey.event_of(arrival).origin_time + way(survey, arrival) / velocity;
            EXPECT_NEAR(ray.time, exact, tracer == Tracer::graph ? 0.05 * exact : 1e-5);
        }
    }
}

TEST(TwoPhases, SyntheticPicksKeepTheirPhase) {
    const Medium medium(constant_model(box, 4), constant_model(box, 2.5));
    const Survey picks = synthetic_picks(medium, both_phases()).picks;
    for (const Arrival& pick : picks.arrivals) {
        const double velocity = pick.phase == Phase::P ? 4 : 2.5;
        EXPECT_NEAR(pick.time, picks.event_of(pick).origin_time + way(picks, pick) / velocity,
                    1e-5);
    }
    EXPECT_EQ(phases_of(picks).size(), 2U);
}

TEST(TwoPhases, OneVelocityServesOnePhase) {
    const Model only = constant_model(box, 4);
    Survey survey = both_phases();
    test::expect_error<InputError>([&] { trace_rays(only, survey, {}); },
                                   "2 of 4 arrivals are of phase S", "Vp/Vs");
    for (Arrival& arrival : survey.arrivals) arrival.phase = Phase::S;
    EXPECT_EQ(trace_rays(only, survey, {}).rays.front().phase, Phase::S);
}

TEST(TwoPhases, VelocitiesMustFitTogether) {
    const Model p = constant_model(box, 4);
    test::expect_error<InputError>([&] { Medium::of_ratio(p, 1); }, "Vp/Vs is 1");
    const Grid other{{20, 1, 11}, {}, {1, 1, 1}};
    test::expect_error<InputError>([&] { Medium(p, constant_model(other, 2)); }, "one grid");
    Field<float> holed(box.shape, 2);
    holed[5] = 0;
    test::expect_error<InputError>([&] { Medium(p, Model(box, std::move(holed))); },
                                   "velocity 5 of P is 4 and of S is 0");
}

}  // namespace
}  // namespace fermat
