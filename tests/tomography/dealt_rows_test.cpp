// Products of rows that lie on several ranks: right, and the same bits wherever the rows lie.
#include "tomography/gauss_newton/dealt_rows.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "core/error.hpp"
#include "expect_error.hpp"
#include "model/makers.hpp"
#include "thread_ranks.hpp"
#include "tomography/gauss_newton/gathered_rows.hpp"
#include "tomography/gauss_newton/linear_step.hpp"
#include "tomography/random_vector.hpp"

namespace fermat {
namespace {

using Vector = std::vector<double>;
using test::random_vector;

bool same_bits(const Vector& a, const Vector& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

/// Enough entries that threads share them. Columns have from none to thousands of entries.
struct Case {
    static constexpr std::size_t picks = 3000;
    static constexpr std::size_t columns = 700;
    UnknownRows rows;
    Vector weights;

    Case() {
        std::mt19937 engine(5);
        for (std::size_t r = 0; r < picks; ++r) {
            for (std::size_t c = engine() % 7; c < columns - 5; c += 1 + engine() % 14) {
                rows.column.push_back(static_cast<std::int32_t>(c * c / columns));
                rows.value.push_back(std::ldexp(static_cast<float>(engine() % 1000) - 300.0F,
                                                -static_cast<int>(engine() % 20)));
            }
            rows.start.push_back(static_cast<std::int64_t>(rows.column.size()));
            weights.push_back(r % 11 == 0 ? 0
                                          : std::ldexp(1.0 + static_cast<double>(r % 3),
                                                       -static_cast<int>(r % 9)));
        }
    }

    /// Each 17 picks to another rank, in another order on each.
    std::vector<RowLot> share(int rank, int size) const {
        std::vector<RowLot> lots;
        for (std::size_t first = 0; first < picks; first += 17) {
            if (static_cast<int>(first * 31 / 17) % size != rank) continue;
            RowLot lot;
            for (std::size_t r = first; r < std::min(first + 17, picks); ++r) {
                lot.picks.push_back(static_cast<std::int32_t>(r));
                const auto begin = rows.start[r];
                const auto end = rows.start[r + 1];
                lot.rows.column.insert(lot.rows.column.end(), rows.column.begin() + begin,
                                       rows.column.begin() + end);
                lot.rows.value.insert(lot.rows.value.end(), rows.value.begin() + begin,
                                      rows.value.begin() + end);
                lot.rows.start.push_back(static_cast<std::int64_t>(lot.rows.column.size()));
            }
            lots.push_back(std::move(lot));
        }
        if (rank % 2 == 1) std::reverse(lots.begin(), lots.end());
        return lots;
    }
};

struct Products {
    Vector ax = Vector(Case::picks);
    Vector aty = Vector(Case::columns);
    Vector squares = Vector(Case::columns);
    double trace = 0;
};

Products products(const PickMatrix& matrix, int threads) {
    Products out;
    matrix.times(random_vector(Case::columns, 1), out.ax, threads);
    matrix.transposed_times(random_vector(Case::picks, 2), out.aty, threads);
    matrix.column_squares(out.squares, threads);
    out.trace = matrix.trace();
    return out;
}

TEST(DealtRows, ProductsAreThoseOfTheMatrix) {
    const Case c;
    UnknownRows copy = c.rows;
    const WeightedRows matrix(std::move(copy), c.weights, Case::columns);
    const Products found = products(matrix, 2);
    const Vector x = random_vector(Case::columns, 1);
    const Vector y = random_vector(Case::picks, 2);
    Vector ax(Case::picks, 0.0);
    Vector aty(Case::columns, 0.0);
    Vector absolute(Case::columns, 0.0);
    Vector squares(Case::columns, 0.0);
    for (std::size_t r = 0; r < Case::picks; ++r) {
        for (auto e = c.rows.start[r]; e < c.rows.start[r + 1]; ++e) {
            const auto column =
                static_cast<std::size_t>(c.rows.column[static_cast<std::size_t>(e)]);
            const double a = c.weights[r] * c.rows.value[static_cast<std::size_t>(e)];
            ax[r] += a * x[column];
            aty[column] += a * y[r];
            absolute[column] += std::abs(a * y[r]);
            squares[column] += a * a;
        }
    }
    for (std::size_t r = 0; r < Case::picks; ++r) EXPECT_NEAR(found.ax[r], ax[r], 1e-9);
    for (std::size_t u = 0; u < Case::columns; ++u) {
        EXPECT_NEAR(found.aty[u], aty[u], 1e-11 * (1 + absolute[u])) << u;
        EXPECT_NEAR(found.squares[u], squares[u], 1e-7 + 1e-11 * squares[u]) << u;
    }
    const double trace = std::accumulate(squares.begin(), squares.end(), 0.0);
    EXPECT_NEAR(found.trace, trace, 1e-9 * trace);
}

TEST(DealtRows, RanksAndThreadsChangeNoBit) {
    const Case c;
    UnknownRows copy = c.rows;
    const Products one = products(WeightedRows(std::move(copy), c.weights, Case::columns), 1);
    for (const int size : {1, 2, 3}) {
        for (const int threads : {1, 2, 5}) {
            Products found;
            const auto errors = test::on_ranks(size, [&](Ranks& ranks) {
                DealtRows matrix(c.share(ranks.rank(), size), c.weights, Case::columns, ranks);
                matrix.while_served(threads, [&] { found = products(matrix, threads); });
            });
            for (const auto& error : errors) EXPECT_FALSE(error);
            EXPECT_TRUE(same_bits(one.ax, found.ax)) << size << " ranks, " << threads;
            EXPECT_TRUE(same_bits(one.aty, found.aty)) << size << " ranks, " << threads;
            EXPECT_TRUE(same_bits(one.squares, found.squares)) << size << " ranks, " << threads;
            EXPECT_EQ(one.trace, found.trace);
        }
    }
}

TEST(DealtRows, AnErrorOfRankZeroEndsTheOthersWithItsSentence) {
    const Case c;
    const auto errors = test::on_ranks(3, [&](Ranks& ranks) {
        DealtRows matrix(c.share(ranks.rank(), 3), c.weights, Case::columns, ranks);
        matrix.while_served(1, [&] {
            products(matrix, 1);
            throw InputError("enough is enough");
        });
    });
    for (const auto& error : errors) {
        ASSERT_TRUE(error);
        test::expect_error<InputError>([&] { std::rethrow_exception(error); }, "enough is enough");
    }
}

TEST(DealtRows, NotANumberComesOutAsSuchAndZeroAsZero) {
    const Case c;
    UnknownRows copy = c.rows;
    const WeightedRows matrix(std::move(copy), c.weights, Case::columns);
    Vector out(Case::columns);
    matrix.transposed_times(Vector(Case::picks, 0.0), out, 1);
    EXPECT_TRUE(same_bits(out, Vector(Case::columns, 0.0)));
    Vector y = random_vector(Case::picks, 2);
    y[1] = std::nan("");
    matrix.transposed_times(y, out, 1);
    EXPECT_TRUE(std::isnan(out[0]));
    y[1] = std::numeric_limits<double>::infinity();
    matrix.transposed_times(y, out, 1);
    EXPECT_TRUE(std::isnan(out[0]));
}

TEST(DealtRows, RanksWithoutRowsServeToo) {
    const auto errors = test::on_ranks(2, [&](Ranks& ranks) {
        std::vector<RowLot> lots;
        if (!ranks.is_root()) lots.push_back({{1, 0}, {{0, 1, 2}, {2, 0}, {3.0F, 4.0F}}});
        DealtRows matrix(std::move(lots), Vector{1, 2, 0}, 3, ranks);
        matrix.while_served(1, [&] {
            Vector out(3);
            matrix.times(Vector{1, 10, 100}, out, 1);
            EXPECT_EQ(out, (Vector{4, 600, 0}));
            matrix.transposed_times(Vector{1, 1, 1}, out, 1);
            EXPECT_EQ(out, (Vector{4, 0, 6}));
        });
    });
    for (const auto& error : errors) EXPECT_FALSE(error);
}

TEST(GatheredRows, AreInTheOrderOfThePicksOnEveryRank) {
    const Case c;
    for (const int size : {1, 3}) {
        std::vector<UnknownRows> found(static_cast<std::size_t>(size));
        test::on_ranks(size, [&](Ranks& ranks) {
            found[static_cast<std::size_t>(ranks.rank())] =
                gathered_rows(c.share(ranks.rank(), size), Case::picks, ranks);
        });
        for (const UnknownRows& rows : found) {
            EXPECT_EQ(rows.start, c.rows.start);
            EXPECT_EQ(rows.column, c.rows.column);
            EXPECT_EQ(rows.value, c.rows.value);
        }
    }
    const UnknownRows some = weighted(c.rows, c.weights);
    const UnknownRows back = transposed(transposed(some, Case::columns), Case::picks);
    EXPECT_EQ(back.start, some.start);
    EXPECT_EQ(some.start[1], 0);  // its weight is 0
    EXPECT_EQ(some.value.back(), static_cast<float>(c.weights.back() * c.rows.value.back()));
}

TEST(FixedScale, SumsOfTheLargestTermsDoNotOverflowAndSmallOnesAreKept) {
    for (const double largest : {1.0, 1.5, 3e-300, 1e300, 5e-324}) {
        for (const std::int64_t terms : {1, 3, 1000, 1 << 30}) {
            const FixedScale scale(largest, terms);
            const double each = std::abs(static_cast<double>(scale.of(largest)));
            EXPECT_LT(each * static_cast<double>(terms), 0x1p62);
        }
    }
    const FixedScale scale(1.0, 1000);
    EXPECT_EQ(scale.value(scale.of(0x1p-50)), 0x1p-50);
    EXPECT_EQ(scale.value(scale.of(-0.75) + scale.of(0.5)), -0.25);
}

TEST(StepSolver, TermsBehindTheGridAreSolvedForWithTheirOwnDamping) {
    // Times of every third pick have a delay that no medium explains.
    const Model model = constant_model(Grid{{9, 1, 8}, {0, 0, 0}, {1, 1, 1}}, 2);
    const Unknowns unknowns(model, {1, 1, 1});
    const Roughness roughness(unknowns, {Regularisation::first, {1, 1, 1}, 0});
    const std::size_t grid = unknowns.size();
    constexpr std::size_t picks = 60;
    UnknownRows rows;
    Vector residual;
    std::mt19937 engine(3);
    for (std::size_t r = 0; r < picks; ++r) {
        for (std::size_t u = engine() % 5; u < grid; u += 1 + engine() % 9) {
            rows.column.push_back(static_cast<std::int32_t>(u));
            rows.value.push_back(0.5F);
        }
        rows.column.push_back(static_cast<std::int32_t>(grid + r % 3));
        rows.value.push_back(1);
        rows.start.push_back(static_cast<std::int64_t>(rows.column.size()));
        residual.push_back(r % 3 == 1 ? 2.0 : 0.0);
    }
    const WeightedRows matrix(std::move(rows), Vector(picks, 1.0), grid + 3);
    StepSolver solver(unknowns, roughness, 1, {1e-3, 1e-3, 1e-3});
    const Vector d = solver.solve(matrix, residual, Vector(grid + 3, 0.0), {10, 0});
    EXPECT_NEAR(d[grid + 1] - d[grid], 2, 0.1);
    EXPECT_NEAR(d[grid + 2] - d[grid], 0, 0.1);

    SolveLimits stopped;
    Monitor stop({}, [] { return true; });
    stopped.monitor = &stop;
    EXPECT_THROW(solver.solve(matrix, random_vector(grid + 3, 9), 10, stopped), Cancelled);

    // The gradient of the objective at the solution, in the norm of what it is at the start.
    const LinearSolution tight =
        solver.solve(matrix, random_vector(grid + 3, 9), 10, {1e-10, 1000});
    EXPECT_TRUE(tight.converged);
    Vector along(picks);
    Vector back(grid + 3);
    matrix.times(tight.d, along, 1);
    matrix.transposed_times(along, back, 1);
    Vector smooth(grid);
    roughness.apply(std::span(tight.d).first(grid), smooth, 1);
    const Vector right = random_vector(grid + 3, 9);
    for (std::size_t u = 0; u < grid + 3; ++u) {
        back[u] += u < grid ? 10 * smooth[u] : 1e-3 * tight.d[u];
        EXPECT_NEAR(back[u], right[u], 1e-6);
    }
}

}  // namespace
}  // namespace fermat
