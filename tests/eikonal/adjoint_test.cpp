// The adjoint of the factored scheme against differences of the times that it differentiates.
#include "eikonal/adjoint/adjoint.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <random>
#include <utility>

#include "core/error.hpp"
#include "eikonal/adjoint/field_adjoint.hpp"
#include "executions.hpp"
#include "expect_error.hpp"
#include "model/makers.hpp"
#include "one_by_one.hpp"

namespace fermat {
namespace {

using test::expect_error;
using test::on_cpu;

/// What J depends on.
struct Case {
    Grid grid;
    bool cells = false;
    int order = 2;
    Field<double> slowness;
    std::vector<PointSource> sources;
    std::vector<Vec3> receivers;
    std::vector<double> by_receivers;  ///< dJ/dT, by source and receiver
    std::vector<double> by_nodes;      ///< dJ/dT, by source and node; empty: none

    Model model() const {
        Field<float> velocity(slowness.shape());
        for (std::size_t n = 0; n < slowness.size(); ++n) {
            velocity[n] = std::isfinite(slowness[n]) ? static_cast<float>(1 / slowness[n]) : 0;
        }
        return cells ? Model::of_cells(grid, std::move(velocity))
                     : Model(grid, std::move(velocity));
    }
    Derive<double> derive() const {
        return [this](std::size_t n, const auto&) {
            TimeDerivatives by;
            by.receivers = std::span(by_receivers).subspan(n * receivers.size(), receivers.size());
            if (!by_nodes.empty()) {
                by.nodes = {by_nodes.data() + n * grid.node_count(), grid.shape};
            }
            return by;
        };
    }
    /// J is linear in the times.
    double objective() const {
        const Model rounded = model();
        const AdjointSurvey survey(rounded, slowness, sources, receivers, {.order = order});
        double sum = 0;
        for (std::size_t s = 0; s < sources.size(); ++s) {
            const auto field = survey.solve<double>(s, on_cpu());
            for (std::size_t r = 0; r < receivers.size(); ++r) {
                sum += by_receivers[s * receivers.size() + r] * time_at(field, receivers[r]);
            }
            if (by_nodes.empty()) continue;
            Field<double> times(grid.shape);
            write_times(field, times.view());
            for (std::size_t n = 0; n < times.size(); ++n) {
                if (std::isfinite(times[n])) sum += by_nodes[s * times.size() + n] * times[n];
            }
        }
        return sum;
    }
    AdjointGradient gradient(int threads = 1) const {
        const Model rounded = model();
        return adjoint<double>({rounded, slowness, sources, receivers, {.order = order}}, derive(),
                               on_cpu(threads));
    }
};

class Random {
  public:
    explicit Random(unsigned seed) : bits_(seed) {}
    double operator()(double low, double high) {
        return std::uniform_real_distribution<>(low, high)(bits_);
    }

