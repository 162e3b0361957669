// Inversion in curved coordinates: what is put into a sphere or below a hill is found again, and
// lengths of the regularisation are true lengths.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "bench/earth_section.hpp"
#include "bench/metric_media.hpp"
#include "eikonal/metric/metric_solver.hpp"
#include "expect_error.hpp"
#include "rays/rays.hpp"
#include "survey/above_ground.hpp"
#include "survey/mapped_points.hpp"
#include "tomography/doubts.hpp"
#include "tomography/gauss_newton/predict.hpp"
#include "tomography/gauss_newton/roughness.hpp"
#include "tomography/invert.hpp"
#include "tomography/start/set_up.hpp"
#include "tomography/synthetic.hpp"

namespace fermat {
namespace {

/// A model with a bump of 8 % in the middle of its grid.
Model with_bump(const Model& start, Vec3 middle, Vec3 size) {
    const Grid& grid = start.grid();
    Field<float> velocity(grid.shape);
    for_each_node(grid.shape, [&](Index3 n) {
        const Vec3 u = grid.to_index(grid.position(n));
        double square = 0;
        for (int axis = 0; axis < 3; ++axis) {
            if (grid.shape[axis] == 1) continue;
            const double off = (u[axis] / (grid.shape[axis] - 1) - middle[axis]) / size[axis];
            square += off * off;
        }
        velocity(n) = static_cast<float>(start.velocity()(n) * (1 + 0.08 * std::exp(-square)));
    });
    return start.with_given(std::move(velocity));
}

Recovery recovered(const Model& start, const Model& truth, const Survey& geometry, double error) {
    Survey picks = synthetic_picks(truth, geometry, {error, 3}).picks;
    InversionOptions options;
    options.gauss_newton.roughness.kind = Regularisation::second;
    const InversionSetup setup =
        set_up_inversion(start.copy(), picks, options, {}, std::nullopt, {});
    const InversionResult found = invert(setup.start, setup.picks, setup.options);
    EXPECT_LT(found.history.back().misfit.chi2, 1.3);
    EXPECT_FALSE(found.model.is_plain());
    return recovery(start, truth, found.model, found.coverage, 1);
}

TEST(MetricInversion, FindsWhatIsInASphere) {
    const Grid grid{{13, 13, 9}, {-41.5, 178.5, 0}, {0.25, 0.25, 10}};
    CoordinateNumbers numbers;
    numbers.system = Coordinates::spherical;
    numbers.geodetic = true;
    const auto metric = std::make_shared<const Metric>(grid, numbers);
    const Model start =
        Model(grid, velocity_of(grid, *metric, [](Vec3 p) { return 6 + 0.02 * p.z; }))
            .with_metric(metric);
    std::vector<PointSource> sources;
    std::vector<Vec3> stations;
    const auto at = [&](double i, double j, double k) {
        return metric->mapping().to_user(
            {grid.coordinate(0, i), grid.coordinate(1, j), grid.coordinate(2, k)});
    };
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            stations.push_back(at(0.5 + 5.5 * i, 0.7 + 5.2 * j, 0));
            sources.push_back({at(1 + 4.9 * i, 1.5 + 4.8 * j, 7.5), 0});
            sources.push_back({at(0.5 + 5.4 * i, 0.5 + 5.6 * j, 4.5), 0});
        }
    }
    const Recovery score = recovered(start, with_bump(start, {0.5, 0.5, 0.4}, {0.2, 0.2, 0.3}),
                                     survey_of(sources, stations), 0.02);
    EXPECT_GT(score.correlation, 0.8);
    EXPECT_GT(score.amplitude, 0.5);
}

