// Events are found where they were, with errors that are true, from times alone.
#include "location/locate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "expect_error.hpp"
#include "location/edt.hpp"
#include "location/synthetic_quakes.hpp"

namespace fermat {
namespace {

using test::forgotten;
using test::QuakeOptions;
using test::quakes;

Medium medium_of(const Model& model) { return Medium::of_ratio(model, test::synthetic_vp_vs); }

/// The model is right.
LocateOptions exact() {
    LocateOptions options;
    options.model_error = 0;
    return options;
}

double median(std::vector<double> values) {
    std::nth_element(values.begin(),
                     values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
    return values[values.size() / 2];
}

std::vector<double> misses(const Survey& truth, const Catalogue& found) {
    std::vector<double> out;
    for (std::size_t n = 0; n < truth.events.size(); ++n) {
        out.push_back(distance(truth.events[n].position, found.events[n].position));
    }
    return out;
}

/// Standard deviations from the found place to the true one.
double deviations(const Hypocentre& found, Vec3 truth) {
    double squares = 0;
    for (std::size_t n = 0; n < 3; ++n) {
        const double along = dot(truth - found.position, found.ellipsoid.direction[n]);
        squares += along * along / (found.ellipsoid.deviation[n] * found.ellipsoid.deviation[n]);
    }
    return std::sqrt(squares);
}

TEST(Locate, FindsEventsWithoutNoiseWhereTheyWere) {
    const Model model = test::waving_crust();
    QuakeOptions options;
    options.events = 40;
    options.noise = 1e-6;
    const Survey truth = quakes(model, options);
    const Catalogue found = locate(medium_of(model), forgotten(truth));
    for (const double miss : misses(truth, found)) EXPECT_LT(miss, 0.02);
    for (std::size_t n = 0; n < truth.events.size(); ++n) {
        EXPECT_NEAR(found.events[n].origin_time, truth.events[n].origin_time, 0.005);
        EXPECT_EQ(found.events[n].used, 32);
    }
}

TEST(Locate, RegionsHoldTheTruePlacesAsOftenAsTheySay) {
    const Model model = test::waving_crust();
    QuakeOptions options;
    options.events = 200;
    const Survey truth = quakes(model, options);
    // The error of the model, which is right, is found to be none.
    const Catalogue found = locate(medium_of(model), forgotten(truth));
    int in_68 = 0;
    int in_95 = 0;
    for (std::size_t n = 0; n < truth.events.size(); ++n) {
        const Hypocentre& event = found.events[n];
        ASSERT_EQ(event.status, LocationStatus::located);
        const double off = deviations(event, truth.events[n].position);
        in_68 += off < event.reach.of_68;
        in_95 += off < event.reach.of_95;
    }
    EXPECT_NEAR(in_68 / 200.0, 0.68, 0.07);
    EXPECT_NEAR(in_95 / 200.0, 0.95, 0.04);
}

TEST(Locate, GrossErrorsLoseTheirWeight) {
    const Model model = test::waving_crust();
    QuakeOptions options;
    options.events = 120;
    const Survey clean = quakes(model, options);
    options.gross = 0.05;
    const Survey dirty = quakes(model, options);
    const double without =
        median(misses(clean, locate(medium_of(model), forgotten(clean), exact())));
    const Catalogue found = locate(medium_of(model), forgotten(dirty), exact());
    const double with = median(misses(dirty, found));
    EXPECT_LT(with, 1.2 * without);
    for (std::size_t n = 0; n < dirty.arrivals.size(); ++n) {
        if (std::abs(found.fits[n].residual) > 0.5) {
            EXPECT_LT(found.fits[n].weight, 0.1);
        }
    }
}

TEST(Locate, PairsThatAgreeFindEventsAmongManyGrossErrors) {
    const Model model = test::waving_crust();
    QuakeOptions options;
    options.events = 10;
    const Survey clean = quakes(model, options);
    options.gross = 0.4;
    const Survey dirty = quakes(model, options);
    LocateOptions pairs = exact();
    pairs.likelihood = LikelihoodKind::edt;
    const Medium medium = medium_of(model);
    const double without = median(misses(clean, locate(medium, forgotten(clean), pairs)));
    const double gaussian = median(misses(clean, locate(medium, forgotten(clean), exact())));
    EXPECT_LT(without, 1.3 * gaussian);
    EXPECT_LT(median(misses(dirty, locate(medium, forgotten(dirty), pairs))), 2.5 * without);
}

/// The density is the same whatever clock the origin times are on, and less where picks disagree.
TEST(EqualDifferentialTimes, PairsCountByTheirDifferences) {
    const std::vector<EdtTerm> agree = {{10, 0.01, 0}, {10.05, 0.01, 0}, {9.95, 0.02, 0}};
    std::vector<EdtTerm> later = agree;
    for (EdtTerm& term : later) term.origin += 1e6;
    EXPECT_NEAR(edt_log_density(agree), edt_log_density(later), 1e-6);
    std::vector<EdtTerm> spoilt = agree;
    spoilt[1].origin += 5;
    const double lost = edt_log_density(agree) - edt_log_density(spoilt);
    EXPECT_GT(lost, 1);
    spoilt[1].origin += 500;
    EXPECT_NEAR(edt_log_density(agree) - edt_log_density(spoilt), lost, 1e-9);
    // One pair of w = 1 / sqrt(0.02): N log w - v / s^2, where v is 0 with one row.
    const std::vector<EdtTerm> two = {{3, 0.01, 0}, {3, 0.01, 0}};
    EXPECT_NEAR(edt_log_density(two), -std::log(0.02), 1e-12);
    EXPECT_EQ(edt_log_density({}), -std::numeric_limits<double>::infinity());
}

TEST(EqualDifferentialTimes, SlopesArePullsOfPairsAndOfTheMean) {
    const std::vector<EdtTerm> terms = {
        {0.0, 0.01, 0}, {0.05, 0.02, 0}, {not_known, 0.01, 0}, {-0.1, 0.03, 0}};
    const EdtSlopes slopes = edt_slopes(terms);
    EXPECT_EQ(slopes.by_origin[2], 0);
    for (const std::size_t n : {0U, 1U, 3U}) {
        std::vector<EdtTerm> moved = terms;
        constexpr double step = 1e-6;
        moved[n].origin += step;
        const double rise = (edt_log_density(moved) - edt_log_density(terms)) / step;
        // The weights of the rows move too, which the slopes leave out.
        EXPECT_NEAR(slopes.by_origin[n], rise, 0.35 * std::abs(rise) + 0.5);
    }
}

}  // namespace
}  // namespace fermat