  private:
    std::mt19937 bits_;
};

/// A smooth medium with a random part: no two ways are equally long.
Case random_case(unsigned seed, Grid grid, bool air, double rough = 0.05) {
    Random random(seed);
    Case c;
    c.grid = grid;
    c.slowness = Field<double>(grid.shape);
    const double a = random(0.2, 0.6);
    const double b = random(0.2, 0.6);
    for (int i = 0; i < grid.shape.x; ++i) {
        for (int j = 0; j < grid.shape.y; ++j) {
            for (int k = 0; k < grid.shape.z; ++k) {
                const bool wall = air && i == grid.shape.x / 2 && k < 2 * grid.shape.z / 3;
                c.slowness(i, j, k) = wall ? INFINITY
                                           : 0.4 + 0.1 * std::sin(a * i + b * k) +
                                                 0.05 * std::cos(b * i - a * j) + random(0, rough);
            }
        }
    }
    const auto place = [&] {
        const Vec3 u{random(0.05, 0.4), grid.is_2d() ? 0 : random(0.1, 0.9), random(0.1, 0.5)};
        return Vec3{grid.coordinate(0, u.x * (grid.shape.x - 1)),
                    grid.coordinate(1, u.y * (grid.shape.y - 1)),
                    grid.coordinate(2, u.z * (grid.shape.z - 1))};
    };
    c.sources = {{place(), 0.5}, {place(), -1}};
    for (int n = 0; n < 3; ++n) c.receivers.push_back(place());
    const Vec3 end = grid.far_corner();
    c.receivers.push_back({end.x, end.y, grid.coordinate(2, 1.5)});
    for (std::size_t n = 0; n < 2 * c.receivers.size(); ++n)
        c.by_receivers.push_back(random(-1, 1));
    return c;
}

void ask_nodes(Case& c, unsigned seed) {
    Random random(seed);
    for (std::size_t n = 0; n < c.sources.size() * c.grid.node_count(); ++n) {
        c.by_nodes.push_back(random(-0.1, 0.1));
    }
}

/// The adjoint's derivative along a change of everything, against a central difference.
void expect_derivatives(Case c, unsigned seed, double tolerance = 1e-6) {
    const AdjointGradient found = c.gradient();
    Random random(seed);
    const auto difference = [&](auto change, double step) {
        change(step);
        const double above = c.objective();
        change(-2 * step);
        const double below = c.objective();
        change(step);
        return (above - below) / (2 * step);
    };
    std::vector<double> way(c.slowness.size());
    double expected = 0;
    double size = 0;
    for (std::size_t n = 0; n < way.size(); ++n) {
        if (!std::isfinite(c.slowness[n])) continue;
        way[n] = random(-1, 1);
        expected += way[n] * found.slowness[n];
        size += std::abs(way[n] * found.slowness[n]);
    }
    const double by_slowness = difference(
        [&](double step) {
            for (std::size_t n = 0; n < way.size(); ++n) c.slowness[n] += step * way[n];
        },
        1e-7);
    EXPECT_NEAR(by_slowness, expected, tolerance * size);
    for (std::size_t s = 0; s < c.sources.size(); ++s) {
        for (int axis = 0; axis < 3; ++axis) {
            if (c.grid.is_2d() && axis == 1) continue;
            const double by_place =
                difference([&](double step) { c.sources[s].position[axis] += step; }, 1e-7);
            EXPECT_NEAR(by_place, found.sources[s][axis], 10 * tolerance) << s << " " << axis;
        }
        const double by_start =
            difference([&](double step) { c.sources[s].start_time += step; }, 1e-4);
        EXPECT_NEAR(by_start, found.start_times[s], 1e-9 * (1 + std::abs(by_start)));
    }
    for (std::size_t r = 0; r + 1 < c.receivers.size(); ++r) {
        for (int axis = 0; axis < 3; ++axis) {
            if (c.grid.is_2d() && axis == 1) continue;
            const double by_place =
                difference([&](double step) { c.receivers[r][axis] += step; }, 1e-7);
            EXPECT_NEAR(by_place, found.receivers[r][axis], 10 * tolerance) << r << " " << axis;
        }
    }
}

const Grid flat{{17, 1, 15}, {1, 0, -2}, {0.5, 1, 0.7}};
const Grid cube{{8, 7, 9}, {1, -3, 2}, {0.5, 0.6, 0.45}};

TEST(Adjoint, IsTheDerivativeOfTimesAtReceivers) {
    for (const int order : {1, 2}) {
        for (const Grid& grid : {flat, cube}) {
            Case c = random_case(7, grid, false);
            c.order = order;
            expect_derivatives(std::move(c), 3);
        }
    }
}

/// Second order fades out there at many nodes.
TEST(Adjoint, IsTheDerivativeInRoughMedia) {
    for (const Grid& grid : {flat, cube}) {
        Case c = random_case(8, grid, false, 0.8);
        ask_nodes(c, 6);
        expect_derivatives(std::move(c), 4);
    }
}

TEST(Adjoint, IsTheDerivativeOfTimesAtAllNodesRoundAir) {
    for (const Grid& grid : {flat, cube}) {
        Case c = random_case(11, grid, true);
        ask_nodes(c, 5);
        expect_derivatives(std::move(c), 13);
    }
}

/// The first row of rock below a ground in steps.
int first_rock(int i, int j) { return 2 + (i / 3 + j / 2) % 2; }

TEST(Adjoint, IsTheDerivativeAtReceiversAboveTheLastRowOfRock) {
    for (const Grid& grid : {flat, cube}) {
        Case c = random_case(43, grid, false);
        for (int i = 0; i < grid.shape.x; ++i) {
            for (int j = 0; j < grid.shape.y; ++j) {
                for (int k = 0; k < first_rock(i, j); ++k) c.slowness(i, j, k) = INFINITY;
            }
        }
        for (PointSource& source : c.sources) source.position.z = grid.coordinate(2, 5.3);
        for (std::size_t r = 0; r < c.receivers.size(); ++r) {
            const int i = 1 + static_cast<int>(r);
            const int j = grid.is_2d() ? 0 : 1 + static_cast<int>(r);
            const double y = grid.is_2d() ? 0 : grid.coordinate(1, j + 0.37);
            c.receivers[r] = {grid.coordinate(0, i + 0.41), y,
                              grid.coordinate(2, first_rock(i, j) - 0.6)};
        }
        expect_derivatives(std::move(c), 47);
    }
}

TEST(Adjoint, IsTheMeanOfBothSidesAtASourceOnANode) {
    for (const Grid& grid : {flat, cube}) {
        Case c = random_case(17, grid, false);
        c.sources[0].position = grid.position({3, grid.is_2d() ? 0 : 4, 5});
        c.sources[1].position = grid.position({0, 0, 2});
        c.sources.pop_back();
        c.by_receivers.resize(c.receivers.size());
        expect_derivatives(std::move(c), 19, 3e-6);
    }
}

TEST(Adjoint, ReachesTheCellsOfASmoothModel) {
    for (const Grid& grid : {flat, cube}) {
        Case c = random_case(23, grid, false);
        c.cells = true;
        c.slowness = Field<double>(grid.cell_shape());
        const Shape shape = c.slowness.shape();
        for (int i = 0; i < shape.x; ++i) {
            for (int j = 0; j < shape.y; ++j) {
                for (int k = 0; k < shape.z; ++k) {
                    c.slowness(i, j, k) = 1 / (2 + 0.1 * i + 0.03 * j + 0.08 * k);
                }
            }
        }
        ASSERT_FALSE(c.model().jumping_cells().exist());
        expect_derivatives(std::move(c), 29);
    }
}

/// Times scale with slowness, so that sum(s dJ/ds) = J exactly, for an objective that is linear in
/// times from a start at 0: also beside the source, behind obstacles and in single precision.
template <class Real>
void expect_scaling(const Case& c, double tolerance) {
    const Model model = c.model();
    const AdjointSurvey survey(model, {}, c.sources, c.receivers, {.order = c.order});
    double expected = 0;
    const Derive<Real> derive = [&](std::size_t n, const BasicTimeField<Real>& field) {
        const auto by = c.derive()(n, {});
        for (std::size_t r = 0; r < c.receivers.size(); ++r) {
            expected += by.receivers[r] * (time_at(field, c.receivers[r]) - field.start_time);
        }
        return by;
    };
    const AdjointGradient found = adjoint<Real>(survey, derive, on_cpu());
    if (c.order == 1) {
        EXPECT_EQ(found.unsettled, 0);
    }
    if (found.unsettled > 0) return;
    double sum = 0;
    double size = 0;
    for (std::size_t n = 0; n < found.slowness.size(); ++n) {
        if (model.velocity()[n] == 0) continue;
        sum += found.slowness[n] / model.velocity()[n];
        size += std::abs(found.slowness[n] / model.velocity()[n]);
    }
    EXPECT_NEAR(sum, expected, tolerance * size);
}

TEST(Adjoint, GivesBackTheTimesWithTheSlownessTheyScaleWith) {
    for (unsigned seed = 0; seed < 15; ++seed) {
        for (const Grid& grid : {flat, cube}) {
            Case c = random_case(100 + seed, grid, seed % 2 == 1);
            if (seed % 5 == 4) {  // rough: behind slow bodies the plain equation decides
                Random random(seed);
                for (double& s : c.slowness) {
                    if (std::isfinite(s) && random(0, 1) < 0.3) s *= 2.5;
                }
            }
            c.order = 1 + static_cast<int>(seed % 3 != 0);
            expect_scaling<double>(c, 1e-11);
            expect_scaling<float>(c, 1e-5);
        }
    }
}

enum class TaylorMedium { smooth, blocky, air };

Case taylor_case(unsigned seed, const Grid& grid, TaylorMedium medium) {
    Case c = random_case(seed, grid, medium == TaylorMedium::air, 1e-3);
    if (medium != TaylorMedium::blocky) return c;
    for (int i = 0; i < grid.shape.x; ++i) {
        for (int j = 0; j < grid.shape.y; ++j) {
            for (int k = 0; k < grid.shape.z; ++k) {
                if ((i / 4 + j / 4 + k / 4) % 2 == 1) c.slowness(i, j, k) *= 1.5;
            }
        }
    }
    return c;
}

/// The slope of log |J(s + e d) - J(s) - e dJ d| over log e, from `most` down through four decades.
double taylor_slope(Case c, double most) {
    const AdjointGradient found = c.gradient();
    const double before = c.objective();
    const Field<double> start = c.slowness.copy();
    const auto remainder = [&](double step) {
        double along = 0;
        for (std::size_t n = 0; n < start.size(); ++n) {
            if (!std::isfinite(start[n])) continue;
            const double way = std::sin(0.1 * static_cast<double>(n));
            c.slowness[n] = start[n] + step * way;
            along += way * found.slowness[n];
        }
        return std::abs(c.objective() - before - step * along);
    };
    double slope = 0;  // least squares over five points
    for (int k = -2; k <= 2; ++k) {
        slope += k * std::log10(remainder(most * std::pow(10, k - 2))) / 10;
    }
    return slope;
}

/// It is 2 where no node takes another side or order: seeds are those of media in which none does.
TEST(Adjoint, HasATaylorRemainderOfSecondOrder) {
    for (const Grid& grid : {flat, cube}) {
        EXPECT_NEAR(taylor_slope(taylor_case(31, grid, TaylorMedium::smooth), 2e-3), 2, 0.05);
        EXPECT_NEAR(taylor_slope(taylor_case(35, grid, TaylorMedium::blocky), 2e-3), 2, 0.05);
        EXPECT_NEAR(taylor_slope(taylor_case(36, grid, TaylorMedium::air), 2e-3), 2, 0.05);
    }
}

TEST(Adjoint, HasTheSameBitsForAnyNumberOfThreadsAndFromKeptFields) {
    Case c = random_case(37, cube, true);
    ask_nodes(c, 41);
    c.sources.push_back({c.receivers[0], 0});
    c.by_receivers.resize(3 * c.receivers.size(), 0.5);
    c.by_nodes.resize(3 * c.grid.node_count(), 0.01);
    const AdjointGradient one = c.gradient(1);
    const Model model = c.model();
    const AdjointSurvey survey(model, c.slowness, c.sources, c.receivers, {});
    std::vector<BasicTimeField<double>> fields;
    for (std::size_t n = 0; n < 3; ++n) fields.push_back(survey.solve<double>(n, on_cpu()));
    const std::span<const BasicTimeField<double>> kept(fields);
    std::vector<AdjointGradient> others;
    others.push_back(c.gradient(2));
    others.push_back(c.gradient(5));
    others.push_back(adjoint<double>(survey, kept, c.derive(), on_cpu(2)));
    for (const AdjointGradient& other : others) {
        for (std::size_t n = 0; n < one.slowness.size(); ++n) {
            ASSERT_EQ(one.slowness[n], other.slowness[n]) << n;
        }
        EXPECT_EQ(one.sources, other.sources);
        EXPECT_EQ(one.receivers, other.receivers);
        EXPECT_EQ(one.start_times, other.start_times);
    }
}

/// Of blocks and lines nothing is left but what nodes say one by one, in rough media of several
/// blocks along each axis, whether J asks of all nodes or of a few.
template <int Dim, int Order, class Real>
void expect_one_by_one(const Grid& grid, Vec3 source, std::size_t every, double tolerance) {
    const Model model = random_blocks_model(grid, {1, 5, {5, 3, 4}, 3});
    const AdjointSurvey survey(model, {}, {{source, 0}}, {}, {.order = Order});
    const auto field = survey.solve<Real>(0, on_cpu());
    Field<double> by(grid.shape, 0.0);
    for (std::size_t n = 13; n < by.size(); n += every) {
        by[n] = std::sin(static_cast<double>(n)) + 1.5;
    }
    Field<double> found(grid.shape, 0.0);
    AdjointSpace space;
    const FieldAdjoint rest = field_adjoint(survey, 0, field, {by, {}}, found, space, on_cpu());
    const SourceStarts starts(model, survey.slowness(), source);
    const NodeScheme<Real, Dim, Order> scheme(field.view(), survey.slowness(), starts);
    std::vector<double> asked(by.size());
    Vec3 by_source;
    for (std::size_t n = 0; n < asked.size(); ++n) {
        const Vec3 x = field.factor.from_source(grid.position(scheme.index_of(n)));
        asked[n] = by[n] * norm(x);
        by_source =
            by_source - (by[n] * field.factor.slowness * double{field.tau[n]} / norm(x)) * x;
    }
    const std::vector<double> lambda = test::one_by_one(scheme, field, starts, asked);
    Field<double> expected(grid.shape, 0.0);
    for (std::size_t n = 0; n < lambda.size(); ++n) {
        if (starts.holds(n)) {
            scheme.conclude_start(n, lambda[n], by_source,
                                  [&](std::size_t other, double part) { expected[other] += part; });
            continue;
        }
        const auto single = scheme.single(n, scheme.index_of(n));
        expected[n] += lambda[n] * single.by_slowness;
        by_source = by_source + (lambda[n] * scheme.source_scale()) * single.by_source;
    }
    double off = 0;
    double size = 0;
    for (std::size_t n = 0; n < expected.size(); ++n) {
        off += std::pow(found[n] - expected[n], 2);
        size += std::pow(expected[n], 2);
    }
    EXPECT_LE(std::sqrt(off / size), tolerance);
    if (Dim == 2) by_source.y = 0;
    EXPECT_LE(norm(rest.source - by_source), 10 * tolerance * norm(by_source));
}

TEST(Adjoint, IsWhatNodesHandOnOneByOne) {
    const Grid square{{40, 1, 310}, {}, {1, 1, 0.8}};
    const Grid box{{21, 19, 150}, {}, {1, 1.3, 0.8}};
    for (const std::size_t every : {1, 997}) {
        expect_one_by_one<2, 2, double>(square, {17.4, 0, 61.2}, every, 1e-12);
        expect_one_by_one<2, 1, double>(square, {17.4, 0, 61.2}, every, 1e-12);
        expect_one_by_one<3, 2, double>(box, {7.4, 11.3, 61.2}, every, 1e-12);
        expect_one_by_one<2, 2, float>(square, {17.4, 0, 61.2}, every, 2e-5);
        expect_one_by_one<3, 1, float>(box, {7.4, 11.3, 61.2}, every, 2e-5);
    }
}

TEST(Adjoint, RefusesWhatHasNone) {
    Case c = random_case(43, flat, true);
    const Model model = c.model();
    const auto survey = [&](EikonalOptions options, std::vector<Vec3> receivers = {}) {
        return std::make_unique<AdjointSurvey>(model, c.slowness, c.sources, std::move(receivers),
                                               options);
    };
    expect_error<InputError>([&] { survey({.solver = Solver::vidale}); },
                             "solver 'vidale' has no adjoint");
    expect_error<InputError>([&] { survey({.until = 1}); }, "the adjoint needs whole fields");
    expect_error<InputError>([&] { survey({}, {{100, 0, 0}}); }, "receiver");
    const Field<double> small({3, 1, 3}, 1.0);
    expect_error<InputError>([&] { AdjointSurvey(model, small, c.sources, {}, {}); },
                             "slowness has shape (3, 3) (must be (17, 15)");
    Field<float> blocks({4, 1, 4}, 1.0F);
    blocks(2, 0, 2) = 3;
    const Model jumping = Model::of_cells({{5, 1, 5}, {}, {1, 1, 1}}, std::move(blocks));
    expect_error<InputError>(
        [&] {
            AdjointSurvey(jumping, {}, {{{1, 0, 1}}}, {}, {});
        },
        "velocity jumps between cells");
    const std::vector<double> bad(c.receivers.size(), NAN);
    const Derive<double> derive = [&](std::size_t, const auto&) {
        return TimeDerivatives{{}, bad};
    };
    expect_error<InputError>([&] { adjoint<double>(*survey({}, c.receivers), derive, on_cpu()); },
                             "the derivative by the time at receiver 0 is nan");
}

}  // namespace
}  // namespace fermat
