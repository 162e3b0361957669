#include "phases/branch.hpp"

#include <gtest/gtest.h>

#include "expect_error.hpp"
#include "phases/layers.hpp"

namespace fermat {
namespace {

using test::crust;
using test::expect_error;

Legs only(const std::vector<Legs>& ways) {
    EXPECT_EQ(ways.size(), 1U);
    return ways.empty() ? Legs{} : ways.front();
}

TEST(Branch, ReflectionGoesThroughTheLayersBetweenAndBack) {
    const LayeredMedium medium = crust();
    const Legs legs = only(legs_of(branch_of(medium, "PmP"), medium, 0, 0));
    const Legs expected{{Phase::P, 0, 1, false, false},
                        {Phase::P, 1, 2, false, false},
                        {Phase::P, 1, 1, false, false},
                        {Phase::P, 0, -1, false, false}};
    EXPECT_EQ(legs, expected);
    EXPECT_EQ(legs_of(branch_of(medium, "P2P"), medium, 0, 0).front(), expected);
    EXPECT_EQ(legs_of(branch_of(medium, "P<moho>P"), medium, 0, 0).front(), expected);
    EXPECT_EQ(legs_of(branch_of(medium, "P down moho reflect P up"), medium, 0, 0).front(),
              expected);
    EXPECT_EQ(legs_of(branch_of_rayinvr(medium, 2.2), medium, 0, 0).front(), expected);
}

TEST(Branch, HeadWaveTurnsBelowItsInterface) {
    const LayeredMedium medium = crust();
    const Legs legs = only(legs_of(branch_of(medium, "Pn"), medium, 1, 0));
    const Legs expected{{Phase::P, 1, 2, false, false},
                        {Phase::P, 2, 2, true, false},
                        {Phase::P, 1, 1, false, false},
                        {Phase::P, 0, -1, false, false}};
    EXPECT_EQ(legs, expected);
    EXPECT_EQ(legs_of(branch_of_rayinvr(medium, 2.3), medium, 1, 0).front(), expected);
}

TEST(Branch, ConversionsChangeTheWave) {
    const LayeredMedium medium = crust();
    const Legs down = only(legs_of(branch_of(medium, "PmS"), medium, 1, 1));
    EXPECT_EQ(down, (Legs{{Phase::P, 1, 2, false, false}, {Phase::S, 1, -1, false, false}}));
    const Legs up = only(legs_of(branch_of(medium, "Ps"), medium, 2, 1));
    EXPECT_EQ(up, (Legs{{Phase::P, 2, 2, false, false}, {Phase::S, 1, -1, false, false}}));
}

TEST(Branch, PMayTurnInEveryLayerBelowItsSource) {
    const LayeredMedium medium = crust();
    EXPECT_EQ(legs_of(branch_of(medium, "P"), medium, 0, 0).size(), 3U);
    EXPECT_EQ(legs_of(branch_of(medium, "P"), medium, 1, 0).size(), 2U);
    EXPECT_EQ(legs_of(branch_of(medium, "Pg"), medium, 0, 0).size(), 1U);
    // Up to the surface, and then as P from there.
    const auto depth = legs_of(branch_of(medium, "pP"), medium, 1, 0);
    EXPECT_EQ(depth.size(), 3U);
    for (const Legs& legs : depth) EXPECT_EQ(legs[1].to, 0);
}

TEST(Branch, ReflectionsFromAboveDoNotExistBelowTheirInterface) {
    const LayeredMedium medium = crust();
    EXPECT_TRUE(legs_of(branch_of(medium, "PmP"), medium, 2, 0).empty());
}

TEST(Branch, BouncesBetweenWavesThatMayTurnAnywhereAreDoubted) {
    const LayeredMedium medium = crust();
    Notes notes;
    for (const auto* name : {"P", "PmP", "pP", "PmPPmP"}) {
        note_doubts(branch_of(medium, name), medium, notes);
    }
    // A multiple bounces at the surface, too, but turns nowhere.
    EXPECT_TRUE(notes.sentences().empty());
    Notes doubted;
    note_doubts(branch_of(medium, "PP"), medium, doubted);
    ASSERT_EQ(doubted.sentences().size(), 1U);
    EXPECT_NE(doubted.sentences().front().find("PP may be"), std::string::npos);
}

TEST(Branch, UnknownNamesSayWhatIsKnown) {
    const LayeredMedium medium = crust();
    expect_error<InputError>([&] { branch_of(medium, "Lg"); }, "'Lg'", "PmP");
    expect_error<InputError>([&] { branch_of(medium, "P7P"); }, "'7'", "0 to 2");
    expect_error<InputError>([&] { branch_of(medium, "P basement reflect P"); }, "'basement'",
                             "surface, sediments, moho");
    expect_error<InputError>([&] { branch_of(medium, "P moho bounce P"); }, "'bounce'", "reflect");
    expect_error<InputError>([&] { branch_of_rayinvr(medium, 3.2); }, "3.2", "bottom");
}

}  // namespace
}  // namespace fermat
