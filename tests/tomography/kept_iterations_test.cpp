// What a listener keeps of an iteration leads to the next model, step by step (paper 4's modules).
#include <gtest/gtest.h>

#include <map>

#include "executions.hpp"
#include "tomography/hole/update.hpp"
#include "tomography/inversion_surveys.hpp"
#include "tomography/invert.hpp"

namespace fermat {
namespace {

using test::KnownTruth;
using test::survey_2d;

/// A kept iteration, with the model as its own.
struct Kept {
    Model model;
    CellSums sums;
    Field<double> cells, nodes, smooth_nodes;
};

InversionListener keeping(std::map<int, Kept>& all, std::function<bool(int)> keeps) {
    InversionListener listener;
    listener.keeps = std::move(keeps);
    listener.keep = [&all](const KeptIteration& k) {
        all.emplace(k.iteration,
                    Kept{k.model.copy(),
                         {k.sums.perturbation.copy(), k.sums.weight.copy(), k.sums.count.copy()},
                         k.cells.copy(),
                         k.nodes.copy(),
                         k.smooth_nodes.copy()});
    };
    return listener;
}

bool equal(const auto& a, const auto& b) {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
}

TEST(KeptIterations, EveryFieldFollowsFromTheOneBefore) {
    const KnownTruth survey = survey_2d(0.01);
    InversionOptions options;
    options.method = InversionMethod::hole;
    const Stage stage{3, {6, 1, 6}, {5, 1, 5}, 1, 1};
    options.schedule = {stage};
    std::map<int, Kept> all;
    const InversionListener listener = keeping(all, [](int) { return true; });
    const InversionResult found =
        invert(survey.start, survey.picks, options, test::on_cpu(), listener);
    ASSERT_EQ(all.size(), 4U);
    for (int n = 0; n < 3; ++n) {
        Kept& kept = all.at(n);
        Field<double> cells = kept.sums.perturbation.copy();
        smooth_cells(cells, kept.sums.weight, stage.cell);
        EXPECT_TRUE(equal(cells, kept.cells)) << n;
        Field<double> nodes = cells_to_nodes(kept.model.grid(), kept.cells, stage.cell);
        EXPECT_TRUE(equal(nodes, kept.nodes)) << n;
        smooth_vertices(nodes.view(), stage.vertex);
        EXPECT_TRUE(equal(nodes, kept.smooth_nodes)) << n;
        const Update next = apply_perturbation(kept.model, nodes, options.update, 1);
        EXPECT_TRUE(equal(next.model.velocity(), all.at(n + 1).model.velocity())) << n;
    }
    EXPECT_TRUE(equal(all.at(0).model.velocity(), survey.start.velocity()));
    EXPECT_TRUE(equal(all.at(3).model.velocity(), found.model.velocity()));
    EXPECT_TRUE(equal(all.at(3).sums.count, found.coverage));
    EXPECT_EQ(all.at(3).nodes.size(), 0U);  // no update follows
}

TEST(KeptIterations, OnlyThoseAskedForAndTheRunKeepsItsBits) {
    const KnownTruth survey = survey_2d(0.01);
    for (const auto method : {InversionMethod::hole, InversionMethod::gauss_newton}) {
        InversionOptions options;
        options.method = method;
        options.gauss_newton.iterations = 3;
        if (method == InversionMethod::hole) options.schedule = {{3, {6, 1, 6}, {5, 1, 5}, 1, 1}};
        std::map<int, Kept> some;
        const InversionListener listener = keeping(some, [](int n) { return n == 1; });
        const InversionResult kept =
            invert(survey.start, survey.picks, options, test::on_cpu(), listener);
        const InversionResult plain = invert(survey.start, survey.picks, options, test::on_cpu());
        EXPECT_TRUE(test::same_bits(kept, plain));
        ASSERT_EQ(some.size(), 1U);
        EXPECT_EQ(some.at(1).sums.count.size() > 0, method == InversionMethod::hole);
    }
}

}  // namespace
}  // namespace fermat
