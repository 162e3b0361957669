// The parts of the solver of metrics on the CPU: sets of nodes, registers of a sweep, roots, T0 as
// a series, and one wave instead of two.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <random>
#include <set>
#include <vector>

#include "bench/metric_media.hpp"
#include "eikonal/metric/group_series.hpp"
#include "eikonal/metric/metric_tile.hpp"
#include "eikonal/metric/node_medium.hpp"
#include "eikonal/metric/tile_plan.hpp"
#include "eikonal/metric/tile_schedule.hpp"
#include "eikonal/metric/unbiased_sum.hpp"

namespace fermat {
namespace {

using Tile = TileShape<3>;
using Plan = TilePlan<16>;

std::set<int> codes_of(const NodeSet& set) {
    std::set<int> codes;
    for (int code = 0; code < tile_nodes<3>; ++code) {
        if (set.plane[static_cast<std::size_t>(code >> 6)] >> (code & 63) & 1) codes.insert(code);
    }
    return codes;
}

/// The node some steps along an axis; -1 outside the tile.
int beside(int code, int axis, int steps) {
    const int part = Tile::part(code, axis) + steps;
    return part < 0 || part >= Tile::size(axis) ? -1 : code + steps * Tile::stride(axis);
}

NodeSet random_set(std::mt19937_64& random) {
    NodeSet set;
    for (auto& word : set.plane) word = random() & random();
    return set;
}

template <int Axis, int By>
void expect_moved(const NodeSet& set) {
    std::set<int> expected;
    for (const int code : codes_of(set)) expected.insert(beside(code, Axis, By));
    expected.erase(-1);
    EXPECT_EQ(codes_of(set.moved<Axis, By>()), expected) << Axis << ' ' << By;
}

TEST(NodeSet, MovesAndLayersAreThoseOfTheTile) {
    std::mt19937_64 random(1);
    const NodeSet set = random_set(random);
    expect_moved<0, 1>(set);
    expect_moved<0, -2>(set);
    expect_moved<1, 2>(set);
    expect_moved<1, -1>(set);
    expect_moved<2, 1>(set);
    expect_moved<2, 2>(set);
    expect_moved<2, -1>(set);
    expect_moved<2, -2>(set);
    for (int axis = 0; axis < 3; ++axis) {
        const int one = Tile::stride(axis == 0 ? 1 : 0);
        const int two = Tile::stride(axis == 2 ? 1 : 2);
        for (int n = 0; n < 64; ++n) {
            const int code = 5 * Tile::stride(axis) + (n >> 3) * one + (n & 7) * two;
            EXPECT_EQ(set.layer(axis, 5) >> n & 1, codes_of(set).count(code)) << axis;
        }
    }
}

/// Registers that compute the nodes of planes `first` to `last` once each, and no two of whose
/// nodes read one another; those that a node marks contain all readers that come later.
void expect_sweep(const std::vector<Plan::Register>& registers, SweepWay way, int first, int last) {
    const auto inside = [&](int code) {
        return code >= 0 && Tile::part(code, 0) >= first && Tile::part(code, 0) <= last;
    };
    std::vector<int> turn(tile_nodes<3>, -1);
    int count = 0;
    for (const Plan::Register& group : registers) {
        for (int n = 0; n < 16; ++n) {
            if (!(group.present >> n & 1)) continue;
            int& when = turn[static_cast<std::size_t>(group.code[static_cast<std::size_t>(n)])];
            EXPECT_EQ(when, -1);
            when = count;
        }
        ++count;
    }
    const StaleNodes<2> readers(Plan::made(), way);
    for (int code = 0; code < tile_nodes<3>; ++code) {
        const int now = turn[static_cast<std::size_t>(code)];
        ASSERT_EQ(now >= 0, inside(code));
        if (now < 0) continue;
        NodeSet changed;
        changed.add(code);
        NodeSet stale;
        readers.mark_after(changed, stale);
        for (int axis = 0; axis < 3; ++axis) {
            for (const int steps : {-2, -1, 1, 2}) {
                const int reader = beside(code, axis, steps);
                if (!inside(reader)) continue;
                const int later = turn[static_cast<std::size_t>(reader)];
                NodeSet one;
                one.add(reader);
                ASSERT_NE(later, now) << "nodes of a register read one another";
                ASSERT_TRUE(later < now || stale.meets(one)) << way.packed() << ' ' << code;
            }
        }
    }
}

TEST(TilePlan, EverySweepComputesEveryNodeOnceAndMarksItsLaterReaders) {
    const Plan& plan = Plan::made();
    for (unsigned packed = 0; packed < 64; ++packed) {
        const SweepWay way = SweepWay::unpacked(packed);
        expect_sweep(plan.of[packed], way, 0, 7);
        expect_sweep(plan.flat[packed], way, Plan::flat_plane, Plan::flat_plane);
    }
}

TEST(DiagonalRoot, IsTheEarliestOverFacesAndEdges) {
    std::mt19937_64 random(2);
    const auto uniform = [&](float low, float high) {
        return low +
               (high - low) * static_cast<float>(random() >> 40) / static_cast<float>(1 << 24);
    };
    for (int n = 0; n < 1000; ++n) {
        const SymmetricTensor<float> m{
            uniform(0.2F, 3), uniform(0.2F, 3), uniform(0.2F, 3), 0, 0, 0};
        const auto term = [&] {
            return OctantTerm<float>{uniform(-0.2F, 2),
                                     uniform(0, 1) < 0.1F ? unreached<float> : uniform(0, 0.3F)};
        };
        const OctantTerm<float> x = term();
        const OctantTerm<float> y = term();
        const OctantTerm<float> z{uniform(0.5F, 2), uniform(0, 0.3F)};
        const float f2 = uniform(0.001F, 0.1F);
        // Where axes couple by nothing, the general solver must agree.
        float expected = boundary_root(m, x, y, z, f2);
        if (x.c > 0 && y.c > 0 && x.r < 1 && y.r < 1) {
            expected = octant_root(m, x, y, z, f2, 0.0F);
        }
        EXPECT_NEAR(diagonal_root(m.xx, m.yy, m.zz, x, y, z, f2), expected, 2e-4 * expected) << n;
    }
}

TEST(GroupSeries, IsTheGroupTimeAndItsGradient) {
    std::mt19937_64 random(3);
    std::normal_distribution<double> normal;
    for (const auto& [epsilon, delta] :
         {std::pair{0.2, 0.1}, {0.1, 0.1}, {0.3, -0.05}, {0.0, 0.0}}) {
        const Vec3 tilted = tilted_axis(35, 20);
        const Thomsen medium{epsilon, delta, tilted};
        const GroupSeries series(medium);
        ASSERT_TRUE(series.converges());
        EXPECT_LT(series.size(), 60U);
        for (int n = 0; n < 50; ++n) {
            const Vec3 d{normal(random), normal(random), normal(random)};
            const double along = dot(d, tilted);
            const double cos2 = along * along / dot(d, d);
            const auto g = series.at(cos2);
            const GroupTime exact = group_time(medium, d);
            EXPECT_NEAR(dot(d, d) * g.value, exact.time * exact.time, 1e-10 * dot(d, d));
            const Vec3 gradient = (g.value - cos2 * g.slope) * d + (g.slope * along) * tilted;
            EXPECT_LT(distance(gradient, exact.time * exact.slowness), 1e-9 * norm(d));
        }
    }
}

struct Solved {
    Field<float> tau;
    double visits_per_tile = 0;
    bool long_cells = false;
};

Solved solve_tiles(const MetricMedium& medium, bool from_first_order) {
    const NodeMedium nodes(medium.model, 1);
    const MetricFactor factor(medium.model, medium.model.mapping().to_grid(medium.source));
    const SourceNumbers of = nodes.fields_of(factor, 1);
    const NodeNumbers numbers = nodes.numbers(of, factor.position());
    Solved out{Field<float>(nodes.shape()), 0, nodes.long_cells()};
    MetricTiles tiles(numbers, out.tau.data(), 1);
    if (from_first_order) tiles.first_order(silent_monitor());
    const auto settled = tiles.settle(2, silent_monitor());
    out.visits_per_tile = static_cast<double>(settled.visits) * tile_nodes<3> /
                          static_cast<double>(out.tau.shape().count());
    return out;
}

TEST(MetricTiles, OneWaveOfSecondOrderFindsTheSolutionOfTwo) {
    for (const MetricMedium& medium : {power_law_block(41), diffeomorphic_cube(41)}) {
        const Solved one = solve_tiles(medium, false);
        const Solved two = solve_tiles(medium, true);
        EXPECT_FALSE(one.long_cells);
        for (std::size_t n = 0; n < one.tau.size(); ++n) {
            ASSERT_NEAR(one.tau[n], two.tau[n], 3e-5 * two.tau[n]) << n;
        }
        // What a source costs: a rule that wakes tiles for nothing would show here.
        EXPECT_LT(one.visits_per_tile, 3.2);
    }
}

/// Two layers of a sphere with a jump on row 7, the source between rows 6 and 7.
MetricMedium source_above_a_jump() {
    const Grid grid{{101, 1, 41}, {}, {0.05, 1, 5}};
    CoordinateNumbers numbers;
    numbers.system = Coordinates::spherical;
    numbers.jumps.assign(41, 1);
    numbers.jumps[7] = 8.04 / 6.5;
    Field<float> velocity(grid.shape);
    for_each_node(grid.shape, [&](Index3 n) { velocity(n) = n.z > 7 ? 8.04F : 6.5F; });
    return {
        Model(grid, std::move(velocity)).with_metric(std::make_shared<const Metric>(grid, numbers)),
        {1, 0, 33},
        {}};
}

TEST(UnbiasedSum, ErrsEvenlyAndByLessThanAUnit) {
    std::mt19937 random(5);
    std::uniform_real_distribution<float> uniform(0.1F, 1);
    constexpr int draws = 200'000;
    double sum = 0;
    for (int n = 0; n < draws; ++n) {
        const float base = 1 + 0.5F * uniform(random);
        // Rounding to the nearest would drop all of it.
        const float small = 0.3F * 0x1p-23F;
        const float chance = chance_of(uniform(random), uniform(random), uniform(random));
        ASSERT_LE(std::abs(chance), 0.5F);
        const double error = (double{unbiased_sum(base, small, chance)} - base - small) * 0x1p23;
        ASSERT_LT(std::abs(error), 1);
        sum += error;
    }
    EXPECT_NEAR(sum / draws, 0, 0.005);
}

TEST(UnbiasedSum, KeepsWhatDoesNotChange) {
    for (float chance = -0.5F; chance < 0.5F; chance += 0.01F) {
        EXPECT_EQ(unbiased_sum(1.25F, 0.0F, chance), 1.25F) << chance;
    }
}

TEST(UnbiasedSum, RegistersHaveTheBitsOfSingleNodes) {
    std::mt19937 random(6);
    std::uniform_real_distribution<float> uniform(0.1F, 3);
    float values[4][lane_count<float>];
    for (auto& row : values) {
        for (float& value : row) value = uniform(random);
    }
    const auto chances = chance_of(load(values[0]), load(values[1]), load(values[2]));
    const auto sums = unbiased_sum(load(values[3]), 1e-6F * load(values[0]), chances);
    for (int n = 0; n < lane_count<float>; ++n) {
        const float chance = chance_of(values[0][n], values[1][n], values[2][n]);
        EXPECT_EQ(chances[n], chance);
        EXPECT_EQ(sums[n], unbiased_sum(values[3][n], 1e-6F * values[0][n], chance));
    }
}

TEST(MetricTiles, ASecondSolveFindsNothingToChange) {
    // A node that is not woken would show here.
    for (const MetricMedium& medium :
         {power_law_block(33), diffeomorphic_cube(33), source_above_a_jump()}) {
        const NodeMedium nodes(medium.model, 1);
        const MetricFactor factor(medium.model, medium.model.mapping().to_grid(medium.source));
        const SourceNumbers of = nodes.fields_of(factor, 1);
        const NodeNumbers numbers = nodes.numbers(of, factor.position());
        Field<float> tau(nodes.shape());
        MetricTiles tiles(numbers, tau.data(), 1);
        if (numbers.jumps != nullptr) tiles.first_order(silent_monitor());
        tiles.settle(2, silent_monitor());
        EXPECT_LT(tiles.settle(2, silent_monitor()).change, 5e-6F);
    }
}

TEST(MetricTiles, LongCellsAreSeen) {
    MetricMedium medium = elliptical_cube(9);
    const Grid& grid = medium.model.grid();
    // The diagonal is even; the ellipse, of axes 1 to 5, is tilted by 45 degrees.
    const Mat3 tilted{{{{13, 0, 12}, {0, 13, 0}, {12, 0, 13}}}};
    medium.model = medium.model.with_metric(std::make_shared<const Metric>(
        grid, CoordinateNumbers{}, tensors_of(grid, [&](Vec3) { return tilted; })));
    EXPECT_TRUE(NodeMedium(medium.model, 1).long_cells());
    EXPECT_FALSE(NodeMedium(elliptical_cube(9).model, 1).long_cells());
}

}  // namespace
}  // namespace fermat