TEST(MetricInversion, FindsWhatIsBelowASteepHill) {
    const Grid grid{{41, 1, 17}, {}, {0.1, 0.1, 0.1}};
    CoordinateNumbers numbers;
    numbers.system = Coordinates::terrain;
    for (int i = 0; i < grid.shape.x; ++i) {
        const double x = grid.position({i, 0, 0}).x;
        numbers.surface.push_back(0.6 - 0.8 * std::exp(-2 * (x - 2) * (x - 2)));
    }
    const auto metric = std::make_shared<const Metric>(grid, numbers);
    const auto& surface = numbers.surface;
    const Model start =
        Model(grid, velocity_of(grid, *metric,
                                [&](Vec3 p) {
                                    const auto i = static_cast<std::size_t>(std::lround(p.x / 0.1));
                                    return 1 + 1.2 * (p.z - surface[i]);
                                }))
            .with_metric(metric);
    std::vector<PointSource> sources;
    std::vector<Vec3> stations;
    for (int n = 0; n < 14; ++n) {
        sources.push_back({metric->mapping().to_user({0.05 + 0.3 * n, 0, 0}), 0});
    }
    for (int n = 0; n < 39; ++n)
        stations.push_back(metric->mapping().to_user({0.1 + 0.1 * n, 0, 0}));
    const Recovery score = recovered(start, with_bump(start, {0.5, 0, 0.2}, {0.12, 1, 0.25}),
                                     survey_of(sources, stations), 0.002);
    EXPECT_GT(score.correlation, 0.8);
    EXPECT_GT(score.amplitude, 0.5);
}

TEST(MetricInversion, SourcesThatAreSolvedToFirstOrderAreCountedAndTold) {
    // A medium that no second order settles in.
    const Grid grid = unit_cube(9);
    std::mt19937 random(1);
    Field<float> velocity(grid.shape);
    for (float& v : velocity) v = static_cast<float>(1 + random() % 20);
    const Mat3 tensor = Mat3::diagonal(4, 1, 1);
    const Model start =
        Model(grid, std::move(velocity))
            .with_metric(std::make_shared<const Metric>(
                grid, CoordinateNumbers{}, tensors_of(grid, [&](Vec3) { return tensor; })));
    const std::vector<PointSource> sources = {{{0.5, 0.5, 0.5}, 0}, {{0.2, 0.8, 0.6}, 0}};
    const std::vector<Vec3> stations = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
    Notes told_of_rays;
    trace_rays(start, survey_of(sources, stations), {}, {}, &told_of_rays);
    ASSERT_EQ(told_of_rays.sentences().size(), 1U);
    EXPECT_EQ(told_of_rays.sentences().front().rfind("times of 2 sources are of first order", 0),
              0U);
    Survey picks = survey_of(sources, stations);
    for (Arrival& pick : picks.arrivals) {
        pick.time = 0.1;
        pick.error = 10;  // the start model explains them
    }
    const InversionOptions options;
    InversionResult found = invert(start, picks, options);
    EXPECT_EQ(found.first_order_sources, 2);
    const auto doubts = doubts_about(start, picks, options, found);
    const auto told = std::find_if(doubts.begin(), doubts.end(), [](const std::string& doubt) {
        return doubt.rfind("times of 2 sources", 0) == 0;
    });
    EXPECT_NE(told, doubts.end());
    found.first_order_sources = 0;
    EXPECT_EQ(doubts_about(start, picks, options, found).size() + 1, doubts.size());
}

TEST(MetricInversion, SourcesOfFirstOrderBesideJumpsAreCounted) {
    // Tensors have no finer grid round the source, and from 10 km times beside the jumps of the
    // crust do not settle to second order.
    const Grid grid{{17, 17, 17}, {0, 0, 0}, {0.1, 0.1, 5}};
    const Model sphere = ak135_model(grid);
    const Model start = sphere.with_metric(std::make_shared<const Metric>(
        grid, sphere.coordinates(), tensors_of(grid, [](Vec3) { return Mat3::identity(); })));
    const std::vector<PointSource> sources = {{{0.8, 0.8, 10}, 0}, {{0.8, 0.8, 0}, 0}};
    const std::vector<Vec3> stations = {{0, 0, 0}, {1.6, 0, 0}, {0, 1.6, 0}};
    Survey picks = survey_of(sources, stations);
    for (Arrival& pick : picks.arrivals) {
        pick.time = 20;
        pick.error = 1000;  // the start model explains them
    }
    const InversionOptions options;
    const InversionResult found = invert(start, picks, options);
    EXPECT_EQ(found.coarse_sources, 1);
    EXPECT_EQ(found.first_order_sources, 0);
    const auto doubts = doubts_about(start, picks, options, found);
    EXPECT_TRUE(std::any_of(doubts.begin(), doubts.end(), [](const std::string& doubt) {
        return doubt.find("are of first order beside jumps of velocity") != std::string::npos;
    }));
}

