// Paper 5's own method: the eikonal equation without a factor, and rays from point to point.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "bench/papers/paper5_plain.hpp"
#include "core/error.hpp"

namespace fermat::bench {
namespace {

/// A square with a velocity that grows with depth; the source on a point.
PlainProblem problem_of(int points, PlainPoint source, double gradient) {
    PlainProblem problem;
    problem.points = points;
    problem.source = source;
    for (int i = 0; i <= points; ++i) {
        for (int k = 0; k <= points; ++k) {
            problem.slowness.push_back(static_cast<float>(1 / (2 + gradient * k)));
        }
    }
    for (int n = 0; n < points; n += 7) {
        problem.receivers.push_back({n, 0});
        problem.receivers.push_back({points - 1, n});
    }
    return problem;
}

float time_of(const PlainProblem& problem, const PlainResult& result, int i, int k) {
    return result.times[static_cast<std::size_t>(i * (problem.points + 1) + k)];
}

/// Times by equation 2, point after point in four sweeps until nothing changes.
std::vector<float> swept(const PlainProblem& problem) {
    const int side = problem.points + 1;
    std::vector<float> t(problem.slowness.size(), INFINITY);
    const auto at = [&](int i, int k) { return static_cast<std::size_t>(i * side + k); };
    t[at(problem.source.x, problem.source.z)] = 0;
    bool changed = true;
    while (changed) {
        changed = false;
        for (int sweep = 0; sweep < 4; ++sweep) {
            for (int a = 0; a < side; ++a) {
                for (int b = 0; b < side; ++b) {
                    const int i = sweep % 2 == 0 ? a : side - 1 - a;
                    const int k = sweep / 2 == 0 ? b : side - 1 - b;
                    const auto near = [&](int di, int dk) {
                        const int x = i + di;
                        const int z = k + dk;
                        return x < 0 || z < 0 || x >= side || z >= side ? INFINITY : t[at(x, z)];
                    };
                    const float x = std::min(near(-1, 0), near(1, 0));
                    const float z = std::min(near(0, -1), near(0, 1));
                    if (std::isinf(std::min(x, z))) continue;
                    const float time = godunov_time(x, z, problem.slowness[at(i, k)]);
                    if (time < t[at(i, k)]) {
                        changed = changed || t[at(i, k)] - time > 1e-5F * time;
                        t[at(i, k)] = time;
                    }
                }
            }
        }
    }
    return t;
}

TEST(PaperFive, TimesSolveEquationTwo) {
    for (const double gradient : {0.0, 0.05}) {
        const PlainProblem problem = problem_of(61, {23, 0}, gradient);
        const PlainResult result = solve_plain(problem, silent_monitor());
        const std::vector<float> wanted = swept(problem);
        for (std::size_t n = 0; n < wanted.size(); ++n) {
            ASSERT_NEAR(result.times[n], wanted[n], 1e-4 * static_cast<double>(wanted[n]) + 1e-6);
        }
    }
}

// Without a factor the error along the diagonals stays that of a scheme of first order.
TEST(PaperFive, ErrorIsThatOfAFirstOrderScheme) {
    const auto worst_at = [](int points) {
        const PlainProblem problem = problem_of(points, {0, 0}, 0);
        const PlainResult result = solve_plain(problem, silent_monitor());
        const int end = points - 1;
        const double exact = std::sqrt(2.0) * end / 2;
        return static_cast<double>(time_of(problem, result, end, end)) / exact - 1;
    };
    EXPECT_GT(worst_at(101), 5e-3);
    EXPECT_LT(worst_at(101), 4e-2);
    EXPECT_LT(worst_at(401), 0.5 * worst_at(101));
}

TEST(PaperFive, RaysGoFromPointToPointToTheSource) {
    for (const double gradient : {0.0, 0.02}) {
        const PlainProblem problem = problem_of(101, {50, 50}, gradient);
        const PlainResult result = solve_plain(problem, silent_monitor());
        ASSERT_EQ(result.paths.size(), problem.receivers.size());
        for (std::size_t n = 0; n < result.paths.size(); ++n) {
            const auto& path = result.paths[n];
            ASSERT_FALSE(path.empty()) << n;
            EXPECT_EQ(path.front().x, problem.receivers[n].x);
            EXPECT_EQ(path.back().x, problem.source.x);
            EXPECT_EQ(path.back().z, problem.source.z);
            for (std::size_t p = 1; p < path.size(); ++p) {
                EXPECT_LE(std::abs(path[p].x - path[p - 1].x), 2);
                EXPECT_LE(std::abs(path[p].z - path[p - 1].z), 2);
            }
        }
    }
}

TEST(PaperFive, LanesInAnyOrderGiveTheSameBits) {
    const PlainProblem problem = problem_of(20, {3, 4}, 0.1);
    std::vector<float> bits[2];
    for (const LaneOrder order : {LaneOrder::forward, LaneOrder::backward}) {
        std::vector<float>& times = bits[order == LaneOrder::forward ? 0 : 1];
        times.assign(problem.slowness.size(), INFINITY);
        const PlainTimes field{21, 3, problem.slowness.data(), times.data()};
        times[static_cast<std::size_t>(field.at(3, 4))] = 0;
        PlainRoom room;
        for (int pass = 0; pass < 4; ++pass) {
            for (int b = 0; b < field.block_count(); ++b) {
                iterate_plain_block(HostBlock(order), field, b, plain_rounds, room);
            }
        }
    }
    EXPECT_EQ(bits[0], bits[1]);
}

TEST(PaperFive, AReceiverAtTheSourceHasARayAndAWallLosesIt) {
    PlainProblem problem = problem_of(21, {5, 5}, 0);
    problem.receivers = {{5, 5}, {6, 5}};
    PlainResult result = solve_plain(problem, silent_monitor());
    EXPECT_EQ(result.paths[0].size(), 1U);
    EXPECT_EQ(result.paths[1].size(), 2U);
    // Slowness that is infinite lets nothing through; a ray from behind does not arrive.
    for (int i = 0; i <= 21; ++i)
        problem.slowness[static_cast<std::size_t>(i * 22 + 10)] = INFINITY;
    problem.receivers = {{5, 15}};
    result = solve_plain(problem, silent_monitor());
    EXPECT_TRUE(result.paths[0].empty());
}

}  // namespace
}  // namespace fermat::bench
