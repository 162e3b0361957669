#include "tomography/trust/ensemble.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include "core/random_stream.hpp"
#include "executions.hpp"
#include "inversion_surveys.hpp"
#include "thread_ranks.hpp"
#include "tomography/trust/ensemble_sums.hpp"
#include "tomography/trust/resample.hpp"

namespace fermat {
namespace {

struct Case {
    test::KnownTruth survey;
    InversionOptions options;
    InversionResult result;
    std::optional<FoundModel> found;

    Ensemble run(const EnsembleOptions& wanted, const EnsembleStore& store = {},
                 const Execution& execution = test::on_cpu(2)) const {
        return run_ensemble(survey.start, survey.picks, options, found, wanted, execution, store);
    }
};

Case make_case() {
    test::KnownTruth survey = test::survey_2d(0.004);
    InversionOptions options;
    options.method = InversionMethod::gauss_newton;
    options.gauss_newton.roughness.kind = Regularisation::second;
    options.gauss_newton.ratio = {3, 1, 3};
    InversionResult result = invert(survey.start, survey.picks, options, test::on_cpu(2));
    auto found = found_model(result, serial_ranks());
    return {std::move(survey), options, std::move(result), std::move(found)};
}

bool same(const Field<float>& a, const Field<float>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

TEST(Resampling, GroupsHoldEachPickOnceAndShotsStayWhole) {
    const Survey picks = test::survey_2d().picks;
    for (const PickUnit unit : {PickUnit::shots, PickUnit::picks}) {
        const auto groups = groups_of(picks, unit, 5, 7);
        std::set<std::int32_t> seen;
        std::map<std::int32_t, std::size_t> group_of_shot;
        std::size_t all = 0;
        for (std::size_t g = 0; g < groups.size(); ++g) {
            all += groups[g].size();
            for (const std::int32_t n : groups[g]) {
                seen.insert(n);
                const auto shot = picks.arrivals[static_cast<std::size_t>(n)].event;
                if (unit == PickUnit::shots) {
                    EXPECT_EQ(group_of_shot.emplace(shot, g).first->second, g);
                }
            }
            EXPECT_EQ(picks_without(picks, groups[g]).arrivals.size() + groups[g].size(),
                      picks.arrivals.size());
        }
        EXPECT_EQ(all, picks.arrivals.size());
        EXPECT_EQ(seen.size(), all);
        EXPECT_NE(groups, groups_of(picks, unit, 5, 8));
    }
}

TEST(Resampling, BootstrapDrawsAsManyAndLeavesAThirdOut) {
    const Survey picks = test::survey_2d().picks;
    const Survey drawn = bootstrapped(picks, PickUnit::picks, 1, 0);
    EXPECT_EQ(drawn.arrivals.size(), picks.arrivals.size());
    std::set<std::pair<int, int>> different;
    for (const Arrival& pick : drawn.arrivals) different.emplace(pick.event, pick.station);
    const double share =
        static_cast<double>(different.size()) / static_cast<double>(picks.arrivals.size());
    EXPECT_NEAR(share, 1 - std::exp(-1.0), 0.05);
}

TEST(Resampling, HillsHaveTheirDeviationAndLeaveAirAlone) {
    const Grid grid{{60, 1, 50}, {0, 0, 0}, {1, 1, 1}};
    Field<float> velocity(grid.shape, 3.0F);
    velocity(3, 0, 0) = 0;
    const Model model(grid, std::move(velocity));
    double squares = 0;
    constexpr int draws = 20;
    for (int n = 0; n < draws; ++n) {
        const Model hilly = with_hills(model, 0.2, 5, 1, static_cast<std::uint64_t>(n));
        EXPECT_EQ(hilly.given()(3, 0, 0), 0);
        const double height = std::log(hilly.given()(30, 0, 20) / 3.0);
        const double next = std::log(hilly.given()(31, 0, 20) / 3.0);
        squares += height * height / draws;
        EXPECT_LT(std::abs(height - next), 0.3);
    }
    EXPECT_NEAR(std::sqrt(squares), 0.2, 0.1);
}

TEST(EnsembleSums, WeighsMembersAndKnowsTheJackknife) {
    const Grid grid{{2, 1, 2}, {0, 0, 0}, {1, 1, 1}};
    const Model model = constant_model(grid, 2);
    const std::vector<float> values = {1.0F, 2.0F, 4.0F};
    for (const EnsembleKind kind :
         {EnsembleKind::bootstrap, EnsembleKind::jackknife, EnsembleKind::subsets}) {
        EnsembleSums sums(kind, model);
        for (const float v : values) {
            EnsembleMember member;
            member.velocity = Field<float>(grid.shape, v);
            if (kind == EnsembleKind::subsets) {
                member.weight = Field<float>(grid.shape, v == 4.0F ? 2.0F : 1.0F);
            }
            sums.add(member);
        }
        Ensemble out;
        sums.finish(out);
        const double l2 = std::log(2.0);
        if (kind == EnsembleKind::subsets) {
            EXPECT_NEAR(out.mean[0], std::exp((0 + l2 + 2 * 2 * l2) / 4), 1e-5);
        } else {
            EXPECT_NEAR(out.mean[0], 2, 1e-6);
            const double squares = 2 * l2 * l2;
            EXPECT_NEAR(out.log_spread[0],
                        std::sqrt(kind == EnsembleKind::jackknife ? squares * 2 / 3 : squares / 2),
                        1e-6);
        }
    }
}

/// A linear problem with many more data than unknowns: a mean velocity from n noisy ones. The
/// jackknife's and the bootstrap's deviation must cover 68 % of the truths.
TEST(EnsembleSums, CoverTheTruthOfALinearProblem) {
    const Grid grid{{40, 1, 50}, {0, 0, 0}, {1, 1, 1}};
    const Model model = constant_model(grid, 1);
    constexpr std::size_t data = 60;
    constexpr std::size_t truths = 2000;  // one per node
    RandomStream random(3);
    std::vector<std::vector<double>> noise(data);
    for (auto& datum : noise) datum = random.normals(truths);
    const auto estimate = [&](const std::vector<std::size_t>& used) {
        EnsembleMember member;
        member.velocity = Field<float>(grid.shape);
        for (std::size_t node = 0; node < truths; ++node) {
            double sum = 0;
            for (const std::size_t n : used) sum += noise[n][node];
            member.velocity[node] =
                static_cast<float>(std::exp(0.01 * sum / static_cast<double>(used.size())));
        }
        return member;
    };
    std::vector<std::size_t> all(data);
    for (std::size_t n = 0; n < data; ++n) all[n] = n;
    const EnsembleMember whole = estimate(all);
    for (const EnsembleKind kind : {EnsembleKind::bootstrap, EnsembleKind::jackknife}) {
        EnsembleSums sums(kind, model);
        for (std::size_t m = 0; m < data; ++m) {
            std::vector<std::size_t> used;
            for (std::size_t n = 0; n < data; ++n) {
                if (kind == EnsembleKind::bootstrap) {
                    used.push_back(random.below(data));
                } else if (n != m) {
                    used.push_back(n);
                }
            }
            sums.add(estimate(used));
        }
        Ensemble out;
        sums.finish(out);
        double inside = 0;
        for (std::size_t node = 0; node < truths; ++node) {
            inside += std::abs(std::log(whole.velocity[node])) < out.log_spread[node];
        }
        std::printf("%s: %.3f inside\n", std::string(name_of(kind)).c_str(), inside / truths);
        EXPECT_NEAR(inside / truths, 0.683, 0.03) << name_of(kind);
    }
}

class EnsembleOf : public testing::TestWithParam<EnsembleKind> {};

TEST_P(EnsembleOf, HasTheSameBitsForAnyThreadsRanksAndStops) {
    const Case given = make_case();
    EnsembleOptions wanted;
    wanted.kind = GetParam();
    wanted.members = 3;
    std::map<int, EnsembleMember> files;
    const auto copy = [](const EnsembleMember& m) {
        EnsembleMember out;
        const auto copied = [](const Field<float>& f) {
            Field<float> made(f.shape());
            std::copy(f.begin(), f.end(), made.begin());
            return made;
        };
        out.velocity = copied(m.velocity);
        out.weight = copied(m.weight);
        out.rms = m.rms;
        out.picks = m.picks;
        out.iterations = m.iterations;
        return out;
    };
    EnsembleStore store;
    store.save = [&](int n, const EnsembleMember& member) { files[n] = copy(member); };
    const Ensemble whole = given.run(wanted, store);
    EXPECT_EQ(files.size(), 3U);
    EXPECT_EQ(whole.members.size(), 3U);
    files.erase(1);  // stopped and taken up
    int made = 0;
    store.save = [&](int n, const EnsembleMember&) {
        EXPECT_EQ(n, 1);
        ++made;
    };
    store.load = [&](int n) -> std::optional<EnsembleMember> {
        if (files.count(n) == 0) return std::nullopt;
        return copy(files[n]);
    };
    const Ensemble again = given.run(wanted, store);
    EXPECT_EQ(made, 1);
    EXPECT_EQ(again.loaded, 2);
    EXPECT_TRUE(same(again.mean, whole.mean));
    EXPECT_TRUE(same(again.spread, whole.spread));
    const auto errors = test::on_ranks(2, [&](Ranks& ranks) {
        const Ensemble dealt = given.run(wanted, {}, {5, Device::cpu, silent_monitor(), ranks});
        if (!ranks.is_root()) return;
        EXPECT_TRUE(same(dealt.mean, whole.mean));
        EXPECT_TRUE(same(dealt.log_spread, whole.log_spread));
    });
    for (const auto& error : errors) EXPECT_FALSE(error);
}

TEST_P(EnsembleOf, IsNearTheRunAndSpreads) {
    const Case given = make_case();
    EnsembleOptions wanted;
    wanted.kind = GetParam();
    wanted.members = GetParam() == EnsembleKind::subsets ? 2 : 6;
    const Ensemble made = given.run(wanted);
    double largest = 0;
    double spread = 0;
    for (std::size_t s = 0; s < made.mean.size(); ++s) {
        const double ratio = made.mean[s] / given.result.model.given()[s];
        largest = std::max(largest, std::abs(std::log(ratio)));
        spread += made.log_spread[s] / static_cast<double>(made.mean.size());
    }
    EXPECT_LT(largest, 0.12);
    EXPECT_GT(spread, 1e-5);
    EXPECT_LT(spread, 0.1);
}

INSTANTIATE_TEST_SUITE_P(Kinds, EnsembleOf,
                         testing::Values(EnsembleKind::bootstrap, EnsembleKind::jackknife,
                                         EnsembleKind::noise, EnsembleKind::start,
                                         EnsembleKind::subsets),
                         [](const auto& kind) { return std::string(name_of(kind.param)); });

TEST(Ensemble, RunsWithBoxesToo) {
    Case given = make_case();
    given.options.method = InversionMethod::hole;
    given.options.schedule = {{2, {8, 1, 8}, {9, 1, 9}, 1, 1}};
    given.found.reset();
    EnsembleOptions wanted;
    wanted.members = 3;
    EXPECT_GT(given.run(wanted).log_spread[200], 0);
    wanted.kind = EnsembleKind::subsets;
    wanted.fuse = FusionWeight::resolution;
    EXPECT_THROW(given.run(wanted), InputError);
}

TEST(Ensemble, FusesByResolution) {
    const Case given = make_case();
    EnsembleOptions wanted;
    wanted.kind = EnsembleKind::subsets;
    wanted.members = 2;
    wanted.fuse = FusionWeight::resolution;
    EXPECT_EQ(given.run(wanted).members.size(), 2U);
}

TEST(Ensemble, RefusesWhatCannotBe) {
    Case given = make_case();
    EnsembleOptions wanted;
    wanted.members = 1;
    EXPECT_THROW(given.run(wanted), InputError);
    wanted = {};
    wanted.kind = EnsembleKind::noise;
    given.survey.picks.has_errors = false;
    EXPECT_THROW(given.run(wanted), InputError);
    wanted.kind = EnsembleKind::jackknife;
    for (Arrival& pick : given.survey.picks.arrivals) pick.event = 0;
    EXPECT_THROW(given.run(wanted), InputError);
}

}  // namespace
}  // namespace fermat