/// A sphere whose velocity is so rough that no second order settles in it.
Model rough_sphere() {
    const Grid grid{{9, 9, 9}, {0, 0, 0}, {0.1, 0.1, 40}};
    CoordinateNumbers numbers;
    numbers.system = Coordinates::spherical;
    std::mt19937 random(1);
    Field<float> velocity(grid.shape);
    for (float& v : velocity) v = static_cast<float>(1 + random() % 20);
    return Model(grid, std::move(velocity))
        .with_metric(std::make_shared<const Metric>(grid, numbers));
}

TEST(MetricInversion, AJointRunCountsTheFieldsOfFirstOrder) {
    const Model start = rough_sphere();
    const std::vector<PointSource> sources = {{{0.4, 0.4, 160}, 0}, {{0.2, 0.6, 200}, 0}};
    const std::vector<Vec3> stations = {{0, 0, 0}, {0.8, 0, 0}, {0, 0.8, 0}, {0.8, 0.8, 0}};
    Survey picks = survey_of(sources, stations);
    const std::size_t count = picks.arrivals.size();
    for (std::size_t n = 0; n < count; ++n) {
        picks.arrivals[n].time = 20;
        picks.arrivals[n].error = 1000;  // the start model explains them
        Arrival s = picks.arrivals[n];
        s.phase = Phase::S;
        s.time = 35;
        picks.arrivals.push_back(s);
    }
    InversionOptions options;
    options.joint.vp_vs = 1.75;
    const InversionResult found = invert(start, picks, options);
    ASSERT_TRUE(found.s_model.has_value());
    EXPECT_EQ(found.first_order_sources, 4);  // two of P and two of S
    const auto doubts = doubts_about(start, picks, options, found);
    const auto told = std::find_if(doubts.begin(), doubts.end(), [](const std::string& doubt) {
        return doubt.rfind("times of 4 sources or receivers, of 2 and 4 for P and again for S,",
                           0) == 0;
    });
    EXPECT_NE(told, doubts.end());
}

TEST(MetricInversion, ResidualsAreJudgedByTrueDistances) {
    const Grid grid{{13, 13, 9}, {-41.5, 178.5, 0}, {0.25, 0.25, 10}};
    CoordinateNumbers numbers;
    numbers.system = Coordinates::spherical;
    const Model model = Model(grid, Field<float>(grid.shape, 6.0F))
                            .with_metric(std::make_shared<const Metric>(grid, numbers));
    EXPECT_NEAR(model.place().distance({-40, 179, 0}, {-40, -180, 0}), 6371 * 0.01337, 0.1);
    // Shallow and deep events at the same epicentre: in degrees and km the depth would decide.
    const std::vector<PointSource> sources = {{{-41, 179, 0}, 0}, {{-41, 179, 70}, 0}};
    std::vector<Vec3> stations;
    for (int n = 0; n < 60; ++n) stations.push_back({-41 + 0.04 * n, 179, 0});
    Survey picks = survey_of(sources, stations);
    InversionResult result{model.copy(), {}, {}, {}, {}, {}};
    for (const Arrival& pick : picks.arrivals) {
        const double far = std::abs(picks.station_of(pick).position.x + 41);
        result.final_residual.push_back(far > 1.2 ? 0.1 : -0.1);
    }
    result.final_use.assign(picks.arrivals.size(), PickUse::used);
    IterationReport report;
    report.misfit.rms = 0.13;
    result.history.push_back(report);
    const auto told = [&](const Model& start) {
        InversionOptions options;
        options.joint.relocate = Relocate::all;  // picks have no times here
        result.events.resize(2);
        const auto doubts = doubts_about(start, picks, options, result);
        return std::any_of(doubts.begin(), doubts.end(), [](const std::string& doubt) {
            return doubt.rfind("residuals change with distance", 0) == 0;
        });
    };
    EXPECT_TRUE(told(model));
}

