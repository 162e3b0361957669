// Inversions whose rays follow no time field: bent rays (paper 3) and shortest paths.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/error.hpp"
#include "executions.hpp"
#include "expect_error.hpp"
#include "tomography/inversion_surveys.hpp"
#include "tomography/invert.hpp"

namespace fermat {
namespace {

using test::KnownTruth;

InversionOptions options_for(InversionMethod method, Tracer tracer, bool is_2d) {
    InversionOptions options;
    options.method = method;
    options.tracer = tracer;
    options.gauss_newton.iterations = 4;
    options.target_rms = 0.002;
    if (method == InversionMethod::hole) {
        const int y = is_2d ? 1 : 4;
        options.schedule = {{2, {6, y, 6}, {5, y, 5}, 1, 1}, {2, {4, y, 4}, {3, y, 3}, 1, 1}};
    }
    return options;
}

double correlation(const KnownTruth& survey, const InversionResult& found) {
    return recovery(survey.start, survey.truth, found.model, found.coverage, 5).correlation;
}

/// Inverts with the default tracer and with others, which must do as well.
void expect_as_good(const KnownTruth& survey, InversionMethod method,
                    const std::vector<Tracer>& tracers) {
    const bool is_2d = survey.start.grid().is_2d();
    const InversionResult usual = invert(
        survey.start, survey.picks, options_for(method, Tracer::descent, is_2d), test::on_cpu());
    for (const Tracer tracer : tracers) {
        const InversionResult found =
            invert(survey.start, survey.picks, options_for(method, tracer, is_2d), test::on_cpu());
        const std::string what = std::string(name_of(method)) + " " + std::string(name_of(tracer));
        for (const IterationReport& report : found.history) {
            EXPECT_EQ(report.misfit.lost, 0) << what;
            EXPECT_EQ(report.misfit.used + report.misfit.rejected,
                      static_cast<std::int64_t>(survey.picks.arrivals.size()))
                << what;
        }
        EXPECT_LT(found.history.back().misfit.rms, 0.5 * found.history.front().misfit.rms) << what;
        EXPECT_GT(correlation(survey, found), correlation(survey, usual) - 0.05) << what;
    }
}

TEST(Tracers, BentRaysAndShortestPathsFindTheAnomalies) {
    const KnownTruth flat = test::survey_2d();
    for (const auto method : {InversionMethod::hole, InversionMethod::gauss_newton}) {
        expect_as_good(flat, method, {Tracer::bending, Tracer::graph});
    }
    expect_as_good(test::survey_3d(), InversionMethod::hole, {Tracer::bending});
}

TEST(Tracers, ThreadsGiveTheSameBits) {
    const KnownTruth survey = test::survey_2d(0.01);
    for (const auto tracer : {Tracer::bending, Tracer::graph}) {
        InversionOptions options = options_for(InversionMethod::hole, tracer, true);
        options.schedule = {{1, {6, 1, 6}, {5, 1, 5}, 1, 1}};
        const InversionResult one = invert(survey.start, survey.picks, options, test::on_cpu(1));
        const InversionResult three = invert(survey.start, survey.picks, options, test::on_cpu(3));
        EXPECT_TRUE(test::same_bits(one, three)) << name_of(tracer);
    }
}

TEST(Tracers, WhatCannotBeIsRefusedInASentence) {
    const KnownTruth survey = test::survey_2d();
    InversionOptions options = options_for(InversionMethod::adjoint, Tracer::bending, true);
    test::expect_error<InputError>(
        [&] { invert(survey.start, survey.picks, options); },
        "tracer is 'bending' and the method is 'adjoint' (which has no rays: leave it out)");
    options = options_for(InversionMethod::hole, Tracer::graph, true);
    test::expect_error<InputError>(
        [&] { invert(survey.start, survey.picks, options, Execution{.device = Device::cuda}); },
        "device is 'cuda' (tracer 'graph' of an inversion computes on the CPU: use cpu)");
}

}  // namespace
}  // namespace fermat
