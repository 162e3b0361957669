// A survey knows who shot, who listened and what arrived: by id, turned round, in parts.
#include "survey/survey.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/error.hpp"
#include "expect_error.hpp"
#include "survey/builder.hpp"
#include "survey/mapped_points.hpp"
#include "survey/settle.hpp"

namespace fermat {
namespace {

/// Two shots at one place, a third elsewhere, and two receivers.
Survey example() {
    Survey survey;
    survey.events = {{{0, 0, 0}, 0, "morning"}, {{0, 0, 0}, 10, "noon"}, {{5, 0, 1}, 0, ""}};
    survey.stations = {{{2, 0, 0}, "A"}, {{3, 0, 0}, "B"}};
    survey.arrivals = {
        {2, 1, 0.5, 0.1}, {0, 0, 1.0, 0.1}, {1, 1, 12.0, 0.1}, {0, 1, 2.0, 0.2, Phase::S}};
    survey.has_errors = true;
    return survey;
}

TEST(SurveyViews, ListArrivalsInTheirOrder) {
    const Survey survey = example();
    EXPECT_EQ(by_event(survey), (ArrivalLists{{1, 3}, {2}, {0}}));
    EXPECT_EQ(by_station(survey), (ArrivalLists{{1}, {0, 2, 3}}));
    EXPECT_EQ(sorted_by_event(survey), (std::vector<std::int32_t>{1, 3, 2, 0}));
    const Listeners heard = listeners_of(survey, std::vector<std::int32_t>{3, 1});
    EXPECT_EQ(heard.stations, (std::vector<std::int32_t>{1, 0}));
    EXPECT_EQ(heard.positions[0], survey.stations[1].position);
    EXPECT_EQ(used_points(survey).events, 3U);
    EXPECT_EQ(used_points(survey).stations, 2U);
}

TEST(SurveyViews, TurnedRoundTwiceIsTheSameGeometry) {
    const Survey survey = example();
    const Survey turned = exchanged(survey);
    EXPECT_EQ(turned.events.size(), 2U);
    EXPECT_EQ(turned.events[0].id, "A");
    EXPECT_EQ(turned.stations[1].id, "noon");
    // Times count from the shot, which is nobody's origin time any more.
    EXPECT_EQ(turned.arrivals[2], (Arrival{1, 1, 2.0, 0.1}));
    EXPECT_EQ(turned.arrivals[3].phase, Phase::S);
    const Survey back = exchanged(turned);
    EXPECT_EQ(back.stations, survey.stations);
    for (std::size_t n = 0; n < survey.arrivals.size(); ++n) {
        EXPECT_EQ(back.arrivals[n].event, survey.arrivals[n].event);
        EXPECT_EQ(back.arrivals[n].station, survey.arrivals[n].station);
    }
}

TEST(SurveyViews, PartsKeepOrLeaveOutUnusedPoints) {
    const Survey survey = example();
    const std::vector<std::int32_t> some{3, 3, 0};
    const Survey whole = subset(survey, some);
    EXPECT_EQ(whole.events, survey.events);
    EXPECT_EQ(whole.arrivals.size(), 3U);
    const Survey small = compact(survey, some);
    ASSERT_EQ(small.events.size(), 2U);
    EXPECT_EQ(small.events[0].id, "morning");
    EXPECT_EQ(small.events[1].position, survey.events[2].position);
    ASSERT_EQ(small.stations.size(), 1U);
    EXPECT_EQ(small.arrivals[2], (Arrival{1, 0, 0.5, 0.1}));
    EXPECT_TRUE(compact(survey, {}).events.empty());
}

TEST(SurveyViews, DifferencesFollowTheirEventsAndStations) {
    Survey survey = example();
    survey.differences = {{0, 2, 1, Phase::S, DifferenceKind::correlation, 0.25, 2}, {0, 1, 1}};
    const std::vector<std::int32_t> all{3, 2, 1, 0};
    EXPECT_EQ(subset(survey, std::vector<std::int32_t>{3}).differences, survey.differences);
    const Survey small = compact(survey, all);
    ASSERT_EQ(small.differences.size(), 2U);
    for (const TimeDifference& one : small.differences) {
        const TimeDifference& before = survey.differences[one.phase == Phase::S ? 0 : 1];
        const auto same = [](const auto& now, EventId id, const auto& then, EventId was) {
            EXPECT_EQ(now[static_cast<std::size_t>(id)], then[static_cast<std::size_t>(was)]);
        };
        same(small.events, one.first, survey.events, before.first);
        same(small.events, one.second, survey.events, before.second);
        EXPECT_EQ(small.stations[static_cast<std::size_t>(one.station)],
                  survey.stations[static_cast<std::size_t>(before.station)]);
        EXPECT_EQ(one.time, before.time);
    }
    // Of one event alone there is no difference.
    EXPECT_TRUE(compact(survey, std::vector<std::int32_t>{0}).differences.empty());
    EXPECT_TRUE(exchanged(survey).differences.empty());
}

TEST(SurveyIds, OfEventsAreNotThoseOfStations) {
    static_assert(std::is_convertible_v<std::int32_t, EventId>);
    static_assert(std::is_convertible_v<EventId, std::int32_t>);
    static_assert(!std::is_constructible_v<EventId, StationId>);
    static_assert(!std::is_assignable_v<StationId&, EventId>);
    static_assert(!std::equality_comparable_with<EventId, StationId>);
    static_assert(sizeof(EventId) == sizeof(std::int32_t));
    const RayPair pair = RayPair{3, 5}.turned();
    EXPECT_EQ(pair.source, 5);
    EXPECT_EQ(pair.receiver, 3);
}

TEST(SurveyChecks, NameThePointThatIsWrong) {
    const Grid grid{{11, 1, 3}, {}, {1, 1, 1}};
    const Model model(grid, Field<float>(grid.shape, 1.0F));
    EXPECT_NO_THROW(validate(example(), model));
    Survey far = example();
    far.events[1].position.x = -4;
    test::expect_error<InputError>([&] { validate(far, model); }, "source noon at", "-4");
    far = example();
    far.events[2].position.z = 9;
    test::expect_error<InputError>([&] { validate(far, model); }, "source 2 at", "9");
    far = example();
    far.arrivals[1].station = 2;
    test::expect_error<InputError>([&] { validate(far); }, "pair (0, 2) names", "3 and 2");
    far.arrivals[1].station = -1;
    test::expect_error<InputError>([&] { validate(far); }, "pair (0, -1) names");
}

TEST(SurveyChecks, TimesCountFromTheOriginTime) {
    Survey survey = example();
    Notes notes;
    const auto where = [](std::size_t n) { return "pick " + std::to_string(n) + ": "; };
    EXPECT_NO_THROW(settle_times(survey, "picks", where, notes));
    survey.arrivals[2].time = 9.5;  // the shot was at 10
    test::expect_error<InputError>([&] { settle_times(survey, "picks", where, notes); },
                                   "pick 2: time is 9.5");
}

TEST(SurveyBuilder, IdsSeparateWhatPositionsWouldJoin) {
    SurveyBuilder builder;
    EXPECT_EQ(builder.event({1, 0, 0}, "a"), 0);
    EXPECT_EQ(builder.event({1, 0, 0}, "b"), 1);
    EXPECT_EQ(builder.event({1, 0, 0}, "a"), 0);
    EXPECT_EQ(builder.event({1, 0, 0}), 2);
    EXPECT_EQ(builder.event({1, -0.0, 0}), 2);
    EXPECT_EQ(builder.event({1, 0, 0}, "", 7), 3);
    EXPECT_EQ(builder.station({1, 0, 0}), 0);
    EXPECT_EQ(builder.station({2, 0, 0}), 1);
    test::expect_error<InputError>(
        [&] {
            builder.event({2, 0, 0}, "a");
        },
        "event 'a' is at (1, 0, 0)", "one position");
    test::expect_error<InputError>(
        [&] {
            builder.event({1, 0, 0}, "a", 3);
        },
        "origin times 0 and 3");
    const Survey survey = builder.take(false, true);
    EXPECT_EQ(survey.events.size(), 4U);
    EXPECT_TRUE(survey.is_2d);
}

TEST(Phases, CatalogueNamesOfFirstArrivals) {
    for (const char* name :
         {"P", "p", " Pg ", "Pn", "Pdif", "P1", "PKIKP", "Pb", "PG", "PN", "PB", "PDIFF"}) {
        EXPECT_EQ(phase_of_name(name), Phase::P) << name;
    }
    for (const char* name : {"S", "s", "Sg", "Sn", "S*", "SG", "SN", "SB"}) {
        EXPECT_EQ(phase_of_name(name), Phase::S) << name;
    }
    for (const char* name : {"", "PmP", "PMP", "PS", "SMS", "X", "Lg", "pP", "T"}) {
        test::expect_error<InputError>([&] { phase_of_name(name); }, "phase is", "first arrival");
    }
}

}  // namespace
}  // namespace fermat
