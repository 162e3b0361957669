// What locating does at the edges: few picks, faces, air, one side, kept and believed positions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "expect_error.hpp"
#include "location/locate.hpp"
#include "location/station_fields.hpp"
#include "location/synthetic_quakes.hpp"
#include "model/by_depth.hpp"

namespace fermat {
namespace {

using test::expect_error;
using test::forgotten;
using test::QuakeOptions;
using test::quakes;

Medium medium_of(const Model& model) { return Medium::of_ratio(model, test::synthetic_vp_vs); }

LocateOptions exact() {
    LocateOptions options;
    options.model_error = 0;
    return options;
}

/// 30 events and their picks.
Survey some(const Model& model, QuakeOptions options = {}) {
    options.events = 30;
    return quakes(model, options);
}

/// The arrivals that a test keeps.
template <class Keep>
Survey only(Survey survey, Keep keep) {
    std::erase_if(survey.arrivals, [&](const Arrival& arrival) { return !keep(arrival); });
    return survey;
}

TEST(LocateEdges, TooFewPicksAreToldAndNotLocated) {
    const Model model = test::waving_crust();
    const Survey survey = only(forgotten(some(model)), [](const Arrival& arrival) {
        return arrival.event != 3 || (arrival.station < 3 && arrival.phase == Phase::P);
    });
    Notes notes;
    const Catalogue found = locate(medium_of(model), survey, exact(), nullptr, {}, &notes);
    EXPECT_EQ(found.events[3].status, LocationStatus::few_picks);
    EXPECT_TRUE(std::isnan(found.events[3].position.x));
    EXPECT_EQ(found.events[4].status, LocationStatus::located);
    ASSERT_EQ(notes.sentences().size(), 1U);
    EXPECT_EQ(notes.sentences()[0],
              "1 of 30 events have fewer than 4 usable picks and are not located (least_picks)");
    EXPECT_EQ(relocated(survey, found).events.size(), 29U);
}

TEST(LocateEdges, TimesInAnotherUnitAreToldAndLocateNothing) {
    const Model model = test::waving_crust();
    Survey survey = forgotten(some(model));
    for (Arrival& arrival : survey.arrivals) arrival.time *= 1000;
    Notes notes;
    LocateOptions options;
    options.model_error = 0.05;
    const Catalogue found = locate(medium_of(model), survey, options, nullptr, {}, &notes);
    for (const Hypocentre& event : found.events) {
        EXPECT_EQ(event.status, LocationStatus::few_used);
        EXPECT_LT(event.used, 4);
        EXPECT_GT(event.picks, 4);
        EXPECT_TRUE(std::isnan(event.position.x) && std::isnan(event.rms));
    }
    for (const PickFit& fit : found.fits) EXPECT_TRUE(std::isnan(fit.residual) && fit.weight == 0);
    ASSERT_EQ(notes.sentences().size(), 2U);
    EXPECT_NE(notes.sentences()[0].find("30 of 30 events have picks up to"), std::string::npos);
    EXPECT_NE(notes.sentences()[0].find("are times in the model's unit"), std::string::npos);
    EXPECT_NE(notes.sentences()[1].find("30 of 30 events have no place that 4 of their picks"),
              std::string::npos);
    EXPECT_TRUE(relocated(survey, found).events.empty());
}

TEST(LocateEdges, StationsInAnotherUnitAreToldAndMakeNoLongTable) {
    // Velocity depends on depth alone: times are tabulated out to the farthest station.
    const Grid grid{{31, 31, 11}, {0, 0, 0}, {2, 2, 2}};
    const Model model(grid, Field<float>(grid.shape, 6.0F));
    Survey survey = forgotten(some(model));
    for (Station& station : survey.stations) {
        station.position.x *= 1e6;
        station.position.y *= 1e6;
    }
    Notes notes;
    const Catalogue found = locate(medium_of(model), survey, exact(), nullptr, {}, &notes);
    for (const Hypocentre& event : found.events) {
        EXPECT_EQ(event.status, LocationStatus::few_picks);
    }
    ASSERT_FALSE(notes.sentences().empty());
    EXPECT_NE(notes.sentences()[0].find("ten times the model's width"), std::string::npos);
    EXPECT_NE(notes.sentences()[0].find("are stations and model in one unit of length?"),
              std::string::npos);
}

/// Twenty picks of one event and twelve of another that bear its name: the place may be right, and
/// the catalogue must not call it good.
TEST(LocateEdges, PicksOfTwoEventsUnderOneNameAreToldAndSpoilTheQuality) {
    const Model model = test::waving_crust();
    Survey survey = forgotten(some(model));
    const auto before = locate(medium_of(model), survey, exact());
    EXPECT_LE(before.events[0].quality, Quality::B);
    std::erase_if(survey.arrivals, [](const Arrival& arrival) {
        return arrival.event == 1 ? arrival.station >= 6
                                  : arrival.event == 0 && arrival.station < 6;
    });
    for (Arrival& arrival : survey.arrivals) {
        if (arrival.event != 1) continue;
        arrival.event = 0;
        arrival.time -= 1000;  // events are 1000 s apart
    }
    Notes notes;
    const Catalogue found = locate(medium_of(model), survey, exact(), nullptr, {}, &notes);
    EXPECT_EQ(found.events[0].picks, 32);
    EXPECT_LE(found.events[0].used, 24);
    EXPECT_GE(found.events[0].quality, Quality::C);
    EXPECT_LE(found.events[2].quality, Quality::B);
    const bool told = std::any_of(
        notes.sentences().begin(), notes.sentences().end(), [](const std::string& sentence) {
            return sentence.starts_with("1 of 30 events are contradicted by more than a quarter");
        });
    EXPECT_TRUE(told);
}

TEST(LocateEdges, SAloneAndPAloneFindEvents) {
    const Model model = test::waving_crust();
    const Survey truth = some(model);
    for (const Phase phase : {Phase::P, Phase::S}) {
        const Survey survey =
            only(forgotten(truth), [&](const Arrival& arrival) { return arrival.phase == phase; });
        const Catalogue found = locate(medium_of(model), survey, exact());
        for (std::size_t n = 0; n < truth.events.size(); ++n) {
            const double off = distance(found.events[n].position, truth.events[n].position);
            EXPECT_LT(off, 5 * found.events[n].ellipsoid.deviation[0]);
        }
    }
    expect_error<InputError>([&] { locate({model}, forgotten(truth)); },
                             "the medium has one velocity");
}

TEST(LocateEdges, AnEventOutsideTheBoxIsOnItsFace) {
    const Model model = test::waving_crust();
    QuakeOptions options;
    options.low = {48, 20, 8};
    options.high = {52, 40, 12};
    const Survey truth = some(model, options);
    LocateOptions locating = exact();
    locating.outliers = 0;  // else a place inside may fit some picks and call the others gross
    locating.box = SearchBox{{10, 10, 0}, {44, 50, 20}};
    Notes notes;
    const Catalogue found =
        locate(medium_of(model), forgotten(truth), locating, nullptr, {}, &notes);
    for (const Hypocentre& event : found.events) {
        EXPECT_EQ(event.status, LocationStatus::at_face);
        EXPECT_EQ(event.position.x, 44);
    }
    EXPECT_NE(notes.sentences().back().find("30 of 30 events lie on a face"), std::string::npos);
}

TEST(LocateEdges, StationsOnOneSideMakeLargeErrorsThatHold) {
    const Model model = test::waving_crust();
    QuakeOptions options;
    options.s = false;
    options.low = {40, 20, 6};
    options.high = {50, 40, 14};
    const Survey truth = some(model, options);
    const Survey survey =
        only(forgotten(truth), [](const Arrival& arrival) { return arrival.station < 8; });
    const Catalogue found = locate(medium_of(model), survey, exact());
    for (std::size_t n = 0; n < truth.events.size(); ++n) {
        const Hypocentre& event = found.events[n];
        EXPECT_GT(event.gap, 180);
        EXPECT_GT(event.ellipsoid.deviation[0], 0.5);
        EXPECT_LT(distance(event.position, truth.events[n].position),
                  5 * event.ellipsoid.deviation[0]);
    }
}

TEST(LocateEdges, NoEventIsInAirOrAboveTheGround) {
    const Model solid = test::waving_crust();
    QuakeOptions options;
    options.low.z = 0.2;
    options.high.z = 2.5;
    options.noise = 0.3;
    Survey truth = some(solid, options);
    const Surface ground(Surface::Kind::area, std::vector<Vec3>{{0, 0, 3}, {60, 60, 3.5}});
    const Catalogue below = locate(medium_of(solid), forgotten(truth), exact(), &ground);
    for (const Hypocentre& event : below.events) {
        EXPECT_GE(event.position.z, ground.at(event.position.x, event.position.y));
    }
    const Surface flat(Surface::Kind::area, std::vector<Vec3>{{0, 0, 4}});
    const Model cut = cut_by_surface(solid, flat);
    for (Station& station : truth.stations) station.position.z = 4;
    const Catalogue in_rock = locate(medium_of(cut), forgotten(truth), exact());
    for (const Hypocentre& event : in_rock.events) {
        EXPECT_FALSE(in_air(cut, event.position));
    }
}

TEST(LocateEdges, KeptAndBelievedPositionsCount) {
    const Model model = test::waving_crust();
    const Survey truth = some(model);
    LocateOptions options = exact();
    options.depth = 9.5;
    for (const Hypocentre& event : locate(medium_of(model), forgotten(truth), options).events) {
        EXPECT_EQ(event.position.z, 9.5);
        EXPECT_EQ(event.covariance[2][2], 0);
    }
    options = exact();
    options.fixed = Fixed::epicentre;
    const Catalogue deep = locate(medium_of(model), truth, options);
    options.fixed = Fixed::place;
    const Catalogue timed = locate(medium_of(model), truth, options);
    options.fixed = Fixed::nothing;
    options.prior = {1e-4, 1e-4, 1e-4};
    const Catalogue believed = locate(medium_of(model), truth, options);
    for (std::size_t n = 0; n < truth.events.size(); ++n) {
        const Event& event = truth.events[n];
        EXPECT_EQ(deep.events[n].position.x, event.position.x);
        EXPECT_NEAR(deep.events[n].position.z, event.position.z, 1);
        EXPECT_EQ(timed.events[n].position, event.position);
        EXPECT_NEAR(timed.events[n].origin_time, event.origin_time, 0.05);
        EXPECT_LT(distance(believed.events[n].position, event.position), 1e-3);
    }
    expect_error<InputError>([&] { locate(medium_of(model), forgotten(truth), options); },
                             "event E0 has no position, which prior needs");
    options.prior = {};
    options.depth = 99;
    expect_error<InputError>([&] { locate(medium_of(model), truth, options); },
                             "depth is 99 (must be in the search box, from 0 to 24)");
}

TEST(LocateEdges, ThreadsDoNotChangeABit) {
    const Model model = test::waving_crust();
    const Survey survey =
        only(forgotten(some(model)), [](const Arrival& a) { return a.event < 8; });
    LocateOptions options;
    options.samples = 50;
    const Catalogue one = locate(medium_of(model), survey, options, nullptr, {1});
    const Catalogue three = locate(medium_of(model), survey, options, nullptr, {3});
    EXPECT_EQ(one.errors.typical(), three.errors.typical());
    for (std::size_t n = 0; n < 8; ++n) {
        EXPECT_EQ(one.events[n].position, three.events[n].position);
        EXPECT_EQ(one.events[n].posterior.places, three.events[n].posterior.places);
        EXPECT_EQ(one.events[n].posterior.places.size(), 50U);
    }
}

TEST(LocateEdges, SamplesSpreadAsTheCovarianceSays) {
    const Model model = test::waving_crust();
    const Survey survey =
        only(forgotten(some(model)), [](const Arrival& a) { return a.event < 8; });
    LocateOptions options = exact();
    const Catalogue smooth = locate(medium_of(model), survey, options);
    options.samples = 1000;
    const Catalogue sampled = locate(medium_of(model), survey, options);
    for (std::size_t n = 0; n < 8; ++n) {
        const Posterior& drawn = sampled.events[n].posterior;
        EXPECT_GT(drawn.effective, 300);
        EXPECT_LT(distance(drawn.mean, smooth.events[n].position), 0.1);
        for (std::size_t a = 0; a < 3; ++a) {
            const double ratio = drawn.covariance[a][a] / smooth.events[n].covariance[a][a];
            EXPECT_NEAR(std::sqrt(ratio), 1, 0.2);
        }
        const auto inside = std::count_if(drawn.log_density.begin(), drawn.log_density.end(),
                                          [&](double log) { return log >= drawn.least_68; });
        EXPECT_NEAR(static_cast<double>(inside), 680, 5);
    }
}

TEST(LocateEdges, VelocityOfDepthAloneNeedsNoStationInTheModel) {
    const Grid grid{{21, 21, 11}, {0, 0, 0}, {2, 2, 2}};
    Field<float> velocity(grid.shape);
    for (std::size_t n = 0; n < velocity.size(); ++n) {
        velocity[n] = static_cast<float>(5 + 0.2 * static_cast<double>(n % 11));
    }
    Field<float> bent = velocity.copy();
    bent(20, 20, 10) *= 1.0001F;
    const Model layered(grid, std::move(velocity));
    const Model volume(grid, std::move(bent));
    ASSERT_TRUE(depends_on_depth(layered));
    ASSERT_FALSE(depends_on_depth(volume));
    Survey survey;
    survey.events = {{{11, 13, 7}}};
    survey.stations = {{{3, 4, 1}, "IN"}, {{60, -20, 0}, "OUT"}};
    survey.arrivals = {{0, 0, 1, 0.1}, {0, 1, 9, 0.1}};
    Notes notes;
    const StationFields radial({layered}, survey, {}, {}, notes);
    const StationFields cubic({volume}, survey, {}, {}, notes);
    const Vec3 place{11.3, 13.1, 7.7};
    const TimePoint a = radial.time_point(radial.of(survey.arrivals[0]), place);
    const TimePoint b = cubic.time_point(cubic.of(survey.arrivals[0]), place);
    EXPECT_NEAR(a.time, b.time, 2e-3 * b.time);
    EXPECT_LT(distance(a.gradient, b.gradient), 0.02 * norm(b.gradient));
    EXPECT_GE(radial.of(survey.arrivals[1]), 0);
    EXPECT_EQ(cubic.of(survey.arrivals[1]), -1);
    EXPECT_EQ(notes.sentences().back(),
              "1 of 2 picks are not used: 1 station lies outside the model or in air (OUT)");
}

TEST(LocateEdges, RaysLeaveAHomogeneousEventStraightToTheirStations) {
    const Grid grid{{21, 21, 11}, {0, 0, 0}, {1, 1, 1}};
    Field<float> velocity(grid.shape);
    std::fill(velocity.begin(), velocity.end(), 5.0F);
    const Model model(grid, std::move(velocity));
    Survey survey;
    const Vec3 place{10, 9, 6};
    survey.events = {{place}};
    for (const Vec3 station : {Vec3{10, 19, 6}, Vec3{19, 9, 0}, Vec3{10, 9, 0}, Vec3{2, 3, 9}}) {
        const auto n = static_cast<std::int32_t>(survey.stations.size());
        survey.stations.push_back({station});
        survey.arrivals.push_back({0, n, distance(place, station) / 5, 0.01});
    }
    const Catalogue found = locate({model}, survey, exact());
    EXPECT_LT(distance(found.events[0].position, place), 0.01);
    EXPECT_NEAR(found.fits[0].azimuth, 0, 0.2);  // y is north
    EXPECT_NEAR(found.fits[0].take_off, 90, 0.5);
    EXPECT_NEAR(found.fits[1].azimuth, 90, 0.2);  // x is east
    EXPECT_NEAR(found.fits[1].ray_azimuth, 90, 0.5);
    EXPECT_NEAR(found.fits[1].take_off, 90 + std::atan2(6, 9) * 180 / M_PI, 0.5);
    EXPECT_NEAR(found.fits[2].take_off, 180, 0.5);
    EXPECT_NEAR(found.fits[3].distance, 10, 0.02);
    EXPECT_LT(found.fits[3].take_off, 90);
}

}  // namespace
}  // namespace fermat
