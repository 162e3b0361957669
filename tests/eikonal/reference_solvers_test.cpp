#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "eikonal/fmm/fmm.hpp"
#include "eikonal/fmm/tiles.hpp"
#include "eikonal/fsm.hpp"
#include "eikonal/stencil.hpp"
#include "model/analytic.hpp"
#include "model/makers.hpp"

namespace fermat {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

enum class Method { fmm, fsm };

std::string name_of(Method method) { return method == Method::fmm ? "fmm" : "fsm"; }

template <class Visit>
void for_each_node(Shape shape, Visit visit) {
    for (int i = 0; i < shape.x; ++i) {
        for (int j = 0; j < shape.y; ++j) {
            for (int k = 0; k < shape.z; ++k) visit(Index3{i, j, k});
        }
    }
}

/// A box of nodes over 10 x 10 (x 10) km.
Grid box(Shape shape) {
    const auto spacing = [](int nodes) { return nodes > 1 ? 10.0 / (nodes - 1) : 1.0; };
    return {shape, {0, 0, 0}, {spacing(shape.x), spacing(shape.y), spacing(shape.z)}};
}
Grid box(int n, bool flat) { return box(Shape{n, flat ? 1 : n, n}); }

Model make_model(const Grid& grid, const std::function<double(Vec3)>& velocity) {
    Field<float> values(grid.shape);
    for_each_node(grid.shape,
                  [&](Index3 n) { values(n) = static_cast<float>(velocity(grid.position(n))); });
    return Model(grid, std::move(values));
}

template <class Real>
Field<Real> solve_tau(Method method, const Model& model, const FactoredSource& source, int order,
                      Monitor& monitor = silent_monitor()) {
    Field<Real> tau(model.grid().shape);
    method == Method::fmm ? fmm_solve<Real>(model, source, order, tau.view(), monitor)
                          : fsm_solve<Real>(model, source, order, tau.view(), monitor);
    return tau;
}

/// Times on the nodes, infinite where no wave arrives.
template <class Real = float>
Field<double> times(Method method, const Model& model, Vec3 position, int order) {
    const FactoredSource source = factor_source(model, position);
    const Field<Real> tau = solve_tau<Real>(method, model, source, order);
    Field<double> t(model.grid().shape);
    for_each_node(t.shape(), [&](Index3 n) {
        const double t0 = source.slowness * distance(model.grid().position(n), source.position);
        t(n) = tau(n) < reached_limit<Real> ? t0 * static_cast<double>(tau(n)) : infinity;
    });
    return t;
}

struct Misfit {
    double mean = 0;
    double max = 0;
};

/// Relative misfit over nodes at least `clearance` spacings from the source; infinite if only one
/// of the two times is infinite. Nodes whose reference is NaN are left out.
Misfit misfit(const Grid& grid, const Field<double>& t, Vec3 source, double clearance,
              const std::function<double(Index3)>& reference) {
    Misfit result;
    std::size_t count = 0;
    for_each_node(grid.shape, [&](Index3 n) {
        if (distance(grid.to_index(grid.position(n)), grid.to_index(source)) < clearance) return;
        const double expected = reference(n);
        if (std::isnan(expected)) return;
        ++count;
        if (t(n) == expected) return;
        const bool both = std::isfinite(t(n)) && std::isfinite(expected);
        const double error = both ? std::abs(t(n) - expected) / expected : infinity;
        result.mean += error;
        result.max = std::max(result.max, error);
    });
    result.mean /= static_cast<double>(count);
    return result;
}

/// Depth of the deepest point of a ray in v = v0 + g z: an arc whose centre lies where v = 0.
double deepest(const LinearVelocity& medium, Vec3 a, Vec3 b) {
    const double air = medium.v0 / medium.gradient.z;
    const double offset = std::hypot(b.x - a.x, b.y - a.y);
    const double up_a = a.z + air;
    const double up_b = b.z + air;
    const double centre = (offset * offset + up_b * up_b - up_a * up_a) / (2 * offset);
    const bool turns = centre > 0 && centre < offset;
    return (turns ? std::hypot(up_a, centre) : std::max(up_a, up_b)) - air;
}

/// Misfit over nodes whose rays stay inside the grid.
Misfit gradient_misfit(Method method, const Grid& grid, Vec3 source, int order) {
    if (grid.is_2d()) source.y = 0;
    const LinearVelocity medium{2, {0, 0, 0.5}};
    const Model model = gradient_model(grid, medium.v0, medium.gradient);
    const double bottom = grid.far_corner().z;
    return misfit(grid, times(method, model, source, order), source, 3, [&](Index3 n) {
        const Vec3 p = grid.position(n);
        return deepest(medium, source, p) > bottom + 1e-9 ? std::numeric_limits<double>::quiet_NaN()
                                                          : medium.time(source, p);
    });
}

class ReferenceSolver : public testing::TestWithParam<Method> {};

INSTANTIATE_TEST_SUITE_P(Each, ReferenceSolver, testing::Values(Method::fmm, Method::fsm),
                         [](const auto& chosen) { return name_of(chosen.param); });

TEST_P(ReferenceSolver, HasItsOrderOfConvergenceInAConstantGradient) {
    for (const bool flat : {true, false}) {
        // One source lies on a node of all three grids, the other on none.
        for (const Vec3 source : {Vec3{5, 5, 0.625}, Vec3{4.57, 5.21, 0.83}}) {
            for (const int order : {1, 2}) {
                const double coarse =
                    gradient_misfit(GetParam(), box(17, flat), source, order).mean;
                const double fine = gradient_misfit(GetParam(), box(65, flat), source, order).mean;
                EXPECT_GE(std::log2(coarse / fine) / 2, order == 1 ? 0.9 : 1.8)
                    << "order " << order << (flat ? ", 2-D" : ", 3-D") << ", source x " << source.x
                    << ", mean misfits " << coarse << " and " << fine;
            }
        }
    }
}

TEST_P(ReferenceSolver, IsAsAccurateAsTheSchemeAllows) {
    const Vec3 source{5, 5, 0.5};
    const Misfit first = gradient_misfit(GetParam(), box(65, false), source, 1);
    EXPECT_LT(first.mean, 2e-3);
    EXPECT_LT(first.max, 4e-3);
    const Misfit second = gradient_misfit(GetParam(), box(65, false), source, 2);
    EXPECT_LT(second.mean, 1e-4);
    EXPECT_LT(second.max, 5e-4);
}

template <class Real>
void expect_exact_in_homogeneous(Method method) {
    const Real tolerance = 20 * std::numeric_limits<Real>::epsilon();
    for (const bool flat : {true, false}) {
        const Model model = constant_model(box(21, flat), 3);
        for (const Vec3 source : {Vec3{5, 5, 5}, Vec3{3.3, 6.1, 0.7}}) {
            for (const int order : {1, 2}) {
                const Field<Real> tau =
                    solve_tau<Real>(method, model, factor_source(model, source), order);
                for (const Real value : tau) ASSERT_NEAR(value, 1, tolerance) << "order " << order;
            }
        }
    }
}

TEST_P(ReferenceSolver, IsExactToRoundingInAHomogeneousMedium) {
    expect_exact_in_homogeneous<float>(GetParam());
    expect_exact_in_homogeneous<double>(GetParam());
}

TEST_P(ReferenceSolver, ConvergesOnUnequalSpacing) {
    const Vec3 source{4.57, 5.21, 0.83};
    for (const bool flat : {true, false}) {
        const auto grid = [&](int n) { return box({n, flat ? 1 : 2 * n - 1, 3 * n - 2}); };
        for (const int order : {1, 2}) {
            const double coarse = gradient_misfit(GetParam(), grid(11), source, order).mean;
            const double fine = gradient_misfit(GetParam(), grid(31), source, order).mean;
            EXPECT_GE(std::log(coarse / fine) / std::log(3.0), order == 1 ? 0.9 : 1.7)
                << "order " << order << ", misfits " << coarse << " and " << fine;
        }
    }
}

TEST_P(ReferenceSolver, TakesSourcesOnFacesEdgesAndCorners) {
    for (const Vec3 source : {Vec3{0, 4.1, 3.3}, Vec3{10, 5, 5}, Vec3{4.1, 3.3, 10},
                              Vec3{0, 0, 3.3}, Vec3{10, 4.1, 0}, Vec3{0, 0, 0}, Vec3{10, 10, 10}}) {
        for (const int order : {1, 2}) {
            const double coarse = gradient_misfit(GetParam(), box(17, false), source, order).mean;
            const double fine = gradient_misfit(GetParam(), box(33, false), source, order).mean;
            EXPECT_LT(fine, order == 1 ? 1e-2 : 2e-3) << "order " << order;
            EXPECT_GE(std::log2(coarse / fine), order == 1 ? 0.85 : 1.6)
                << "order " << order << ", source z " << source.z << ", misfits " << coarse
                << " and " << fine;
        }
    }
}

TEST_P(ReferenceSolver, LeadsTheWaveRoundAWallOfAir) {
    const Grid grid = box(101, true);
    const Vec3 source{2, 0, 2};
    const Vec3 edge{5, 0, 7};
    const Model model = make_model(
        grid, [&](Vec3 p) { return std::abs(p.x - edge.x) < 0.06 && p.z < edge.z ? 0.0 : 2.0; });
    const auto shortest = [&](Index3 n) {
        const Vec3 p = grid.position(n);
        if (model.is_air(n)) return infinity;
        const double height = source.z + (p.z - source.z) * (edge.x - source.x) / (p.x - source.x);
        const bool hidden = p.x > edge.x && height < edge.z;
        return (hidden ? distance(source, edge) + distance(edge, p) : distance(source, p)) / 2;
    };
    for (const int order : {1, 2}) {
        const Misfit found =
            misfit(grid, times(GetParam(), model, source, order), source, 0, shortest);
        EXPECT_LT(found.mean, 0.01);
        EXPECT_LT(found.max, 0.06);
    }
}

TEST_P(ReferenceSolver, LeavesAirAndWhatItEnclosesUnreached) {
    const Grid grid = box(21, false);
    const auto depth = [](Vec3 p) {
        return std::max({std::abs(p.x - 5), std::abs(p.y - 5), std::abs(p.z - 5)});
    };
    const Model model =
        make_model(grid, [&](Vec3 p) { return depth(p) > 1.9 && depth(p) < 2.6 ? 0.0 : 1.0; });
    for (const int order : {1, 2}) {
        const Field<float> outside =
            solve_tau<float>(GetParam(), model, factor_source(model, {0.3, 1, 9}), order);
        const Field<float> inside =
            solve_tau<float>(GetParam(), model, factor_source(model, {5.1, 5, 5}), order);
        for_each_node(grid.shape, [&](Index3 n) {
            const double d = depth(grid.position(n));
            EXPECT_EQ(outside(n) == unreached<float>, d < 2.6);
            EXPECT_EQ(inside(n) == unreached<float>, d > 1.9);
        });
    }
}

TEST_P(ReferenceSolver, KeepsStartNodesAsGiven) {
    const Model model = gradient_model(box(11, false), 2, 0.5);
    FactoredSource source = factor_source(model, {5.2, 5.3, 5.4});
    for (StartNode& start : source.starts) start.tau *= 1.25;
    for (const int order : {1, 2}) {
        const Field<float> tau = solve_tau<float>(GetParam(), model, source, order);
        for (const StartNode& start : source.starts) {
            EXPECT_EQ(tau(start.node), static_cast<float>(start.tau));
        }
    }
}

TEST_P(ReferenceSolver, SolvesTheSmallestGrids) {
    for (const Shape shape :
         {Shape{2, 1, 2}, Shape{2, 2, 2}, Shape{2, 1, 40}, Shape{40, 2, 2}, Shape{3, 40, 2}}) {
        const Model model = constant_model({shape, {-1, 2, -3}, {1, 1, 1}}, 2);
        const FactoredSource source = factor_source(model, {-0.6, 2, -2.3});
        for (const int order : {1, 2}) {
            for (const float tau : solve_tau<float>(GetParam(), model, source, order)) {
                EXPECT_NEAR(tau, 1, 1e-5);
            }
        }
    }
}

TEST_P(ReferenceSolver, DoesNotDependOnUnits) {
    const auto tau_in = [&](double length, double speed) {
        const Grid grid{{21, 17, 19}, {0, 0, 0}, {length, 1.5 * length, length}};
        const Model model = make_model(grid, [&](Vec3 p) {
            return speed * (1 + 0.5 * std::sin(p.x / length) * std::cos(0.3 * p.z / length));
        });
        return solve_tau<float>(GetParam(), model,
                                factor_source(model, {3.3 * length, 4 * length, 5 * length}), 2);
    };
    const Field<float> expected = tau_in(1, 1);
    // A factor that is a power of two changes no digit.
    for (const int power : {-60, 60}) {
        const Field<float> tau = tau_in(std::ldexp(1, power), std::ldexp(1, -power));
        for (std::size_t n = 0; n < tau.size(); ++n) ASSERT_EQ(tau[n], expected[n]);
    }
}

TEST_P(ReferenceSolver, EndsInAMediumOfExtremeContrast) {
    for (const bool flat : {true, false}) {
        const Grid grid = box(25, flat);
        int count = 0;
        const Model model =
            make_model(grid, [&](Vec3) { return std::pow(10.0, (count++ * 7919) % 7 - 3); });
        for (const int order : {1, 2}) {
            for (const double t : times(GetParam(), model, {3.1, 0, 4.9}, order)) {
                ASSERT_TRUE(std::isfinite(t) && t >= 0);
            }
        }
    }
}

TEST_P(ReferenceSolver, StopsWhenAsked) {
    const Model model = constant_model(box(65, false), 2);
    Monitor monitor({}, [] { return true; });
    EXPECT_THROW(solve_tau<float>(GetParam(), model, factor_source(model, {5, 5, 5}), 1, monitor),
                 Cancelled);
}

TEST_P(ReferenceSolver, GivesTheSameInBothPrecisions) {
    const Model model = random_smooth_model(box(33, false), {3, 0.4, 2, 7});
    const Vec3 source{1.1, 2.2, 3.3};
    const Field<double> full = times<double>(GetParam(), model, source, 1);
    const Misfit found = misfit(model.grid(), times<float>(GetParam(), model, source, 1), source, 0,
                                [&](Index3 n) { return full(n); });
    EXPECT_LT(found.max, 1e-5);
}

/// Media in which waves turn, split and return.
std::vector<std::pair<std::string, Model>> hard_media() {
    std::vector<std::pair<std::string, Model>> media;
    for (const bool flat : {true, false}) {
        const int n = flat ? 101 : 41;
        const Grid grid = box(n, flat);
        const std::string in = flat ? " in 2-D" : " in 3-D";
        for (const std::uint64_t seed : {1, 2, 3}) {
            media.emplace_back("random blocks" + in,
                               random_blocks_model(grid, {1, 10, {5, 5, 5}, seed}));
        }
        media.emplace_back("low-velocity layer" + in, make_model(grid, [](Vec3 p) {
                               return p.z > 3 && p.z < 4.5 ? 1.0 : 5.0;
                           }));
        media.emplace_back("salt body" + in, make_model(grid, [flat](Vec3 p) {
                               const double y = flat ? 0 : (p.y - 4.5) / 2.5;
                               const double x = (p.x - 5) / 2.2 + 0.3 * std::sin(2 * p.z);
                               const double z = (p.z - 5) / 3;
                               return x * x + y * y + z * z < 1 ? 4.5 : 1.5 + 0.3 * p.z;
                           }));
        media.emplace_back("maze of air" + in, make_model(grid, [n](Vec3 p) {
                               const int i = static_cast<int>(std::lround(p.x / 10 * (n - 1)));
                               const int j = static_cast<int>(std::lround(p.y / 10 * (n - 1)));
                               const int k = static_cast<int>(std::lround(p.z / 10 * (n - 1)));
                               const bool wall = i % 8 == 4;
                               const bool door =
                                   i % 16 == 4 ? k < 3 && j % 20 < 3 : k > n - 4 && j % 20 < 3;
                               return wall && !door ? 0.0 : 2 + 0.1 * p.z;
                           }));
    }
    return media;
}

TEST(ReferenceSolvers, AgreeToFirstOrderInHardMedia) {
    for (const auto& [name, model] : hard_media()) {
        for (const Vec3 source : {Vec3{0, 0, 0}, Vec3{3.37, 6.18, 2.71}}) {
            const Field<double> marched = times(Method::fmm, model, source, 1);
            const Field<double> swept = times(Method::fsm, model, source, 1);
            const Misfit found =
                misfit(model.grid(), marched, source, 0, [&](Index3 n) { return swept(n); });
            EXPECT_LT(found.max, 1e-5) << name << ", source x " << source.x;
        }
    }
}

TEST(ReferenceSolvers, AgreeToSecondOrderWithinTheScheme) {
    for (const auto& [name, model] : hard_media()) {
        const Vec3 source{3.37, 6.18, 2.71};
        const Field<double> marched = times(Method::fmm, model, source, 2);
        const Field<double> swept = times(Method::fsm, model, source, 2);
        const Misfit found =
            misfit(model.grid(), marched, source, 3, [&](Index3 n) { return swept(n); });
        EXPECT_LT(found.mean, 2e-3) << name;
        EXPECT_LT(found.max, 0.1) << name;
    }
}

TEST(TiledShape, NumbersEachNodeAndItsRimOnce) {
    for (const Shape shape : {Shape{5, 7, 9}, Shape{4, 2, 3}, Shape{6, 1, 11}}) {
        const TiledShape tiles(shape);
        std::vector<int> uses(static_cast<std::size_t>(TiledShape::count(shape)), 0);
        const int rim_y = shape.y == 1 ? 0 : TiledShape::rim;
        for (int i = -2; i < shape.x + 2; ++i) {
            for (int j = -rim_y; j < shape.y + rim_y; ++j) {
                for (int k = -2; k < shape.z + 2; ++k) {
                    const std::uint32_t offset = tiles.offset({i, j, k});
                    ASSERT_LT(offset, uses.size());
                    EXPECT_EQ(++uses[offset], 1);
                    EXPECT_EQ(tiles.node(offset), (Index3{i, j, k}));
                }
            }
        }
    }
}

}  // namespace
}  // namespace fermat
