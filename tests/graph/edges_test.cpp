#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>
#include <vector>

#include "edge_weight.hpp"
#include "graph/graph.hpp"
#include "model/makers.hpp"

namespace fermat {
namespace {

Grid flat(int nx, int nz, double hx = 1, double hz = 1) { return {{nx, 1, nz}, {}, {hx, 1, hz}}; }

std::map<std::pair<int, int>, double> terms_of(Index3 offset, Vec3 spacing, Reading reading) {
    std::map<std::pair<int, int>, double> terms;
    const Vec3 end{static_cast<double>(offset.x), 0, static_cast<double>(offset.z)};
    for_each_term({}, end, spacing, reading, [&](Index3 n, double weight) {
        terms[{n.x, n.z}] += weight;
    });
    return terms;
}

TEST(LineTerms, NearestIsPaper2sFigure3) {
    // Edge (3, 1): planes x = 1/2, 3/2, 5/2 cross at 1/6, 1/2, 5/6, plane z = 1/2 at 1/2.
    const auto terms = terms_of({3, 0, 1}, {1, 1, 1}, Reading::nearest);
    const double length = std::sqrt(10.0);
    ASSERT_EQ(terms.size(), 4u);
    EXPECT_NEAR(terms.at({0, 0}), length / 6, 1e-12);
    EXPECT_NEAR(terms.at({1, 0}), length / 3, 1e-12);
    EXPECT_NEAR(terms.at({2, 1}), length / 3, 1e-12);
    EXPECT_NEAR(terms.at({3, 1}), length / 6, 1e-12);
}

TEST(LineTerms, WeightsAddUpToTheLengthForAnySpacing) {
    const Vec3 spacing{0.5, 2, 3};
    for (const Reading reading : {Reading::linear, Reading::nearest}) {
        for (const Index3& o : forward_star({4, 3, 5}, StarEdges::full)) {
            double sum = 0;
            for_each_term({}, {1.0 * o.x, 1.0 * o.y, 1.0 * o.z}, spacing, reading,
                          [&](Index3, double weight) { sum += weight; });
            EXPECT_NEAR(sum, norm({o.x * 0.5, o.y * 2.0, o.z * 3.0}), 1e-9);
        }
    }
}

TEST(LineTerms, LinearIntegratesAMultilinearSlownessExactly) {
    // s = 1 + x/5 + z/7 + x z/3 along (0.3, 0.2) + t (4.1, 2.6): a polynomial in t.
    const auto slowness = [](double x, double z) { return 1 + x / 5 + z / 7 + x * z / 3; };
    const Vec3 from{0.3, 0, 0.2};
    const Vec3 d{4.1, 0, 2.6};
    double sum = 0;
    for_each_term(from, from + d, {1, 1, 1}, Reading::linear,
                  [&](Index3 n, double weight) { sum += weight * slowness(n.x, n.z); });
    const auto at = [&](double t) { return slowness(from.x + t * d.x, from.z + t * d.z); };
    EXPECT_NEAR(sum, norm(d) * (at(0) + 4 * at(0.5) + at(1)) / 6, 1e-9);
}

TEST(LineTerms, LinesAlongTheEdgeOfAirDoNotTouchIt) {
    for_each_term({0, 2, 3}, {5, 2, 3}, {1, 1, 1}, Reading::linear, [](Index3 n, double) {
        EXPECT_EQ(n.y, 2);
        EXPECT_EQ(n.z, 3);
    });
}

TEST(Edges, BothEndsComputeTheSameBitsStoredOrNot) {
    const Model model = random_blocks_model({{9, 8, 10}, {}, {1, 0.5, 0.7}}, {1, 10, {2, 2, 2}, 3});
    GraphOptions options;
    options.radius = {2, 1, 3};
    options.weights = EdgeWeights::computed;
    const Graph computed(model, options);
    options.weights = EdgeWeights::stored;
    const Graph stored(model, options);
    const GraphView& view = computed.view();
    for (int e = 0; e < view.edges; ++e) {
        const std::size_t place = view.at({4, 4, 5});
        const auto end = static_cast<std::size_t>(static_cast<int>(place) + view.step[e]);
        const float weight = edge_weight(view, place, e);
        EXPECT_TRUE(std::isfinite(weight));
        EXPECT_EQ(weight, edge_weight(view, end, view.opposite(e)));
        EXPECT_EQ(weight, edge_weight(stored.view(), place, e));
    }
}

TEST(Edges, ThatTouchAirOrLeaveTheGridAreAbsent) {
    Field<float> velocity({5, 1, 5}, 1.0F);
    velocity(2, 0, 2) = 0;
    const Model model(flat(5, 5), std::move(velocity));
    GraphOptions options;
    options.radius = {1, 0, 1};
    const Graph graph(model, options);
    const GraphView& view = graph.view();
    for (int e = 0; e < view.edges; ++e) {
        const Index3 o = graph.star().offset[static_cast<std::size_t>(e)];
        const bool leaves = o.x < 0;
        const bool touches = o.x > 0 && o.z > 0;  // the cell (1..2, 1..2)
        const float corner = edge_weight(view, view.at({0, 0, 1}), e);
        EXPECT_EQ(std::isfinite(corner), !leaves);
        const float by_air = edge_weight(view, view.at({1, 0, 1}), e);
        EXPECT_EQ(std::isfinite(by_air), !touches) << o.x << ' ' << o.z;
    }
}

class GeometricBound : public testing::TestWithParam<int> {};

TEST_P(GeometricBound, IsTheLargestErrorInAHomogeneousMedium) {
    const int r = GetParam();
    for (const double hz : {1.0, 0.6}) {
        const Model model = constant_model(flat(100, 100, 1, hz), 2);
        GraphOptions options;
        options.radius = {r, 0, r};
        const Graph graph(model, options);
        const Field<float> times = node_times(graph, solve(graph, {}));
        double worst = 0;
        for (int i = 0; i < 100; ++i) {
            for (int k = 0; k < 100; ++k) {
                const double exact = norm(model.grid().position({i, 0, k})) / 2;
                if (exact == 0) continue;
                worst = std::max(worst, static_cast<double>(times(i, 0, k)) / exact - 1);
            }
        }
        const double gap = largest_gap(graph.star().offset, 1, hz);
        const double bound = 1 / std::cos(gap / 2) - 1;
        EXPECT_LT(worst, bound + 2e-5);
        EXPECT_GT(worst, 0.98 * bound);
    }
}
INSTANTIATE_TEST_SUITE_P(Radii, GeometricBound, testing::Range(1, 7));

}  // namespace
}  // namespace fermat
