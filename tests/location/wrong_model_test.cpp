// In a wrong model, regions still hold the true places as often as they say, and station terms take
// up what stations have in common.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/random_stream.hpp"
#include "expect_error.hpp"
#include "location/dense_cholesky.hpp"
#include "location/locate.hpp"
#include "location/shared_errors.hpp"
#include "location/synthetic_quakes.hpp"

namespace fermat {
namespace {

using test::forgotten;
using test::QuakeOptions;
using test::quakes;

/// The waving crust without its waves.
Medium straight_crust() {
    const Grid grid{{31, 31, 13}, {0, 0, 0}, {2, 2, 2}};
    Field<float> velocity(grid.shape);
    for (int i = 0; i < grid.shape.x; ++i) {
        for (int j = 0; j < grid.shape.y; ++j) {
            for (int k = 0; k < grid.shape.z; ++k) {
                velocity(i, j, k) = static_cast<float>(5 + 0.1 * grid.position({i, j, k}).z);
            }
        }
    }
    return Medium::of_ratio(Model(grid, std::move(velocity)), test::synthetic_vp_vs);
}

struct Shares {
    double in_68 = 0;
    double in_95 = 0;
};

Shares shares_of(const Survey& truth, const Catalogue& found) {
    Shares out;
    const auto count = static_cast<double>(truth.events.size());
    for (std::size_t n = 0; n < truth.events.size(); ++n) {
        const Hypocentre& event = found.events[n];
        double squares = 0;
        for (std::size_t a = 0; a < 3; ++a) {
            const double along =
                dot(truth.events[n].position - event.position, event.ellipsoid.direction[a]);
            squares += std::pow(along / event.ellipsoid.deviation[a], 2);
        }
        out.in_68 += (std::sqrt(squares) < event.reach.of_68) / count;
        out.in_95 += (std::sqrt(squares) < event.reach.of_95) / count;
    }
    return out;
}

TEST(DenseCholesky, SolvesWhatItFactors) {
    const std::vector<double> matrix = {4, 2, 1, 2, 5, 3, 1, 3, 6};
    const DenseCholesky factor(matrix, 3);
    ASSERT_TRUE(factor.definite());
    std::vector<double> x = {1, 2, 3};
    factor.solve_lower(x);
    factor.solve_upper(x);
    for (std::size_t row = 0; row < 3; ++row) {
        double sum = 0;
        for (std::size_t column = 0; column < 3; ++column) {
            sum += matrix[row * 3 + column] * x[column];
        }
        EXPECT_NEAR(sum, static_cast<double>(row + 1), 1e-12);
    }
    EXPECT_NEAR(factor.log_root(), 0.5 * std::log(67), 1e-12);  // |A| = 67
    EXPECT_FALSE(DenseCholesky({1, 2, 2, 1}, 2).definite());
}

TEST(SharedErrors, CovarianceFallsWithDistanceAndGrowsWithTime) {
    ModelErrors errors;
    errors.shared = {0.1, 0.2};
    errors.length = 5;
    errors.likeness = 0.5;
    errors.typical_time = 4;
    const std::vector<ErrorPick> picks = {{{0, 0, 0}, {0, 0, 1}, Phase::P, 4, 0.01},
                                          {{3, 4, 0}, {0, 0, 1}, Phase::P, 16, 0.02},
                                          {{0, 0, 0}, {0, 1, 0}, Phase::S, 4, 0.03}};
    const std::vector<double> rows = error_covariance(errors, picks);
    EXPECT_NEAR(rows[0], 0.01 + 0.01, 1e-15);
    EXPECT_NEAR(rows[4], 0.02 + 0.04, 1e-15);
    EXPECT_NEAR(rows[1], 0.1 * 0.2 * 2 * std::exp(-1.0), 1e-15);  // a distance of one length
    EXPECT_EQ(rows[1], rows[3]);
    EXPECT_NEAR(rows[2], 0.1 * 0.2 * 0.5, 1e-15);
    errors.directed = {0.3, 0.4};
    errors.spread = std::sqrt(2.0);  // the chord of a right angle
    const std::vector<double> more = error_covariance(errors, picks);
    EXPECT_NEAR(more[1] - rows[1], 0.09, 1e-15);  // both rays leave straight down
    EXPECT_NEAR(more[2] - rows[2], 0.5 * 0.12 * (7.0 / 3) * std::exp(-1.0), 1e-15);
    EXPECT_NEAR(errors.common_variance(Phase::S, 4), 0.04 + 0.16, 1e-15);
}

/// Residuals are drawn with known errors, and a place and an origin time are fitted to them, which
/// takes the smoothest part.
TEST(SharedErrors, AreFoundFromResidualsThatAPlaceWasFittedTo) {
    ModelErrors truth;
    truth.own = {0.02, 0.04};
    truth.shared = {0.15, 0.25};
    truth.length = 8;
    truth.likeness = 0.8;
    truth.typical_time = 6;
    RandomStream random(3);
    std::vector<ErrorSample> samples;
    for (int event = 0; event < 80; ++event) {
        ErrorSample sample;
        for (int n = 0; n < 36; ++n) {
            const double x = 60 * random.uniform() - 30;
            const double y = 60 * random.uniform() - 30;
            const bool s = n % 3 == 2;
            const double r = std::sqrt(x * x + y * y + 100);
            sample.picks.push_back({{x, y, 0},
                                    Vec3{x / r, y / r, -10 / r},
                                    s ? Phase::S : Phase::P,
                                    r / (s ? 3 : 5),
                                    4e-4});
            sample.gradients.push_back((s ? -1 / 3.0 : -1 / 5.0) * Vec3{x / r, y / r, -10 / r});
        }
        const std::size_t count = sample.picks.size();
        std::vector<ErrorPick> all = sample.picks;
        for (ErrorPick& pick : all) {
            pick.variance += std::pow(truth.own[static_cast<std::size_t>(pick.phase)], 2);
        }
        const std::vector<double> rows = error_covariance(truth, all);
        // L z, column by column of L: L e_k = (L^-1)^-1 e_k is found by solving for A e and back.
        std::vector<double> factor = rows;
        for (std::size_t i = 0; i < count; ++i) {
            for (std::size_t j = 0; j <= i; ++j) {
                double sum = rows[i * count + j];
                for (std::size_t k = 0; k < j; ++k) {
                    sum -= factor[i * count + k] * factor[j * count + k];
                }
                factor[i * count + j] = i == j ? std::sqrt(sum) : sum / factor[j * count + j];
            }
        }
        std::vector<double> noise(count);
        for (double& value : noise) value = random.normal();
        for (std::size_t i = 0; i < count; ++i) {
            double sum = 5 + 0.3 * sample.gradients[i].x - 0.7 * sample.gradients[i].z;
            for (std::size_t k = 0; k <= i; ++k) sum += factor[i * count + k] * noise[k];
            sample.residuals.push_back(sum);
        }
        samples.push_back(std::move(sample));
    }
    const std::array<double, phase_count> guess = {0.1, 0.2};
    const ModelErrors found = fit_model_errors(samples, guess, 2);
    EXPECT_NEAR(found.length / truth.length, 1, 0.25);
    for (std::size_t p = 0; p < 2; ++p) {
        const double growth = std::sqrt(found.typical_time / truth.typical_time);
        EXPECT_NEAR(found.shared[p] / (truth.shared[p] * growth), 1, 0.2);
    }
    EXPECT_NEAR(found.likeness, truth.likeness, 0.1);
    const ModelErrors alone = fit_model_errors(samples, guess, 1);
    EXPECT_EQ(found.length, alone.length);
}

TEST(WrongModel, RegionsHoldTheTruePlacesAsOftenAsTheySay) {
    QuakeOptions options;
    options.events = 200;
    options.noise = 0.03;
    const Survey truth = quakes(test::waving_crust(), options);
    const Medium medium = straight_crust();
    LocateOptions independent;
    independent.error_length = 0;
    const Catalogue blind = locate(medium, forgotten(truth), independent);
    const Catalogue found = locate(medium, forgotten(truth));
    EXPECT_TRUE(found.errors.is_shared());
    const Shares before = shares_of(truth, blind);
    const Shares after = shares_of(truth, found);
    EXPECT_LT(before.in_68, 0.6);
    EXPECT_NEAR(after.in_68, 0.68, 0.12);
    EXPECT_GT(after.in_95, 0.9);
}

TEST(WrongModel, RegionsOfPairsOfPicksDoToo) {
    QuakeOptions options;
    options.events = 40;
    options.noise = 0.03;
    const Survey truth = quakes(test::waving_crust(), options);
    const Medium medium = straight_crust();
    LocateOptions pairs;
    pairs.likelihood = LikelihoodKind::edt;
    const Shares after = shares_of(truth, locate(medium, forgotten(truth), pairs));
    LocateOptions independent = pairs;
    independent.error_length = 0;
    const Shares before = shares_of(truth, locate(medium, forgotten(truth), independent));
    EXPECT_GT(after.in_68, before.in_68 + 0.1);
    EXPECT_GT(after.in_95, 0.85);
}

TEST(WrongModel, SamplesSpreadAsTheEllipsoidDoes) {
    QuakeOptions options;
    options.events = 40;
    options.noise = 0.03;
    const Survey truth = quakes(test::waving_crust(), options);
    const Medium medium = straight_crust();
    LocateOptions drawn;
    drawn.samples = 400;
    const Catalogue smooth = locate(medium, forgotten(truth));
    const Catalogue sampled = locate(medium, forgotten(truth), drawn);
    double ratio = 0;
    for (std::size_t n = 0; n < 40; ++n) {
        ratio +=
            std::sqrt(sampled.events[n].covariance[0][0] / smooth.events[n].covariance[0][0]) / 40;
    }
    EXPECT_NEAR(ratio, 1, 0.15);
}

/// Waves come later to each station by a time of its own.
Survey delayed(Survey survey, double size) {
    RandomStream random(11);
    std::vector<double> delay;
    for (std::size_t n = 0; n < survey.stations.size(); ++n)
        delay.push_back(size * random.normal());
    for (Arrival& arrival : survey.arrivals) {
        arrival.time += delay[static_cast<std::size_t>(arrival.station)];
    }
    return survey;
}

/// Mean distance from the true places once their mean is taken off.
double scatter(const Survey& truth, const Catalogue& found) {
    const auto count = static_cast<double>(truth.events.size());
    Vec3 mean;
    for (std::size_t n = 0; n < truth.events.size(); ++n) {
        mean = mean + (found.events[n].position - truth.events[n].position) / count;
    }
    double sum = 0;
    for (std::size_t n = 0; n < truth.events.size(); ++n) {
        sum += norm(found.events[n].position - truth.events[n].position - mean) / count;
    }
    return sum;
}

TEST(DelayTerms, ThatAreFoundTakeUpDelaysOfStations) {
    const Model model = test::waving_crust();
    const Medium medium = Medium::of_ratio(model, test::synthetic_vp_vs);
    QuakeOptions options;
    options.events = 120;
    options.noise = 0.02;
    const Survey clean = quakes(model, options);
    const Survey late = delayed(clean, 0.2);
    LocateOptions with;
    with.terms = TermSearch::fixed;
    LocateOptions independent;
    independent.error_length = 0;
    const Catalogue without = locate(medium, forgotten(late), independent);
    const Catalogue found = locate(medium, forgotten(late), with);
    ASSERT_TRUE(found.terms.has_value());
    // Delays move all events alike, which no residual shows: places are compared without their
    // mean.
    const double before = scatter(late, without);
    const double after = scatter(late, found);
    EXPECT_LT(after, 0.5 * before);
    // P and S of a station were late by the same; the mean of all is the origin times'.
    for (std::size_t s = 0; s < late.stations.size(); ++s) {
        EXPECT_NEAR(found.terms->fixed[s][0], found.terms->fixed[s][1], 0.1);
    }
    // Terms that are given are used as they are, and lead to the same places.
    LocateOptions given;
    given.given_terms = found.terms;
    const Catalogue again = locate(medium, forgotten(late), given);
    for (std::size_t n = 0; n < late.events.size(); ++n) {
        EXPECT_LT(distance(found.events[n].position, again.events[n].position), 0.02);
    }
}

/// Distances between events, which terms that depend on the place sharpen.
/// A point at the place and one two radii away, beside a fixed term: the closed form.
TEST(DelayTerms, AreMeansOfNearEventsDrawnToThoseOfAWiderArea) {
    DelayTerms terms;
    terms.fixed = {{0.2, 0}};
    terms.radius = 3;
    terms.points.resize(1);
    terms.points[0][0] = {{{0, 0, 8}, 1.0, 1}, {{6, 0, 8}, -0.5, 0.5}};
    terms.sort_points();
    const double near = 0.5 * std::exp(-2.0);
    const double wide = 0.5 * std::exp(-2.0 / 6.25);
    const double area = (0.2 + 1 - 0.5 * wide) / (2 + wide);
    EXPECT_NEAR(terms.at(0, Phase::P, {0, 0, 8}), (1 - 0.5 * near + area) / (2 + near), 1e-12);
    EXPECT_DOUBLE_EQ(terms.at(0, Phase::P, {100, 0, 8}), 0.2);  // far from all
    EXPECT_DOUBLE_EQ(terms.at(0, Phase::S, {0, 0, 8}), 0);
}

TEST(DelayTerms, ThatDependOnThePlaceSharpenDistances) {
    QuakeOptions options;
    options.events = 200;
    options.noise = 0.01;
    options.low = {22, 22, 6};
    options.high = {38, 38, 12};
    const Survey truth = quakes(test::waving_crust(), options);
    const Medium medium = straight_crust();
    const auto misfit = [&](const Catalogue& found) {
        double sum = 0;
        int count = 0;
        for (std::size_t a = 0; a < truth.events.size(); ++a) {
            for (std::size_t b = 0; b < a; ++b) {
                const Vec3 apart = truth.events[a].position - truth.events[b].position;
                if (norm(apart) > 3) continue;
                sum += norm(found.events[a].position - found.events[b].position - apart);
                ++count;
            }
        }
        return sum / count;
    };
    LocateOptions by_place;
    by_place.terms = TermSearch::by_place;
    const double before = misfit(locate(medium, forgotten(truth)));
    const Catalogue found = locate(medium, forgotten(truth), by_place);
    EXPECT_TRUE(found.terms->by_place());
    EXPECT_LT(misfit(found), 0.6 * before);
    LocateOptions wrong;
    wrong.term_radius = 2;
    test::expect_error<InputError>([&] { locate(medium, forgotten(truth), wrong); }, "term_radius");
}

TEST(DistanceWeights, DistantPicksCountForNothing) {
    const Model model = test::waving_crust();
    const Medium medium = Medium::of_ratio(model, test::synthetic_vp_vs);
    QuakeOptions options;
    options.events = 20;
    options.noise = 0.01;
    const Survey clean = quakes(model, options);
    Survey spoilt = clean;
    for (Arrival& arrival : spoilt.arrivals) {
        const Vec3 way = spoilt.station_of(arrival).position - spoilt.event_of(arrival).position;
        if (std::hypot(way.x, way.y) > 32) arrival.time += 0.25;
    }
    LocateOptions tapered;
    tapered.model_error = 0.05;
    tapered.near = 20;
    tapered.far = 31;
    LocateOptions plain = tapered;
    plain.far.reset();
    double with = 0;
    double without = 0;
    const Catalogue near = locate(medium, forgotten(spoilt), tapered);
    const Catalogue all = locate(medium, forgotten(spoilt), plain);
    for (std::size_t n = 0; n < clean.events.size(); ++n) {
        with += distance(near.events[n].position, clean.events[n].position);
        without += distance(all.events[n].position, clean.events[n].position);
    }
    EXPECT_LT(with, 0.3 * without);
    tapered.far = 10;
    test::expect_error<InputError>([&] { locate(medium, forgotten(spoilt), tapered); },
                                   "far is 10 and near is 20");
}

TEST(Quality, FollowsHypo71sTable) {
    Hypocentre event;
    event.status = LocationStatus::located;
    event.rms = 0.1;
    event.covariance[0][0] = event.covariance[1][1] = 0.25;
    event.covariance[2][2] = 1;
    event.used = 10;
    event.gap = 80;
    event.nearest = 4;
    EXPECT_EQ(quality_of(event, 8, 1), Quality::A);
    event.gap = 200;  // D of its stations and A of its errors
    EXPECT_EQ(quality_of(event, 8, 1), Quality::C);
    event.gap = 100;
    event.rms = 0.2;
    EXPECT_EQ(quality_of(event, 8, 1), Quality::B);
    event.rms = 2;
    EXPECT_EQ(quality_of(event, 8, 1), Quality::C);
    event.used = 5;
    EXPECT_EQ(quality_of(event, 8, 1), Quality::D);
    event.status = LocationStatus::few_used;
    EXPECT_EQ(quality_of(event, 8, 1), Quality::none);
}

TEST(AtGround, EventsThatTheGroundHoldsAreToldApart) {
    const Model model = test::waving_crust();
    const Medium medium = Medium::of_ratio(model, test::synthetic_vp_vs);
    QuakeOptions options;
    options.events = 6;
    options.noise = 0.01;
    options.low = {20, 20, 2};
    options.high = {40, 40, 3};
    const Survey truth = quakes(model, options);
    // The ground is said to lie below the events.
    const std::vector<Vec3> level = {{0, 0, 5}, {60, 0, 5}, {0, 60, 5}, {60, 60, 5}};
    const Surface ground(Surface::Kind::area, level);
    Notes notes;
    LocateOptions given;
    given.model_error = 0.2;
    const Catalogue found = locate(medium, forgotten(truth), given, &ground, {}, &notes);
    for (const Hypocentre& event : found.events) {
        EXPECT_EQ(event.status, LocationStatus::at_ground);
        EXPECT_GE(event.position.z, 5);
        EXPECT_TRUE(is_located(event.status));
    }
}

}  // namespace
}  // namespace fermat
