#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "core/error.hpp"
#include "core/option_names.hpp"
#include "model/makers.hpp"
#include "times/times.hpp"
#include "tomography/gauss_newton/dealt_rows.hpp"
#include "tomography/gauss_newton/predict.hpp"
#include "tomography/invert.hpp"
#include "tomography/joint/event_blocks.hpp"
#include "tomography/joint/invert_joint.hpp"
#include "tomography/joint/joint_step.hpp"
#include "tomography/joint/station_terms.hpp"
#include "tomography/joint_survey.hpp"
#include "tomography/synthetic.hpp"

namespace fermat {
namespace {

using Vector = std::vector<double>;
using test::Made;
using test::moving;

/// Solves a x = b by Gaussian elimination with pivots.
Vector dense_solution(std::vector<Vector> a, Vector b) {
    const std::size_t n = b.size();
    for (std::size_t c = 0; c < n; ++c) {
        std::size_t best = c;
        for (std::size_t r = c; r < n; ++r) {
            if (std::abs(a[r][c]) > std::abs(a[best][c])) best = r;
        }
        std::swap(a[c], a[best]);
        std::swap(b[c], b[best]);
        for (std::size_t r = c + 1; r < n; ++r) {
            const double f = a[r][c] / a[c][c];
            for (std::size_t k = c; k < n; ++k) a[r][k] -= f * a[c][k];
            b[r] -= f * b[c];
        }
    }
    for (std::size_t c = n; c-- > 0;) {
        for (std::size_t k = c + 1; k < n; ++k) b[c] -= a[c][k] * b[k];
        b[c] /= a[c][c];
    }
    return b;
}

/// Columns of the joint matrix: Vp, Vp/Vs, terms, and four per event.
std::vector<Vector> joint_columns(const Made& made, const JointLayout& layout,
                                  const StationTerms& terms) {
    std::vector<Vector> columns(layout.size(), Vector(made.weights.size(), 0.0));
    for (std::size_t n = 0; n < made.weights.size(); ++n) {
        const double w = made.weights[n];
        for (auto e = made.rows.start[n]; e < made.rows.start[n + 1]; ++e) {
            const auto at = static_cast<std::size_t>(e);
            const auto column = static_cast<std::size_t>(made.rows.column[at]);
            columns[column][n] += w * static_cast<double>(made.rows.value[at]);
            if (column >= layout.grid) {
                columns[column - layout.grid][n] += w * static_cast<double>(made.rows.value[at]);
            }
        }
        columns[layout.velocities() + terms.of(n)][n] = w * terms.unit();
        const auto event = static_cast<std::size_t>(made.picks.arrivals[n].event);
        const Vec3 g = made.slopes[n];
        const EventVector row{g.x, g.y, g.z, 1};
        for (std::size_t i = 0; i < event_unknowns; ++i) {
            const bool few = event == 4 && i < 3;
            columns[layout.solved() + event_unknowns * event + i][n] = few ? 0 : w * row[i];
        }
    }
    return columns;
}

TEST(JointStep, SeparatedParametersSolveTheJointMatrix) {
    Made made(0);
    const Unknowns unknowns(made.model, {1, 1, 1});
    made = Made(unknowns.size());
    RoughnessOptions rough;
    rough.kind = Regularisation::second;
    const Roughness roughness(unknowns, rough);
    const StationTerms terms(made.picks, made.slots, 2, true, made.errors);
    JointOptions options = moving();
    options.prior = {2, 3, 0};
    EventBlocks events(made.picks, made.model.grid(), options);
    JointLayout layout{unknowns.size(), true, true, true, terms.size(), made.picks.events.size()};
    const double ratio_weight = 3;
    JointStep step({unknowns, roughness, roughness, ratio_weight, layout, terms, events, 2});
    const double mu = 1e-3;
    Vector shift(event_unknowns * layout.events, 0.0);
    for (std::size_t n = 0; n < shift.size(); ++n)
        shift[n] = n < 16 ? 0.02 * std::cos(3.0 * static_cast<double>(n)) : 0;
    events.renew(made.slopes, made.weights, shift, mu);
    const WeightedRows rows(UnknownRows(made.rows), made.weights, layout.velocities());
    Vector m(layout.size());
    for (std::size_t u = 0; u < layout.velocities(); ++u)
        m[u] = 0.1 * std::sin(1.0 + static_cast<double>(u));
    const double lambda = 0.7;
    Vector left;
    const auto found =
        step.solve(rows, made.weights, made.residual, m, {lambda, 0}, {1e-10, 2000}, left);
    ASSERT_TRUE(found.converged);

    // The step by the whole matrix. Terms have mean 0 per phase by a heavy penalty on the mean.
    const auto columns = joint_columns(made, layout, terms);
    const std::size_t all = layout.size();
    std::vector<Vector> normal(all, Vector(all, 0.0));
    Vector right(all, 0.0);
    for (std::size_t i = 0; i < all; ++i) {
        for (std::size_t n = 0; n < made.weights.size(); ++n) {
            right[i] += columns[i][n] * made.residual[n];
            for (std::size_t j = 0; j < all; ++j) normal[i][j] += columns[i][n] * columns[j][n];
        }
    }
    for (std::size_t u = 0; u < layout.velocities(); ++u) {
        const bool ratio = u >= layout.grid;
        const double weight = lambda * (ratio ? ratio_weight : 1);
        Vector unit(layout.grid, 0.0);
        Vector of_unit(layout.grid);
        unit[ratio ? u - layout.grid : u] = 1;
        roughness.apply(unit, of_unit, 1);
        for (std::size_t v = 0; v < layout.grid; ++v) {
            const std::size_t at = v + (ratio ? layout.grid : 0);
            normal[u][at] += weight * of_unit[v];
            right[u] -= weight * of_unit[v] * m[at];
        }
    }
    const std::size_t stations = made.picks.stations.size();
    for (std::size_t t = 0; t < layout.terms; ++t) {
        const std::size_t at = layout.velocities() + t;
        normal[at][at] += 1;
        for (std::size_t other = t / stations * stations; other < (t / stations + 1) * stations;
             ++other) {
            normal[at][layout.velocities() + other] += 1e8;
        }
    }
    for (std::size_t e = layout.solved(); e < all; ++e) {
        const std::size_t n = e - layout.solved();
        const double belief = n % 4 == 0 ? 1.0 / 4 : n % 4 == 1 ? 1.0 / 9 : 0;
        normal[e][e] = normal[e][e] > 0 ? (1 + mu) * normal[e][e] + belief : 1;
        right[e] -= belief * shift[n];
    }
    const Vector whole = dense_solution(normal, right);
    for (std::size_t u = 0; u < layout.solved(); ++u) EXPECT_NEAR(found.d[u], whole[u], 1e-5);
    const Vector before = shift;
    std::vector<bool> bounded;
    events.step(made.model, left, shift, bounded);
    for (std::size_t e = 0; e < layout.events; ++e) {
        EXPECT_EQ(events.use_of(e), e == 4 ? EventUse::few_picks : EventUse::moved);
        if (bounded[e]) continue;
        for (std::size_t i = 0; i < event_unknowns; ++i) {
            const std::size_t at = event_unknowns * e + i;
            EXPECT_NEAR(shift[at] - before[at], whole[layout.solved() + at], 1e-5);
        }
    }
    double mean = 0;
    for (std::size_t t = 0; t < stations; ++t) mean += found.d[layout.velocities() + t];
    EXPECT_NEAR(mean, 0, 1e-9);
}

TEST(ReceiverSlope, IsTheDerivativeOfTheTimeByThePlace) {
    const Model model = gradient_model(Grid{{25, 25, 17}, {0, 0, 0}, {1, 1, 1}}, 4, 0.1);
    const Vec3 station{4, 5, 0};
    const Vec3 event{16.3, 13.7, 9.4};
    const Survey shot = survey_of(std::vector<PointSource>{{station, 0}}, std::vector<Vec3>{event});
    const Unknowns unknowns(model, {4, 4, 4});
    const std::vector<float> slopes(model.given().size(), 1.0F);
    const Prediction found = predict(model, shot, unknowns, slopes, {}, {}, {true});
    const TimeField field = solve(model, {station, 0}, {}, {});
    for (int axis = 0; axis < 3; ++axis) {
        Vec3 above = event;
        Vec3 below = event;
        above[axis] += 0.5;
        below[axis] -= 0.5;
        const double slope = time_at(field, above) - time_at(field, below);
        EXPECT_NEAR(found.receiver_slope[0][axis], slope, 0.005) << axis;
    }
}

/// Events in the middle of a box below stations on its top, true and as a catalogue has them.
struct Quakes {
    Model start;
    Model truth;
    Model s_truth;
    Survey real;
    Survey mislocated;
};

Quakes quakes(int events, double off, double late) {
    const Grid grid{{19, 19, 11}, {0, 0, 0}, {2, 2, 2}};
    Model start = gradient_model(grid, 5, 0.05);
    Model truth = checkerboard_model(start, {{12, 12, 10}, 0.06});
    Model s_truth = Medium::of_ratio(truth, 1.75).of(Phase::S);
    std::mt19937 engine(11);
    std::uniform_real_distribution<double> any(0, 1);
    std::normal_distribution<double> normal;
    Survey real;
    for (int n = 0; n < 25; ++n) {
        real.stations.push_back({{2.0 + 8 * (n % 5), 2.0 + 8 * (n / 5), 0}});
    }
    for (int n = 0; n < events; ++n) {
        real.events.push_back(
            {{5 + 26 * any(engine), 5 + 26 * any(engine), 3 + 13 * any(engine)}, 100.0 * n});
    }
    for (int e = 0; e < events; ++e) {
        for (int s = 0; s < 25; ++s) {
            if ((7 * e + s) % 3 == 0) continue;
            real.arrivals.push_back({e, s, 0, 0, Phase::P});
            if ((e + s) % 2 == 0) real.arrivals.push_back({e, s, 0, 0, Phase::S});
        }
    }
    for (const Phase phase : {Phase::P, Phase::S}) {
        const auto numbers = arrivals_of(real, phase);
        const Survey made =
            synthetic_picks(phase == Phase::P ? truth : s_truth, subset(real, numbers), {0.02, 5})
                .picks;
        for (std::size_t n = 0; n < numbers.size(); ++n) {
            Arrival& pick = real.arrivals[static_cast<std::size_t>(numbers[n])];
            pick.time = made.arrivals[n].time;
            pick.error = 0.02;
        }
    }
    real.has_errors = true;
    Survey mislocated = real;
    for (Event& event : mislocated.events) {
        Vec3 way{normal(engine), normal(engine), normal(engine)};
        way = (off / norm(way)) * way;
        event.position = grid.clamp(event.position + way);
        event.origin_time += late * normal(engine);
    }
    return {std::move(start), std::move(truth), std::move(s_truth), std::move(real),
            std::move(mislocated)};
}

double median_distance(const std::vector<JointEvent>& found, const Survey& real) {
    Vector distances;
    for (std::size_t e = 0; e < found.size(); ++e) {
        distances.push_back(norm(found[e].position - real.events[e].position));
    }
    std::nth_element(distances.begin(), distances.begin() + 20, distances.end());
    return distances[20];
}

TEST(JointInversion, FindsVelocitiesAndPlacesTogetherWithTheSameBitsForAnyThreads) {
    const Quakes made = quakes(40, 2, 0.3);
    InversionOptions options;
    options.joint.relocate = Relocate::all;
    options.joint.vp_vs = 1.75;
    options.gauss_newton.ratio = {2, 2, 2};
    options.gauss_newton.terms = Terms::receiver;
    options.gauss_newton.iterations = 8;
    std::optional<InversionState> middle;
    InversionListener listener;
    listener.update = [&](const InversionState& state) {
        if (state.history.size() == 4) {
            middle = state.copy();
        }
    };
    Execution one;
    one.threads = 1;
    Execution two;
    two.threads = 2;
    const InversionResult found = invert(made.start, made.mislocated, options, one, listener);
    EXPECT_LT(median_distance(found.events, made.real), 0.5);
    EXPECT_LT(found.history.back().misfit.chi2, 0.1 * found.history.front().misfit.chi2);
    for (std::size_t n = 1; n < found.history.size(); ++n) {
        EXPECT_LE(found.history[n].misfit.rms, 1.05 * found.history[n - 1].misfit.rms);
    }
    ASSERT_TRUE(found.s_model.has_value());
    EXPECT_EQ(found.terms.receiver.size(), 25U);
    EXPECT_EQ(found.terms.receiver_s.size(), 25U);

    ASSERT_TRUE(middle.has_value());
    const InversionResult again =
        invert(made.start, made.mislocated, options, two, {}, std::move(middle));
    const auto same = [](const auto& a, const auto& b) {
        return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
    };
    EXPECT_TRUE(same(again.model.given(), found.model.given()));
    EXPECT_TRUE(same(again.s_model->given(), found.s_model->given()));
    EXPECT_EQ(again.terms.receiver_s, found.terms.receiver_s);
    for (std::size_t e = 0; e < found.events.size(); ++e) {
        EXPECT_EQ(again.events[e].position, found.events[e].position);
        EXPECT_EQ(again.events[e].origin_time, found.events[e].origin_time);
    }
}

/// Rows of all picks of P in the start model, with four columns per event behind the grid's.
TEST(JointInversion, AStartOfTwoModelsIsThatOfTheirRatio) {
    const Quakes made = quakes(8, 1, 0.1);
    const Medium both = Medium::of_ratio(made.start, 1.75);
    InversionOptions options;
    options.joint.relocate = Relocate::times;
    options.gauss_newton.iterations = 2;
    const InversionResult of_models = invert(both, made.mislocated, options);
    const std::string name = run_fingerprint(both, made.mislocated, options, Device::cpu);
    EXPECT_NE(run_fingerprint(made.start, made.mislocated, options, Device::cpu), name);
    options.joint.vp_vs = 1.75;
    const InversionResult of_ratio = invert(made.start, made.mislocated, options);
    EXPECT_TRUE(std::ranges::equal(of_models.model.given(), of_ratio.model.given()));
    EXPECT_TRUE(std::ranges::equal(of_models.s_model->given(), of_ratio.s_model->given()));
    EXPECT_THROW(invert(both, made.mislocated, options), InputError);  // S twice
}

TEST(JointStep, SeparatedParametersNeedFewerIterationsThanTheJointMatrix) {
    const Quakes made = quakes(40, 2, 0.3);
    const Survey picks = subset(made.mislocated, arrivals_of(made.mislocated, Phase::P));
    const Unknowns unknowns(made.start, {2, 2, 2});
    std::vector<float> slopes(made.start.given().begin(), made.start.given().end());
    for (float& slope : slopes) slope = 1 / slope;
    const Prediction at = predict(made.start, exchanged(picks), unknowns, slopes, {}, {}, {true});
    const Vector weights(picks.arrivals.size(), 1 / 0.02);
    Vector residual;
    for (std::size_t n = 0; n < weights.size(); ++n) {
        const Arrival& pick = picks.arrivals[n];
        residual.push_back(weights[n] *
                           (pick.time - picks.event_of(pick).origin_time - at.time[n]));
    }
    std::vector<RowLot> lots = at.rows;
    UnknownRows alone;
    UnknownRows joint;
    std::vector<std::pair<const RowLot*, std::size_t>> row_of(weights.size());
    for (const RowLot& lot : lots) {
        for (std::size_t r = 0; r < lot.picks.size(); ++r) {
            row_of[static_cast<std::size_t>(lot.picks[r])] = {&lot, r};
        }
    }
    Vector damping(event_unknowns * picks.events.size(), 0.0);
    for (std::size_t n = 0; n < weights.size(); ++n) {
        const auto [lot, r] = row_of[n];
        for (auto e = static_cast<std::size_t>(lot->rows.start[r]);
             e < static_cast<std::size_t>(lot->rows.start[r + 1]); ++e) {
            for (UnknownRows* rows : {&alone, &joint}) {
                rows->column.push_back(lot->rows.column[e]);
                rows->value.push_back(lot->rows.value[e]);
            }
        }
        const Vec3 g = at.receiver_slope[n];
        const auto first = event_unknowns * static_cast<std::size_t>(picks.arrivals[n].event);
        for (std::size_t i = 0; i < event_unknowns; ++i) {
            const double a = i < 3 ? g[static_cast<int>(i)] : 1;
            joint.column.push_back(static_cast<std::int32_t>(unknowns.size() + first + i));
            joint.value.push_back(static_cast<float>(a));
            damping[first + i] += 1e-3 * weights[n] * weights[n] * a * a;
        }
        for (UnknownRows* rows : {&alone, &joint}) {
            rows->start.push_back(static_cast<std::int64_t>(rows->column.size()));
        }
    }
    const Roughness roughness(unknowns, {});
    const WeightedRows alone_rows(std::move(alone), weights, unknowns.size());
    const WeightedRows joint_rows(std::move(joint), weights, unknowns.size() + damping.size());
    const double lambda = 10 * alone_rows.trace() / roughness.trace();
    const SolveLimits limits{1e-4, 2000};

    StepSolver whole(unknowns, roughness, 1, damping);
    Vector right(joint_rows.columns());
    joint_rows.transposed_times(residual, right, 1);
    const LinearSolution together = whole.solve(joint_rows, right, lambda, limits);

    const StationTerms no_terms(picks, std::vector<std::int32_t>(weights.size(), 0), 1, false,
                                weights);
    EventBlocks events(picks, made.start.grid(), moving());
    events.renew(at.receiver_slope, weights, Vector(event_unknowns * picks.events.size(), 0.0),
                 1e-3);
    const JointLayout layout{unknowns.size(), false, true, false, 0, picks.events.size()};
    JointStep step({unknowns, roughness, roughness, 1, layout, no_terms, events, 1});
    Vector left;
    const LinearSolution separated = step.solve(
        alone_rows, weights, residual, Vector(layout.size(), 0.0), {lambda, 0}, limits, left);
    EXPECT_TRUE(separated.converged);
    EXPECT_LT(2 * separated.iterations, together.iterations)
        << separated.iterations << " and " << together.iterations;
    RecordProperty("separated", separated.iterations);
    RecordProperty("joint", together.iterations);
}

void expect_refused(const InversionOptions& options, const Survey& picks, const Model& start,
                    const char* why) {
    try {
        validate(options, picks, start);
        ADD_FAILURE() << why;
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
    }
}

TEST(JointInversion, RefusesWhatContradictsItself) {
    const Model start = gradient_model(Grid{{4, 3, 3}, {0, 0, 0}, {1, 1, 1}}, 5, 0.05);
    Made made(8);
    InversionOptions options;
    expect_refused(options, made.picks, start, "give an S model or `vp_vs`");
    options.joint.vp_vs = 0.9;
    expect_refused(options, made.picks, start, "must be > 1");
    options.joint.vp_vs = 1.7;
    options.method = InversionMethod::hole;
    expect_refused(options, made.picks, start, "`method=gauss-newton`");
    options.method = InversionMethod::automatic;
    options.gauss_newton.terms = Terms::both;
    expect_refused(options, made.picks, start, "`relocate=times`");
    options.gauss_newton.terms = Terms::none;
    made.picks.events[0].known.place = true;
    expect_refused(options, made.picks, start, "none moves");
    options.joint.relocate = Relocate::all;
    options.joint.least_picks = 3;
    expect_refused(options, made.picks, start, "from 4 to 1000");
}

}  // namespace
}  // namespace fermat
