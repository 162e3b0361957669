#include "tomography/joint/event_blocks.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "tomography/joint_survey.hpp"

namespace fermat {
namespace {

using Vector = std::vector<double>;
using test::Made;
using test::moving;

TEST(EventBlocks, NoEventLeavesTheBoxAndTheOthersOfItsUnknownsAreFoundAgain) {
    const Made made(8);
    EventBlocks events(made.picks, made.model.grid(), moving());
    events.renew(made.slopes, made.weights, Vector(20, 0.0), 1e-3);
    // Residuals that send every event 100 down.
    Vector left(made.weights.size());
    for (std::size_t n = 0; n < left.size(); ++n)
        left[n] = 100 * made.weights[n] * made.slopes[n].z;
    Vector shift(event_unknowns * made.picks.events.size(), 0.0);
    std::vector<bool> bounded;
    events.step(made.model, left, shift, bounded);
    for (std::size_t e = 0; e < 4; ++e) {
        const double* s = &shift[event_unknowns * e];
        const Vec3 place = made.picks.events[e].position + Vec3{s[0], s[1], s[2]};
        EXPECT_TRUE(made.model.grid().contains(place));
        EXPECT_TRUE(bounded[e]);
    }
    EXPECT_FALSE(bounded[4]);
    EXPECT_EQ(shift[4 * event_unknowns + 2], 0);  // too few picks: keeps its place
}

TEST(EventBlocks, NoEventRisesAboveTheGround) {
    Made made(8);
    Field<float> velocity(made.model.grid().shape);
    for (std::size_t n = 0; n < velocity.size(); ++n) velocity[n] = n % 3 == 0 ? 0.0F : 1.0F;
    const Model ground(made.model.grid(), std::move(velocity));  // air at the highest nodes
    for (Event& event : made.picks.events) event.position.z = 1.5;
    EventBlocks events(made.picks, ground.grid(), moving());
    events.renew(made.slopes, made.weights, Vector(20, 0.0), 1e-3);
    Vector left(made.weights.size());
    for (std::size_t n = 0; n < left.size(); ++n) {
        left[n] = -100 * made.weights[n] * made.slopes[n].z;
    }
    Vector shift(event_unknowns * made.picks.events.size(), 0.0);
    std::vector<bool> bounded;
    events.step(ground, left, shift, bounded);
    for (std::size_t e = 0; e < 4; ++e) {
        const double* s = &shift[event_unknowns * e];
        const Vec3 place = made.picks.events[e].position + Vec3{s[0], s[1], s[2]};
        EXPECT_FALSE(in_air(ground, place)) << e;
        EXPECT_LE(place.z, 1.5);
        EXPECT_TRUE(bounded[e]);
    }
}

TEST(EventBlocks, KnownPlacesAndTimesStay) {
    Made made(8);
    made.picks.events[0].known = {true, false};
    made.picks.events[1].known = {false, true};
    made.picks.events[2].known = {true, true};
    EventBlocks events(made.picks, made.model.grid(), moving());
    events.renew(made.slopes, made.weights, Vector(20, 0.0), 1e-3);
    const Vector left(made.weights.size(), 1.0);
    Vector shift(event_unknowns * made.picks.events.size(), 0.0);
    std::vector<bool> bounded;
    events.step(made.model, left, shift, bounded);
    const auto moved = [&](std::size_t e, std::size_t i) { return shift[4 * e + i] != 0; };
    EXPECT_TRUE(!moved(0, 0) && !moved(0, 2) && moved(0, 3));
    EXPECT_TRUE(moved(1, 0) && moved(1, 2) && !moved(1, 3));
    EXPECT_TRUE(!moved(2, 0) && !moved(2, 3));
    EXPECT_EQ(events.use_of(0), EventUse::known);
    EXPECT_EQ(events.free_unknowns(made.weights), 1U + 3U + 0U + 4U + 1U);
}

}  // namespace
}  // namespace fermat