TEST(MetricInversion, PointsAboveTheGroundAreCounted) {
    const MetricMedium medium = mountain(11, 0);  // rows of 0.1, the ridge at a depth of -0.2
    Notes notes;
    note_above_ground(medium.model,
                      std::vector<Vec3>{{0.5, 0.5, -0.22}, {0.5, 0.5, -0.2}, {0.2, 0.2, 0.3}},
                      "receivers", notes);
    ASSERT_EQ(notes.sentences().size(), 1U);
    EXPECT_EQ(notes.sentences()[0].rfind(
                  "1 of 3 receivers lie above the model's ground, by up to 0.02,", 0),
              0U);
    note_above_ground(graded_section(11).model, std::vector<Vec3>{{0, 0, -1}}, "receivers", notes);
    EXPECT_EQ(notes.sentences().size(), 1U);
}

TEST(MetricInversion, EventsOnASphereMoveToWhereTheyWere) {
    const Grid grid{{13, 13, 9}, {-41.5, 178.5, 0}, {0.25, 0.25, 10}};
    CoordinateNumbers numbers;
    numbers.system = Coordinates::spherical;
    const auto metric = std::make_shared<const Metric>(grid, numbers);
    const Model start =
        Model(grid, velocity_of(grid, *metric, [](Vec3 p) { return 6 + 0.02 * p.z; }))
            .with_metric(metric);
    std::vector<PointSource> sources;
    std::vector<Vec3> stations;
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
            stations.push_back({-41.3 + 0.85 * i, 178.7 + 0.82 * j, 0});
            if (i < 3 && j < 3) {
                sources.push_back({{-41 + 0.9 * i, 179.2 + 0.8 * j, 25.0 + 5 * i + 3 * j}, 0});
            }
        }
    }
    for (const bool geodetic : {false, true}) {
        numbers.geodetic = geodetic;
        const Model model = start.with_metric(std::make_shared<const Metric>(grid, numbers));
        Survey picks = synthetic_picks(model, survey_of(sources, stations), {0.01, 3}).picks;
        for (std::size_t e = 0; e < picks.events.size(); ++e) {
            const double sign = e % 2 ? 1 : -1;
            Vec3& at = picks.events[e].position;
            at = at + Vec3{0.06 * sign, -0.08 * sign, 6};
        }
        InversionOptions options;
        options.joint.relocate = Relocate::all;
        options.joint.velocities = Velocities::none;
        const InversionResult found = invert(model, picks, options);
        ASSERT_EQ(found.events.size(), sources.size());
        for (std::size_t e = 0; e < sources.size(); ++e) {
            const JointEvent& event = found.events[e];
            const Vec3 off = event.position - sources[e].position;
            EXPECT_LT(std::abs(off.x), 0.01) << e;  // degrees: 1 km
            EXPECT_LT(std::abs(off.y), 0.01) << e;
            EXPECT_LT(std::abs(off.z), 1.5) << e;
            // Shifts and errors are km to the east, to the north and down.
            const double moved = model.place().distance(event.position, picks.events[e].position);
            EXPECT_NEAR(norm(event.shift), moved, 0.01 * moved) << e;
            EXPECT_GT(event.shift.x * (sources[e].position.y - picks.events[e].position.y), 0);
            for (int axis = 0; axis < 3; ++axis) {
                EXPECT_GT(event.error[axis], 0.01) << e;
                EXPECT_LT(event.error[axis], 1.5) << e;
            }
        }
    }
}

