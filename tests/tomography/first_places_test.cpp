#include "tomography/joint/first_places.hpp"

#include <gtest/gtest.h>

#include <random>

#include "core/error.hpp"
#include "model/makers.hpp"
#include "tomography/invert.hpp"
#include "tomography/joint_survey.hpp"

namespace fermat {
namespace {

using test::moving;

constexpr double speed = 6;

/// Events in a homogeneous block below stations on a ring, each heard by all: straight rays. Given
/// places are off by `off` along x and origin times by 0.5.
struct Misplaced {
    Medium medium = gradient_model(Grid{{31, 31, 16}, {0, 0, 0}, {1, 1, 1}}, speed, 0);
    std::vector<Vec3> places;
    Survey picks;

    explicit Misplaced(double off) {
        std::mt19937 engine(7);
        std::uniform_real_distribution<double> across(9, 21);
        std::uniform_real_distribution<double> depth(4, 10);
        for (int s = 0; s < 9; ++s) {
            picks.stations.push_back(
                {{15 + 12 * std::cos(0.7 * s), 15 + 12 * std::sin(0.7 * s), 0}});
        }
        for (int e = 0; e < 6; ++e) {
            places.push_back({across(engine), across(engine), depth(engine)});
            const Vec3 given = places.back() + Vec3{e % 2 == 0 ? off : -off, 0, 0};
            picks.events.push_back({given, 100.0 * e + 0.5});
            for (int s = 0; s < 9; ++s) {
                const Vec3 at = picks.stations[static_cast<std::size_t>(s)].position;
                const double time = 100 * e + distance(places.back(), at) / speed;
                picks.arrivals.push_back({e, s, time, 0.02, Phase::P});
            }
        }
        picks.has_errors = true;
    }
};

TEST(FirstPlaces, PoorOnesGiveWayToThoseThatAreFound) {
    Misplaced made(5);
    made.picks.events[1].known.place = true;
    const FirstPlaces found = first_places(made.medium, made.picks, moving(), {});
    ASSERT_EQ(found.shift.size(), 6U);
    EXPECT_EQ(found.shift[1], (std::array<double, 4>{}));  // known
    for (std::size_t e = 0; e < 6; ++e) {
        if (e == 1) continue;
        EXPECT_NEAR(found.shift[e][0], e % 2 == 0 ? -5 : 5, 0.05);
        EXPECT_NEAR(found.shift[e][1], 0, 0.05);
        EXPECT_NEAR(found.shift[e][2], 0, 0.1);
        EXPECT_NEAR(found.shift[e][3], -0.5, 0.02);
    }
    ASSERT_TRUE(found.choice.has_value());
    EXPECT_NE(found.choice->find("`start_places=located`: 5 of 6 events"), std::string::npos)
        << *found.choice;
    EXPECT_FALSE(found.warning.has_value());
}

TEST(FirstPlaces, GoodOnesStayUnlessOthersAreAskedFor) {
    const Misplaced made(0);
    JointOptions options = moving();
    EXPECT_TRUE(first_places(made.medium, made.picks, options, {}).shift.empty());
    options.start_places = StartPlaces::located;
    const FirstPlaces found = first_places(made.medium, made.picks, options, {});
    ASSERT_EQ(found.shift.size(), 6U);
    EXPECT_NEAR(found.shift[0][3], -0.5, 0.02);
}

TEST(FirstPlaces, AreThoseGivenWhereTheyAreBelievedOrAskedFor) {
    const Misplaced made(5);
    JointOptions options = moving();
    options.start_places = StartPlaces::given;
    EXPECT_TRUE(first_places(made.medium, made.picks, options, {}).shift.empty());
    options.start_places = StartPlaces::automatic;
    options.prior = {1, 1, 1};
    EXPECT_TRUE(first_places(made.medium, made.picks, options, {}).shift.empty());
    options.prior = {};
    options.relocate = Relocate::times;
    EXPECT_TRUE(first_places(made.medium, made.picks, options, {}).shift.empty());
}

/// Shifts that a run tells are those from the given places, wherever it began.
TEST(FirstPlaces, AnInversionBeginsThereAndShiftsCountFromTheGivenOnes) {
    const Misplaced made(5);
    InversionOptions options;
    options.joint = moving();
    options.joint.velocities = Velocities::none;
    options.gauss_newton.iterations = 1;
    const Model& start = made.medium.first();
    const double away = invert(start, made.picks, options).history.front().misfit.chi2;
    options.joint.first_shift = first_places(made.medium, made.picks, options.joint, {}).shift;
    const InversionResult found = invert(start, made.picks, options);
    EXPECT_LT(found.history.front().misfit.chi2, 1e-2 * away);
    for (std::size_t e = 0; e < 6; ++e) {
        EXPECT_NEAR(found.events[e].shift.x, e % 2 == 0 ? -5 : 5, 0.05);
        EXPECT_LT(distance(found.events[e].position, made.places[e]), 0.2);
        EXPECT_NEAR(found.events[e].time_shift, -0.5, 0.02);
    }
}

TEST(FirstPlaces, AreRefusedWhereNoPlaceIsSought) {
    const Misplaced made(0);
    InversionOptions options;
    options.joint.relocate = Relocate::times;
    options.joint.start_places = StartPlaces::located;
    try {
        static_cast<void>(invert(made.medium.first(), made.picks, options));
        FAIL();
    } catch (const InputError& error) {
        EXPECT_STREQ(error.what(),
                     "start_places is 'located' and no place is sought (leave it out, or use "
                     "`relocate=all`)");
    }
}

}  // namespace
}  // namespace fermat
