#include "tomography/layers/first_layers.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/random_stream.hpp"
#include "expect_error.hpp"
#include "phases/layers.hpp"
#include "phases/phases.hpp"
#include "tomography/layers/phase_codes.hpp"

namespace fermat {
namespace {

using test::expect_error;
using Kind = PhaseCurve::Kind;

TEST(FlatLayers, TimesAreThoseOfClosedForms) {
    const FlatLayers constant{{0, 30}, {6, 8}, {0, 0}};
    const double sine = 6.0 / 8.0;
    const double delay = 2 * 30 / 6.0 * std::sqrt(1 - sine * sine);
    for (const double x : {10.0, 80.0, 150.0}) {
        EXPECT_NEAR(turning_time(constant, 0, x), x / 6, 1e-9);
        EXPECT_NEAR(reflected_time(constant, 1, x), std::hypot(x, 60) / 6, 1e-6);
        EXPECT_NEAR(turning_time(constant, 1, x), x / 8 + delay, 1e-6);
    }
    EXPECT_FALSE(turns_at(constant, 1, 60));
    EXPECT_TRUE(turns_at(constant, 1, 80));
    EXPECT_NEAR(first_time(constant, 60), 10, 1e-9);
    EXPECT_NEAR(first_time(constant, 250), 250.0 / 8 + delay, 1e-6);
    const FlatLayers growing{{0}, {5}, {0.05}};
    EXPECT_NEAR(turning_time(growing, 0, 100), 2 / 0.05 * std::asinh(0.05 * 100 / 10), 1e-9);
}

/// Gradients, against rays of the layered medium.
TEST(FlatLayers, TimesAreThoseOfRays) {
    const FlatLayers layers{{0, 12, 30}, {5, 6.2, 7.9}, {0.05, 0.02, 0.01}};
    const Grid grid{{241, 1, 101}, {0, 0, 0}, {1, 1, 0.5}};
    std::vector<Interface> interfaces;
    std::vector<Layer> made;
    for (std::size_t k = 0; k < 3; ++k) {
        interfaces.push_back(Interface::flat(k == 0   ? "surface"
                                             : k == 1 ? "1"
                                                      : "moho",
                                             layers.top[k]));
        made.push_back({test::model_of(grid, [&](Vec3 p) {
            return layers.velocity[k] + layers.gradient[k] * (p.z - layers.top[k]);
        })});
    }
    const LayeredMedium medium(interfaces, made);
    const std::vector<Vec3> source{{5, 0, 0}};
    const std::vector<Vec3> receiver{{205, 0, 0}};
    const std::vector<RayPair> pair{{0, 0}};
    const auto time = [&](const char* name) {
        return trace_branch(medium, branch_of(medium, name), source, receiver, pair, {}, {})[0][0]
            .time;
    };
    EXPECT_NEAR(turning_time(layers, 1, 200), time("P1"), 1e-3);
    EXPECT_NEAR(turning_time(layers, 2, 200), time("P2"), 1e-3);
    const std::vector<Vec3> near{{75, 0, 0}};
    const auto reflected =
        trace_branch(medium, branch_of(medium, "PmP"), source, near, pair, {}, {})[0][0].time;
    EXPECT_NEAR(reflected_time(layers, 2, 70), reflected, 1e-3);
}

/// Where a phase is picked: its wave, and from which distance to which.
struct Picked {
    std::string name;
    Kind kind;
    std::size_t number;
    double from, to;
};

/// Picks of flat layers on a line, with noise, some of them far off.
PhasePicks picks_of(const FlatLayers& layers, const std::vector<Picked>& phases, double line,
                    double noise, double wrong) {
    Survey survey;
    std::vector<std::string> names;
    for (int i = 0; i <= 30; ++i) survey.events.push_back({{line * i / 30, 0, 0}});
    for (int i = 0; i <= 6; ++i) survey.stations.push_back({{line * (0.5 + i) / 7, 0, 0}});
    RandomStream random(11);
    for (const Picked& phase : phases) {
        for (std::int32_t e = 0; e < 31; ++e) {
            for (std::int32_t s = 0; s < 7; ++s) {
                const double x = std::fabs(survey.events[static_cast<std::size_t>(e)].position.x -
                                           survey.stations[static_cast<std::size_t>(s)].position.x);
                if (x < phase.from || x > phase.to) continue;
                double time = time_of(layers, {phase.kind, phase.number, {}, {}, {}}, x);
                time += noise * random.normal();
                if (random.uniform() < wrong) time += 20 * noise;
                survey.arrivals.push_back({e, s, std::max(time, 1e-3), noise});
                names.push_back(phase.name);
            }
        }
    }
    survey.has_errors = true;
    survey.is_2d = true;
    return phase_picks(std::move(survey), names);
}

const FlatLayers crust{{0, 34}, {5.7, 8.05}, {0.03, 0.008}};
const std::vector<Picked> crustal{{"Pg", Kind::turning, 0, 5, 110},
                                  {"PmP", Kind::reflected, 1, 60, 160},
                                  {"Pn", Kind::turning, 1, 140, 240}};

TEST(FirstLayers, ACrustIsFoundFromPgPmPAndPn) {
    const PhasePicks picks = picks_of(crust, crustal, 240, 0.05, 0.03);
    const FirstLayers found = first_layers(picks, {});
    const FlatLayers& flat = found.fit.layers;
    EXPECT_NEAR(flat.top[1], 34, 0.7);
    EXPECT_NEAR(flat.velocity[0], 5.7, 0.06);
    EXPECT_NEAR(flat.bottom_velocity(0), 5.7 + 0.03 * 34, 0.15);
    EXPECT_NEAR(flat.velocity[1], 8.05, 0.12);
    EXPECT_EQ(found.medium.interface_of("moho"), 1);
    EXPECT_TRUE(found.medium.place().holds({0, 0, 0}));
    EXPECT_TRUE(found.medium.place().holds({240, 0, 40}));
}

/// Without reflections, the intercept of Pn tells the depth; without Pn, the reflections do.
TEST(FirstLayers, HalfThePhasesTellTheDepthToo) {
    const PhasePicks without = picks_of(crust, {crustal[0], crustal[2]}, 240, 0.05, 0);
    EXPECT_NEAR(first_layers(without, {}).fit.layers.top[1], 34, 2.5);
    const PhasePicks reflected = picks_of(crust, {crustal[0], crustal[1]}, 240, 0.05, 0);
    const FirstLayers found = first_layers(reflected, {});
    EXPECT_NEAR(found.fit.layers.top[1], 34, 1);
    EXPECT_FALSE(found.fit.seen[1]);
}

/// Another kind of truth: three layers of a refraction line in metres, head waves alone.
TEST(FirstLayers, ThreeLayersAreFoundFromTheirRefractions) {
    const FlatLayers soil{{0, 6, 25}, {450, 1600, 3900}, {4, 3, 2}};
    const std::vector<Picked> heads{{"P0", Kind::turning, 0, 1, 18},
                                    {"P1", Kind::turning, 1, 20, 80},
                                    {"P2", Kind::turning, 2, 85, 200}};
    const PhasePicks picks = picks_of(soil, heads, 200, 0.0005, 0.02);
    const FirstLayers found = first_layers(picks, {});
    const FlatLayers& flat = found.fit.layers;
    EXPECT_NEAR(flat.top[1], 6, 0.6);
    EXPECT_NEAR(flat.top[2], 25, 2.5);
    EXPECT_NEAR(flat.velocity[1], 1600, 60);
    EXPECT_NEAR(flat.velocity[2], 3900, 150);
}

TEST(FirstLayers, SIsPOverTheRatioOfItsPicks) {
    PhasePicks picks = picks_of(crust, crustal, 240, 0.05, 0);
    const std::size_t count = picks.survey.arrivals.size();
    std::vector<std::string> names;
    for (std::size_t n = 0; n < count; ++n) names.push_back(picks.name_of(n));
    for (std::size_t n = 0; n < count; ++n) {
        Arrival pick = picks.survey.arrivals[n];
        pick.time *= 1.78;
        pick.phase = Phase::S;
        picks.survey.arrivals.push_back(pick);
        names.push_back(picks.name_of(n) == "PmP" ? "SmS" : "S" + picks.name_of(n).substr(1));
    }
    const FirstLayers found = first_layers(phase_picks(picks.survey, names), {});
    const double p = found.medium.model(0, Phase::P).velocity()[5];
    const double s = found.medium.model(0, Phase::S).velocity()[5];
    EXPECT_NEAR(p / s, 1.78, 0.02);
}

TEST(FirstLayers, PicksThatDoNotTellTheFirstLayerAreRefused) {
    const PhasePicks picks = picks_of(crust, {crustal[2]}, 240, 0.05, 0);
    expect_error<InputError>([&] { first_layers(picks, {}); }, "velocity of the first layer");
}

TEST(PhaseCodes, ShapesOfTimesTellWhatCodesStandFor) {
    std::vector<Picked> coded = crustal;
    coded[0].name = "7";
    coded[1].name = "2";
    coded[2].name = "5";
    const PhasePicks picks = picks_of(crust, coded, 240, 0.05, 0.03);
    const PhaseNames names = guess_codes(picks);
    const PhaseNames right{{"2", "PmP"}, {"5", "Pn"}, {"7", "Pg"}};
    EXPECT_EQ(names, right);
    const PhasePicks named = renamed(picks, names);
    EXPECT_EQ(named.phases, (std::vector<std::string>{"Pg", "PmP", "Pn"}));
    EXPECT_NEAR(first_layers(named, {}).fit.layers.top[1], 34, 0.7);
    expect_error<InputError>([&] { renamed(picks, {{"9", "Pg"}}); }, "'9'", "7, 2, 5");
}

/// First arrivals under one code turn in either layer.
TEST(PhaseCodes, OneCodeOfAllFirstArrivalsIsP) {
    const std::vector<Picked> coded{{"1", Kind::first, 0, 5, 240},
                                    {"2", Kind::reflected, 1, 60, 160}};
    const PhasePicks picks = picks_of(crust, coded, 240, 0.05, 0);
    const PhaseNames right{{"1", "P"}, {"2", "PmP"}};
    EXPECT_EQ(guess_codes(picks), right);
    EXPECT_NEAR(first_layers(renamed(picks, right), {}).fit.layers.top[1], 34, 1);
}

TEST(PhaseCodes, ThoseOfAMediumAreTheNearestWaves) {
    std::vector<Picked> coded = crustal;
    coded[0].name = "1";
    coded[1].name = "2";
    coded[2].name = "3";
    const PhasePicks picks = picks_of(crust, coded, 240, 0.05, 0);
    const FirstLayers found = first_layers(renamed(picks, guess_codes(picks)), {});
    const PhaseNames right{{"1", "P0"}, {"2", "P1P"}, {"3", "P1"}};
    EXPECT_EQ(match_codes(found.medium, picks, {}), right);
}

}  // namespace
}  // namespace fermat