TEST(MetricInversion, SlopesAreDerivativesOfTimesByFlatPlaces) {
    // Of every kind of coordinates and of anisotropy, against differences of times.
    std::vector<std::pair<MetricMedium, const char*>> media;
    media.emplace_back(mountain(41, 0), "terrain");
    media.emplace_back(graded_section(81), "graded");
    media.emplace_back(power_law_block(41), "sphere");
    media.emplace_back(thomsen_cube(41), "TTI");
    for (const auto& [medium, name] : media) {
        const Place& place = medium.model.place();
        const Grid& grid = place.grid();
        const Mapping& mapping = place.mapping();
        Vec3 far;
        for (int axis = 0; axis < 3; ++axis) {
            const double share = axis == 0 ? 0.71 : axis == 1 ? 0.36 : 0.62;
            far[axis] = grid.coordinate(axis, share * (grid.shape[axis] - 1));
        }
        const Vec3 flat = mapping.flat_from_user(mapping.to_user(far));
        const auto time_to = [&](Vec3 at) {
            const Survey shot = survey_of(std::vector<PointSource>{{medium.source, 0}},
                                          std::vector<Vec3>{mapping.flat_to_user(at)});
            return synthetic_picks(medium.model, shot).picks.arrivals.front().time;
        };
        const Survey shot = survey_of(std::vector<PointSource>{{medium.source, 0}},
                                      std::vector<Vec3>{mapping.to_user(far)});
        const Unknowns unknowns(medium.model, {4, 4, 4});
        const std::vector<float> slopes(medium.model.given().size(), 1.0F);
        const Prediction found = predict(medium.model, shot, unknowns, slopes, {}, {}, {true});
        const Vec3 slope = found.receiver_slope[0];
        const double step = 0.5 * place.cell_at_middle().z;
        for (int axis = 0; axis < 3; ++axis) {
            if (grid.shape[axis] == 1) continue;
            Vec3 above = flat;
            Vec3 below = flat;
            above[axis] += step;
            below[axis] -= step;
            const double measured = (time_to(above) - time_to(below)) / (2 * step);
            EXPECT_NEAR(slope[axis], measured, 0.02 * norm(slope)) << name << ", axis " << axis;
        }
    }
}

TEST(MetricInversion, RoughnessIsThatOfTrueLengths) {
    // x^T R x of x = true depth is the integral of |grad x|^2, which is the true area.
    const MetricMedium medium = graded_section(41);
    const Unknowns unknowns(medium.model, {1, 1, 1});
    RoughnessOptions options;
    options.kind = Regularisation::first;
    const Roughness roughness(unknowns, options);
    std::vector<double> depth;
    const Grid& grid = medium.model.grid();
    for_each_node(grid.shape, [&](Index3 n) {
        depth.push_back(medium.model.mapping().to_user(grid.position(n)).z);
    });
    std::vector<double> out(depth.size());
    roughness.apply(depth, out, 1);
    double sum = 0;
    for (std::size_t n = 0; n < out.size(); ++n) sum += depth[n] * out[n];
    EXPECT_NEAR(sum, 2.0 * 2.0, 0.2);  // the columns at both ends count whole
    EXPECT_NEAR(unknowns.sizes().least_side, 2, 1e-9);
}

TEST(MetricInversion, WhatDoesNotKnowAMetricRefusesIt) {
    const MetricMedium medium = power_law_block(5);
    const PointSource source{medium.source, 0};
    const std::vector<Vec3> stations = {{1, 1, 0}, {1, 0, 0}};
    const Survey picks =
        synthetic_picks(medium.model, survey_of(std::span(&source, 1), stations)).picks;
    InversionOptions options;
    options.method = InversionMethod::hole;
    test::expect_error<InputError>([&] { invert(medium.model, picks, options); },
                                   "inversion method 'hole' knows isotropic velocity");
    const Survey outside = survey_of(std::span(&source, 1), std::vector<Vec3>{{1, 50, 0}});
    test::expect_error<InputError>([&] { synthetic_picks(medium.model, outside); },
                                   "receiver 0 at (1, 50, 0) is outside the model (must lie "
                                   "between (-3, -3, 0) and (3, 3, 200))");
}

}  // namespace
}  // namespace fermat
