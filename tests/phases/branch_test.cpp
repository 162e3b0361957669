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

TEST(Branch, MultiplesOfTurningWavesComeBackFromTheSurface) {
    const LayeredMedium medium = crust();
    // Through the sediments, turning in the crust, up, and once more.
    const Legs once{{Phase::P, 0, 1, false, false},
                    {Phase::P, 1, 1, true, false},
                    {Phase::P, 0, 0, false, false}};
    Legs expected = once;
    expected.insert(expected.end(), once.begin(), once.end());
    expected.back().to = -1;
    EXPECT_EQ(only(legs_of(branch_of(medium, "PgPg"), medium, 0, 0)), expected);
    const Legs after = only(legs_of(branch_of(medium, "PmPPg"), medium, 0, 0));
    EXPECT_EQ(after.size(), 7U);
    EXPECT_EQ(after[3].to, 0);
    EXPECT_EQ(legs_of(branch_of(medium, "pPn"), medium, 1, 0).size(), 1U);
    // The first part leaves the source downwards, unlike p of pPg.
    EXPECT_TRUE(only(legs_of(branch_of(medium, "PgPg"), medium, 1, 1)).front().dives);
    EXPECT_FALSE(only(legs_of(branch_of(medium, "pPg"), medium, 1, 1)).front().dives);
}

TEST(Branch, MultiplesOfReceiverFunctionsAreReflectedTwice) {
    const LayeredMedium medium = crust();
    const Branch branch = branch_of(medium, "PpSs");
    const std::vector<BranchStep> expected{{Phase::P, 2, AtInterface::transmit},
                                           {Phase::P, 0, AtInterface::reflect},
                                           {Phase::S, 2, AtInterface::reflect}};
    EXPECT_EQ(branch.steps, expected);
    EXPECT_EQ(branch.last, Phase::S);
    EXPECT_EQ(branch_of(medium, "PpSms").steps, expected);
    EXPECT_EQ(only(legs_of(branch, medium, 2, 0)).size(), 7U);
}

TEST(Branch, NamesOfUsersStandForTheirWays) {
    const LayeredMedium medium = crust();
    const Branch branch = branch_of(medium, " PX = P moho reflect S ");
    EXPECT_EQ(branch.name, "PX");
    EXPECT_EQ(branch.steps, branch_of(medium, "PmS").steps);
    EXPECT_EQ(branch_of(medium, "mine=PmP").steps, branch_of(medium, "PmP").steps);
    expect_error<InputError>([&] { branch_of(medium, "=PmP"); }, "'=PmP'", "must be");
}

TEST(Branch, CodesOfOthersAndNamedInterfacesAreKnown) {
    const LayeredMedium medium = crust();
    EXPECT_EQ(branch_of(medium, "2.2").steps, branch_of(medium, "PmP").steps);
    EXPECT_EQ(branch_of(medium, "2.3").steps, branch_of(medium, "Pn").steps);
    // tomo2d's: refracted, and reflected at the lowest interface where none is called reflector.
    EXPECT_EQ(legs_of(branch_of(medium, "0"), medium, 0, 0),
              legs_of(branch_of(medium, "P"), medium, 0, 0));
    EXPECT_EQ(branch_of(medium, "1").steps, branch_of(medium, "PmP").steps);
    EXPECT_EQ(branch_of(medium, "P<sediments>").steps, branch_of(medium, "P1").steps);
    expect_error<InputError>([&] { branch_of(medium, "PwP"); }, "'seafloor'", "surface, sediments");
}

TEST(Branch, PairsThatABranchDoesNotJoinAreCounted) {
    const LayeredMedium medium = crust();
    const double below = medium.top_of(2).depth_at(5, 0) + 3;
    const std::vector<Vec3> sources{{5, 0, below}, {5, 0, below - 5}};
    const std::vector<Vec3> receivers{{9, 0, medium.top_of(0).depth_at(9, 0)}};
    const std::vector<RayPair> pairs{{0, 0}, {1, 0}};
    Notes notes;
    note_missing_ways(branch_of(medium, "PmP"), medium, sources, receivers, pairs, notes);
    ASSERT_EQ(notes.sentences().size(), 1U);
    EXPECT_EQ(notes.sentences().front(),
              "PmP has no way from layer 2 (below 'moho') to layer 0 (below 'surface'): 1 of 2 "
              "pairs are absent");
}

TEST(Branch, UnknownNamesSayWhatIsKnown) {
    const LayeredMedium medium = crust();
    expect_error<InputError>([&] { branch_of(medium, "Lg"); }, "'Lg'", "PmP");
    expect_error<InputError>([&] { branch_of(medium, "P7P"); }, "'7'",
                             "0 surface, 1 sediments, 2 moho");
    expect_error<InputError>([&] { branch_of(medium, "P basement reflect P"); }, "'basement'",
                             "surface, sediments, moho");
    expect_error<InputError>([&] { branch_of(medium, "P moho bounce P"); }, "'bounce'", "reflect");
    expect_error<InputError>([&] { branch_of_rayinvr(medium, 3.2); }, "3.2", "bottom");
}

}  // namespace
}  // namespace fermat
