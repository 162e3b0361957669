// Waves that start from a front given on nodes, and the factor that turns the factored equation
// into the plain one.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <tuple>

#include "eikonal/eikonal.hpp"
#include "eikonal/fim/fim.hpp"
#include "eikonal/front.hpp"
#include "eikonal/front_grids.hpp"
#include "executions.hpp"
#include "expect_error.hpp"
#include "model/analytic.hpp"
#include "model/makers.hpp"

namespace fermat {
namespace {

using test::expect_error;
using test::on_cpu;

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

using test::cube_grid;
using test::flat_grid;

/// A front with exact times at the nodes for which `given(node)` is true.
template <class Given, class Exact>
Field<double> front_of(const Grid& grid, Given given, Exact exact) {
    Field<double> front(grid.shape, unknown);
    for (int i = 0; i < grid.shape.x; ++i) {
        for (int j = 0; j < grid.shape.y; ++j) {
            for (int k = 0; k < grid.shape.z; ++k) {
                const Index3 node{i, j, k};
                if (given(node)) front(node) = exact(grid.position(node));
            }
        }
    }
    return front;
}

template <class Exact>
double largest_error(const Grid& grid, const Field<double>& times, Exact exact) {
    double largest = 0;
    for (int i = 0; i < grid.shape.x; ++i) {
        for (int j = 0; j < grid.shape.y; ++j) {
            for (int k = 0; k < grid.shape.z; ++k) {
                const Index3 node{i, j, k};
                const double error = std::abs(times(node) - exact(grid.position(node)));
                largest = std::max(largest, std::isfinite(error) ? error : INFINITY);
            }
        }
    }
    return largest;
}

Field<double> times_of(const Model& model, const Field<double>& front, EikonalOptions options) {
    Notes notes;
    Field<double> times = to_times(solve_front<double>(model, front, options, on_cpu(), notes));
    EXPECT_TRUE(notes.sentences().empty()) << notes.sentences().front();
    return times;
}

TEST(SourceFactor, OfAPointIsTheTimeInAConstantMedium) {
    const Grid grid = cube_grid(9);
    const SourceFactor point{{0.3, 1.2, 0.9}, 0.25};
    const NodeFactor nodes = node_factor(grid, point);
    const double unit = smallest_spacing(grid);
    for (const Index3 n : {Index3{0, 0, 0}, Index3{3, 8, 1}, Index3{7, 2, 5}}) {
        const Vec3 p = grid.position(n);
        EXPECT_DOUBLE_EQ(point.value(p), 0.25 * distance(p, point.position));
        EXPECT_DOUBLE_EQ(line_of_nodes(grid, point, n.x, n.y).value(n.z), point.value(p));
        for (int axis = 0; axis < 3; ++axis) {
            EXPECT_NEAR(unit * nodes.coordinate(axis, n[axis]), p[axis] - point.position[axis],
                        1e-12);
            EXPECT_NEAR(nodes.source_node(axis), grid.to_index(point.position)[axis], 1e-12);
        }
    }
    EXPECT_EQ(nodes.far2, 0);
}

TEST(SourceFactor, OfAFrontIsConstantWithoutGradient) {
    const Grid grid = cube_grid(9);
    SourceFactor front{{0.3, 1.2, 0.9}, 0.25};
    front.part = 0;
    front.far = 1024;
    const NodeFactor nodes = node_factor(grid, front);
    for (const Index3 n : {Index3{0, 0, 0}, Index3{3, 8, 1}}) {
        EXPECT_EQ(front.value(grid.position(n)), 256);
        EXPECT_EQ(front.from_source(grid.position(n)), Vec3{});
        EXPECT_EQ(line_of_nodes(grid, front, n.x, n.y).value(n.z), 256);
        for (int axis = 0; axis < 3; ++axis) EXPECT_EQ(nodes.coordinate(axis, n[axis]), 0);
    }
    EXPECT_DOUBLE_EQ(std::sqrt(nodes.far2) * smallest_spacing(grid), 1024);
}

class FrontBy : public ::testing::TestWithParam<std::tuple<Solver, int>> {
  protected:
    EikonalOptions options() const {
        return {.solver = std::get<0>(GetParam()), .order = std::get<1>(GetParam())};
    }
    int order() const { return std::get<1>(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(SolversAndOrders, FrontBy,
                         ::testing::Combine(::testing::Values(Solver::fim, Solver::fmm,
                                                              Solver::fsm),
                                            ::testing::Values(1, 2)));

TEST_P(FrontBy, APlaneWaveInAConstantMediumIsExact) {
    const auto plane = [](Vec3 p) { return 7 + (0.6 * p.x + 0.8 * p.z + 1) / 2.5; };
    const Grid flat = flat_grid(33);
    const auto edge = [](Index3 n) { return n.x == 0 || n.z == 0; };
    const Field<double> in_2d =
        times_of(constant_model(flat, 2.5), front_of(flat, edge, plane), options());
    EXPECT_LT(largest_error(flat, in_2d, plane), 1e-11);
    const auto solid = [](Vec3 p) { return (0.48 * p.x + 0.64 * p.y + 0.6 * p.z) / 2.5; };
    const Grid cube = cube_grid(21);
    const auto face = [](Index3 n) { return n.x == 0 || n.y == 0 || n.z == 0; };
    const Field<double> in_3d =
        times_of(constant_model(cube, 2.5), front_of(cube, face, solid), options());
    EXPECT_LT(largest_error(cube, in_3d, solid), 1e-11);
}

/// A plane wave of ray parameter p that travels down into v = v0 + g z:
///     T = p x + (1/g) [ln(v / v0) - ln((1 + q) / (1 + q0)) + q - q0],   q = sqrt(1 - p^2 v^2)
double oblique(Vec3 at, double v0, double g, double p, double top) {
    const auto q = [&](double v) { return std::sqrt(1 - p * p * v * v); };
    const double v = v0 + g * (at.z - top);
    return p * at.x + (std::log(v / v0) - std::log((1 + q(v)) / (1 + q(v0))) + q(v) - q(v0)) / g;
}

TEST_P(FrontBy, APlaneWaveInAGradientConvergesWithTheOrder) {
    double error[2] = {};
    for (int fine = 0; fine < 2; ++fine) {
        const Grid grid = flat_grid(fine ? 81 : 41);
        const Model model = gradient_model(grid, 2, {0, 0, 0.5});
        const auto exact = [&](Vec3 at) { return oblique(at, 2, 0.5, 0.12, grid.origin.z); };
        const auto edge = [](Index3 n) { return n.x == 0 || n.z == 0; };
        error[fine] =
            largest_error(grid, times_of(model, front_of(grid, edge, exact), options()), exact);
    }
    EXPECT_LT(error[1], order() == 1 ? 2e-2 : 3e-4);
    EXPECT_GT(std::log2(error[0] / error[1]), order() == 1 ? 0.8 : 1.6);
}

TEST_P(FrontBy, ALineSourceIsCylindrical) {
    double error[2] = {};
    for (int fine = 0; fine < 2; ++fine) {
        const Grid grid = cube_grid(fine ? 41 : 21);
        const double v = 3;
        const auto from_axis = [](Vec3 p) { return std::hypot(p.x - 1, p.z - 0.4); };
        const auto exact = [&](Vec3 p) { return from_axis(p) / v; };
        // The front is equally wide on both grids; a front on the singular line itself would cost
        // one order of accuracy.
        const auto near = [&](Index3 n) { return from_axis(grid.position(n)) < 0.3; };
        error[fine] = largest_error(
            grid, times_of(constant_model(grid, v), front_of(grid, near, exact), options()), exact);
    }
    EXPECT_LT(error[1], order() == 1 ? 2e-2 : 2e-3);
    EXPECT_GT(std::log2(error[0] / error[1]), order() == 1 ? 0.7 : 1.3);
}

TEST_P(FrontBy, TheFieldOfAPointCutAtATimeGoesOnAsTheDirectOne) {
    for (const bool flat : {true, false}) {
        const Grid grid = flat ? flat_grid(81) : cube_grid(33);
        const Model model = gradient_model(grid, 2, {0, 0, 0.5});
        const Vec3 source = flat ? Vec3{2.13, 0, 0.31} : Vec3{0.93, 2.11, 0.37};
        const LinearVelocity medium{2 - 0.5 * grid.origin.z, {0, 0, 0.5}};
        const auto exact = [&](Vec3 p) { return medium.time(source, p); };
        const Field<double> direct = to_times(solve<double>(model, {source}, options(), on_cpu()));
        const double cut = 0.35;
        Field<double> front = direct.copy();
        for (double& time : front) time = time < cut ? time : -1;
        const Field<double> restarted = times_of(model, front, options());
        for (std::size_t n = 0; n < direct.size(); ++n) {
            if (direct[n] < cut) {
                ASSERT_NEAR(restarted[n], direct[n], 1e-12);
            }
        }
        EXPECT_LT(largest_error(grid, restarted, exact),
                  largest_error(grid, direct, exact) + (order() == 1 ? 2e-2 : 1e-3))
            << flat;
    }
}

TEST_P(FrontBy, AirIsLeftOutAndKeepsTheWaveAway) {
    const Grid grid{{41, 1, 41}, {}, {0.1, 1, 0.1}};
    Field<float> velocity(grid.shape, 2.0F);
    for (int i = 0; i < 30; ++i) velocity(i, 0, 20) = 0;
    const Model model(grid, std::move(velocity));
    const auto top = [](Index3 n) { return n.z == 0 || (n.z == 20 && n.x < 5); };
    Notes notes;
    const Field<double> front = front_of(grid, top, [](Vec3) { return 1.0; });
    const Field<double> times =
        to_times(solve_front<double>(model, front, options(), on_cpu(), notes));
    ASSERT_EQ(notes.sentences().size(), 1U);
    EXPECT_EQ(notes.sentences()[0], "5 of the front's 46 nodes are in air: left out");
    EXPECT_TRUE(std::isinf(times(3, 0, 20)));
    EXPECT_NEAR(times(40, 0, 40), 1 + 4 / 2.0, 1e-9);
    // The path to a node below the wall leads down beside its end, then along it.
    EXPECT_NEAR(times(0, 0, 21), 1 + 2 / 2.0 + std::hypot(3.0, 0.1) / 2, 0.12);
}

TEST_P(FrontBy, NodesThatTheRestReachesFirstGetTheEarlierTime) {
    const Grid grid = flat_grid(41);
    const Model model = constant_model(grid, 2);
    Field<double> front(grid.shape, unknown);
    front(3, 0, 3) = 0.5;
    front(30, 0, 30) = 100;
    Notes notes;
    const Field<double> times =
        to_times(solve_front<double>(model, front, options(), on_cpu(), notes));
    ASSERT_EQ(notes.sentences().size(), 1U);
    EXPECT_EQ(notes.sentences()[0],
              "1 of the front's 2 nodes are reached from its other nodes before their given time: "
              "the earlier time counts");
    EXPECT_NEAR(times(30, 0, 30), 0.5 + 27 * std::sqrt(2.0) * 0.1 / 2, 0.12);
}

TEST(Front, HasTheSameBitsForAnyNumberOfThreadsAndAgreesInSinglePrecision) {
    const Grid grid{{70, 50, 60}, {}, {0.1, 0.1, 0.1}};
    const Model model =
        random_smooth_model(grid, {.velocity = 2, .amplitude = 0.3, .correlation = 1});
    const auto top = [](Index3 n) { return n.z == 30; };
    const auto given = [](Vec3 p) { return 0.1 * std::sin(p.x) + 0.1; };
    const Field<double> front = front_of(grid, top, given);
    Notes notes;
    const auto one = to_times(solve_front<float>(model, front, {}, on_cpu(1), notes));
    const auto four = to_times(solve_front<float>(model, front, {}, on_cpu(4), notes));
    const auto full = to_times(solve_front<double>(model, front, {}, on_cpu(2), notes));
    for (std::size_t n = 0; n < one.size(); ++n) {
        ASSERT_EQ(one[n], four[n]);
        ASSERT_NEAR(one[n], full[n], 2e-5);
    }
}

TEST(Front, InCellsPassesAnInterface) {
    const Grid grid{{41, 1, 41}, {}, {0.1, 1, 0.1}};
    Field<float> cells(grid.cell_shape(), 2.0F);
    for (int i = 0; i < 40; ++i) {
        for (int k = 20; k < 40; ++k) cells(i, 0, k) = 5;
    }
    const Model model = Model::of_cells(grid, std::move(cells));
    const auto top = [](Index3 n) { return n.z == 0; };
    const Field<double> front = front_of(grid, top, [](Vec3) { return 0.0; });
    const Field<double> times = times_of(model, front, {});
    EXPECT_NEAR(times(20, 0, 40), 2 / 2.0 + 2 / 5.0, 1e-6);
}

TEST(Front, IsRefusedInASentence) {
    const Grid grid = flat_grid(5);
    const Model model = constant_model(grid, 2);
    Notes notes;
    const auto attempt = [&](const Field<double>& front, EikonalOptions options = {}) {
        return [&, options] { solve_front<float>(model, front, options, on_cpu(), notes); };
    };
    const Field<double> none(grid.shape, unknown);
    expect_error<InputError>(attempt(none), "the front has no time");
    const Field<double> other({5, 1, 6}, 1.0);
    expect_error<InputError>(attempt(other), "the front has shape (5, 6) (must be the model's");
    const Field<double> all(grid.shape, 1.0);
    expect_error<InputError>(attempt(all, {.solver = Solver::vidale}), "starts from points");
    const Field<double> infinite(grid.shape, std::numeric_limits<double>::infinity());
    expect_error<InputError>(attempt(infinite), "the front has no time");
}

TEST(Front, OfAllNodesIsItself) {
    const Grid grid = flat_grid(9);
    const Model model = constant_model(grid, 2);
    for (const Solver solver : {Solver::fim, Solver::fmm, Solver::fsm}) {
        const Field<double> front(grid.shape, 3.0);
        const Field<double> times = times_of(model, front, {.solver = solver});
        for (const double time : times) ASSERT_NEAR(time, 3, 1e-12);
    }
}

}  // namespace
}  // namespace fermat
