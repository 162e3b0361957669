#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

#include "core/error.hpp"
#include "model/makers.hpp"
#include "tomography/gauss_newton/dealt_rows.hpp"
#include "tomography/invert.hpp"
#include "tomography/joint/difference_rows.hpp"
#include "tomography/joint/joint_step.hpp"
#include "tomography/joint_survey.hpp"
#include "tomography/synthetic.hpp"

namespace fermat {
namespace {

using Vector = std::vector<double>;
using test::Made;
using test::moving;

/// S of P and of S: events 0 and 1, 1 and 2, 2 and 3 at each station.
std::vector<TimeDifference> chained(const Survey& picks) {
    std::vector<TimeDifference> out;
    for (std::int32_t e = 0; e < 3; ++e) {
        for (std::int32_t s = 0; s < static_cast<std::int32_t>(picks.stations.size()); ++s) {
            const Phase phase = (e + s) % 2 == 0 ? Phase::P : Phase::S;
            out.push_back({e, e + 1, s, phase, DifferenceKind::correlation, 0.01 * s, 1});
        }
    }
    return out;
}

TEST(DifferenceRows, CoupledStepSolvesTheNormalEquationsOfPicksAndDifferences) {
    Made made(0);
    const Unknowns unknowns(made.model, {1, 1, 1});
    made = Made(unknowns.size());
    const Roughness roughness(unknowns, {});
    const StationTerms terms(made.picks, made.slots, 2, true, made.errors);
    JointOptions options = moving();
    options.prior = {2, 3, 0};
    DifferenceRows differences(made.picks, chained(made.picks), {}, 0.5);
    ASSERT_EQ(differences.arrivals().arrivals.size(), made.picks.arrivals.size());
    EventBlocks events(made.picks, made.model.grid(), options);
    const JointLayout layout{unknowns.size(),         true, true, true, terms.size(),
                             made.picks.events.size()};
    JointStep step({unknowns, roughness, roughness, 3, layout, terms, events, 2, &differences});

    Vector off(differences.size());
    for (std::size_t k = 0; k < off.size(); ++k)
        off[k] = 0.1 * std::sin(2.0 * static_cast<double>(k));
    std::vector<Vec3> places;
    for (const Event& event : made.picks.events) places.push_back(event.position);
    differences.weigh(off, places);
    const Vector q = differences.row_weights(made.weights);
    const Vector right = differences.right_side(made.residual);
    Vector shift(event_unknowns * layout.events, 0.0);
    for (std::size_t n = 0; n < 16; ++n) shift[n] = 0.02 * std::cos(3.0 * static_cast<double>(n));
    events.renew(made.slopes, q, shift, 1e-3);
    const WeightedRows rows(UnknownRows(made.rows), q, layout.velocities());
    Vector m(layout.size(), 0.0);
    for (std::size_t u = 0; u < layout.velocities(); ++u) {
        m[u] = 0.1 * std::sin(1.0 + static_cast<double>(u));
    }
    const auto found = step.solve_coupled(rows, q, right, m, {0.7, 0}, {1e-12, 5000});
    ASSERT_TRUE(found.converged);

    // The objective of picks and differences, written out. No direction makes it less.
    const auto objective = [&](const Vector& d) {
        Vector times(q.size());  // by which a step changes the arrivals
        rows.times(
            [&] {
                Vector slowness(d.begin(),
                                d.begin() + static_cast<std::ptrdiff_t>(layout.velocities()));
                for (std::size_t u = 0; u < layout.grid; ++u) slowness[layout.grid + u] += d[u];
                return slowness;
            }(),
            times, 1);
        double sum = 0;
        for (std::size_t n = 0; n < times.size(); ++n) {
            times[n] = q[n] > 0 ? times[n] / q[n] : 0;
            times[n] += terms.time_of(layout.terms_of(d), n);
            const auto e = static_cast<std::size_t>(made.picks.arrivals[n].event);
            const double* s = &d[layout.solved() + event_unknowns * e];
            const bool few = e == 4;
            if (!few) times[n] += dot(made.slopes[n], Vec3{s[0], s[1], s[2]});
            times[n] += s[3];
            const double z = made.residual[n] - made.weights[n] * times[n];
            sum += z * z;
        }
        const Vector off_now = [&] {
            Vector out = off;
            const Vector moved = differences.residuals(times);
            const Vector unmoved = differences.residuals(Vector(times.size(), 0.0));
            for (std::size_t k = 0; k < out.size(); ++k) out[k] += moved[k] - unmoved[k];
            return out;
        }();
        sum += differences.objective(off_now, off_now);
        Vector after(m);
        for (std::size_t u = 0; u < after.size(); ++u) after[u] += d[u];
        sum += 0.7 * step.roughness_of(after);
        for (const double term : layout.terms_of(after)) sum += term * term;
        Vector moved(shift);
        for (std::size_t n = 0; n < moved.size(); ++n) moved[n] += d[layout.solved() + n];
        sum += events.prior_of(moved);
        Vector damped(moved.size(), 0.0);
        const auto s = layout.events_of(d);
        events.add_damping(s, damped);
        double damping = 0;
        for (std::size_t n = 0; n < s.size(); ++n) damping += s[n] * damped[n];
        return sum + damping - events.prior_of(s);
    };
    const double least = objective(found.d);
    EXPECT_LT(least, 0.95 * objective(Vector(layout.size(), 0.0)));
    std::mt19937 engine(9);
    std::normal_distribution<double> normal;
    for (int trial = 0; trial < 20; ++trial) {
        Vector way(layout.size());
        for (double& part : way) part = normal(engine);
        terms.centre(std::span(way).subspan(layout.velocities(), layout.terms));
        for (std::size_t i = 0; i < 3; ++i) way[layout.solved() + 16 + i] = 0;  // too few picks
        constexpr double h = 1e-4;
        Vector ahead = found.d;
        Vector behind = found.d;
        for (std::size_t u = 0; u < way.size(); ++u) {
            ahead[u] += h * way[u];
            behind[u] -= h * way[u];
        }
        const double up = objective(ahead);
        const double down = objective(behind);
        EXPECT_GT(up + down, 2 * least);
        EXPECT_LT(std::abs(up - down), 1e-3 * (up + down - 2 * least) + 1e-9 * least);
    }
}

/// A swarm in slow rock below 16 stations: picks of 40 ms, correlations of 2 ms.
struct Swarm {
    Model start;
    Model truth;
    Survey real;
    Survey catalogue;
    std::vector<TimeDifference> correlations;
};

constexpr Vec3 middle{15, 15, 9};

Swarm swarm() {
    const Grid grid{{16, 16, 9}, {0, 0, 0}, {2, 2, 2}};
    Model start = gradient_model(grid, 5, 0.05);
    Field<float> velocity(grid.shape);
    std::copy(start.given().begin(), start.given().end(), velocity.begin());
    std::size_t n = 0;
    for (int i = 0; i < grid.shape.x; ++i) {
        for (int j = 0; j < grid.shape.y; ++j) {
            for (int k = 0; k < grid.shape.z; ++k, ++n) {
                const double far = norm(grid.position({i, j, k}) - middle) / 4;
                velocity[n] *= static_cast<float>(1 - 0.15 * std::exp(-far * far));
            }
        }
    }
    Model truth(grid, std::move(velocity));
    std::mt19937 engine(3);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> any(-1, 1);
    Survey real;
    for (int s = 0; s < 16; ++s) {
        real.stations.push_back({{3.0 + 8 * (s % 4), 3.0 + 8 * (s / 4), 0}});
    }
    for (int e = 0; e < 40; ++e) {
        const Vec3 off{2 * any(engine), 2 * any(engine), 2 * any(engine)};
        real.events.push_back({middle + off, 100.0 * e});
    }
    for (int e = 0; e < 40; ++e) {
        for (int s = 0; s < 16; ++s) real.arrivals.push_back({e, s, 0, 0.04, Phase::P});
    }
    const Survey exact = synthetic_picks(truth, real, {0, 1}).picks;
    for (std::size_t a = 0; a < real.arrivals.size(); ++a) {
        real.arrivals[a].time = exact.arrivals[a].time + 0.04 * normal(engine);
    }
    real.has_errors = true;
    Survey catalogue = real;
    for (Event& event : catalogue.events) {
        event.position =
            event.position + 0.7 * Vec3{normal(engine), normal(engine), normal(engine)};
        event.origin_time += 0.1 * normal(engine);
    }
    std::vector<TimeDifference> correlations;
    for (std::int32_t a = 0; a < 40; ++a) {
        for (std::int32_t b = a + 1; b < 40; ++b) {
            const auto first = static_cast<std::size_t>(a);
            const auto second = static_cast<std::size_t>(b);
            if (distance(real.events[first].position, real.events[second].position) > 2) continue;
            for (std::int32_t s = 0; s < 16; ++s) {
                // Waveforms are cut at the origin times of the catalogue.
                const auto travel = [&](std::size_t e) {
                    return exact.arrivals[16 * e + static_cast<std::size_t>(s)].time -
                           catalogue.events[e].origin_time;
                };
                const double gross = (a + b + s) % 50 == 0 ? 0.2 : 0;
                correlations.push_back(
                    {a, b, s, Phase::P, DifferenceKind::correlation,
                     travel(first) - travel(second) + 0.002 * normal(engine) + gross, 1});
            }
        }
    }
    return {std::move(start), std::move(truth), std::move(real), std::move(catalogue),
            std::move(correlations)};
}

/// Median distance from the true places, the mean shift of all events removed.
double relative_error(const std::vector<JointEvent>& found, const Survey& real) {
    Vec3 mean;
    for (std::size_t e = 0; e < found.size(); ++e) {
        mean = mean +
               (found[e].position - real.events[e].position) / static_cast<double>(found.size());
    }
    Vector far;
    for (std::size_t e = 0; e < found.size(); ++e) {
        far.push_back(norm(found[e].position - real.events[e].position - mean));
    }
    std::nth_element(far.begin(), far.begin() + 20, far.end());
    return far[20];
}

/// RMS of relative errors of velocity within 4 of the swarm's middle.
double velocity_error(const Model& found, const Model& truth) {
    const Grid& grid = truth.grid();
    double squares = 0;
    double count = 0;
    std::size_t n = 0;
    for (int i = 0; i < grid.shape.x; ++i) {
        for (int j = 0; j < grid.shape.y; ++j) {
            for (int k = 0; k < grid.shape.z; ++k, ++n) {
                if (norm(grid.position({i, j, k}) - middle) > 4) continue;
                const double off = static_cast<double>(found.given()[n]) / truth.given()[n] - 1;
                squares += off * off;
                count += 1;
            }
        }
    }
    return std::sqrt(squares / count);
}

TEST(DoubleDifferences, SharpenRelativePlacesAndVelocityBesideTheSources) {
    const Swarm made = swarm();
    InversionOptions options;
    options.joint.relocate = Relocate::all;
    options.gauss_newton.iterations = 8;
    Execution one;
    one.threads = 1;
    const InversionResult alone = invert(made.start, made.catalogue, options, one);
    Survey picks = made.catalogue;
    picks.differences = made.correlations;
    std::optional<InversionState> half;
    InversionListener listener;
    listener.update = [&](const InversionState& state) {
        if (state.history.size() != 4) return;
        half = state.copy();
    };
    const InversionResult found = invert(made.start, picks, options, one, listener);
    const double places = relative_error(found.events, made.real);
    const double places_alone = relative_error(alone.events, made.real);
    const double near = velocity_error(found.model, made.truth);
    const double near_alone = velocity_error(alone.model, made.truth);
    RecordProperty("places", std::to_string(places_alone) + " -> " + std::to_string(places));
    RecordProperty("velocity", std::to_string(near_alone) + " -> " + std::to_string(near));
    EXPECT_LT(places, 0.5 * places_alone) << places << " and " << places_alone;
    EXPECT_LT(near, 0.9 * near_alone) << near << " and " << near_alone;

    // Gross errors are thrown out, the others are met to their noise.
    ASSERT_EQ(found.differences.weights.size(), made.correlations.size());
    std::size_t wrong = 0;
    for (std::size_t k = 0; k < made.correlations.size(); ++k) {
        const TimeDifference& difference = made.correlations[k];
        const bool gross = (difference.first + difference.second + difference.station) % 50 == 0;
        wrong += gross && found.differences.weights[k] > 0;
    }
    EXPECT_EQ(wrong, 0U);
    EXPECT_LT(found.differences.rms[1], 0.006);
    EXPECT_GT(found.differences.rms_before[1], 5 * found.differences.rms[1]);

    Execution two;
    two.threads = 2;
    ASSERT_TRUE(half.has_value());
    const InversionResult again = invert(made.start, picks, options, two, {}, std::move(half));
    EXPECT_TRUE(std::equal(again.model.given().begin(), again.model.given().end(),
                           found.model.given().begin()));
    EXPECT_EQ(again.differences.residuals, found.differences.residuals);
    EXPECT_EQ(again.differences.rms_before[1], found.differences.rms_before[1]);
    for (std::size_t e = 0; e < found.events.size(); ++e) {
        EXPECT_EQ(again.events[e].position, found.events[e].position);
    }
}

TEST(DoubleDifferences, MoveEventsThatNobodyPickedAndAreRefusedWhereNoneMoves) {
    Swarm made = swarm();
    // Half of the picks of event 0 are gone: differences name arrivals that nobody picked.
    std::vector<std::int32_t> kept;
    for (std::int32_t n = 13; n < static_cast<std::int32_t>(made.catalogue.arrivals.size()); ++n) {
        kept.push_back(n);
    }
    made.catalogue.differences = made.correlations;
    const Survey picks = subset(made.catalogue, kept);
    InversionOptions options;
    options.joint.relocate = Relocate::all;
    options.joint.velocities = Velocities::none;
    options.gauss_newton.iterations = 4;
    const DifferenceRows rows(picks, picks.differences, {}, 1);
    EXPECT_EQ(rows.arrivals().arrivals.size(), picks.arrivals.size() + 13);
    EXPECT_NE(rows.description().find("13 arrivals that nobody picked"), std::string::npos);
    const InversionResult found = invert(made.start, picks, options);
    EXPECT_EQ(found.events[0].use, EventUse::moved);
    EXPECT_EQ(found.events[0].picks, 3);
    EXPECT_EQ(found.final_residual.size(), picks.arrivals.size());
    options.joint.relocate = Relocate::none;
    try {
        invert(made.start, picks, options);
        ADD_FAILURE();
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("`relocate=all`"), std::string::npos);
    }
}

}  // namespace
}  // namespace fermat
