// The block algorithms of the linear solver, which a device runs, on the CPU: the same in either
// order of lanes, and what the host's own solver finds.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "core/block.hpp"
#include "core/error.hpp"
#include "model/makers.hpp"
#include "tomography/gauss_newton/dealt_rows.hpp"
#include "tomography/gauss_newton/row_products.hpp"
#include "tomography/gauss_newton/spectral.hpp"
#include "tomography/gauss_newton/tile_product.hpp"
#include "tomography/random_vector.hpp"

namespace fermat {
namespace {

using Vector = std::vector<double>;
using test::random_vector;

Vector tiled_product(const Vector& left, const Vector& right, ProductShape shape, LaneOrder order) {
    Vector out(static_cast<std::size_t>(shape.rows) * shape.columns, std::nan(""));
    ProductTile tile;
    for (int r = 0; r * ProductTile::side < shape.rows; ++r) {
        for (int c = 0; c * ProductTile::side < shape.columns; ++c) {
            multiply_tile(HostBlock(order), left.data(), right.data(), out.data(), shape, r, c,
                          tile);
        }
    }
    return out;
}

TEST(TileProduct, IsTheProductForAnyShapeAndOrderOfLanes) {
    for (const ProductShape shape : {ProductShape{1, 1, 1}, ProductShape{7, 33, 5},
                                     ProductShape{40, 16, 70}, ProductShape{64, 47, 32}}) {
        const Vector left = random_vector(static_cast<std::size_t>(shape.rows) * shape.inner, 1);
        const Vector right =
            random_vector(static_cast<std::size_t>(shape.inner) * shape.columns, 2);
        const Vector found = tiled_product(left, right, shape, LaneOrder::forward);
        EXPECT_EQ(found, tiled_product(left, right, shape, LaneOrder::backward));
        for (int r = 0; r < shape.rows; ++r) {
            for (int c = 0; c < shape.columns; ++c) {
                double sum = 0;
                for (int i = 0; i < shape.inner; ++i) {
                    sum += left[static_cast<std::size_t>(r * shape.inner + i)] *
                           right[static_cast<std::size_t>(i * shape.columns + c)];
                }
                ASSERT_NEAR(found[static_cast<std::size_t>(r * shape.columns + c)], sum, 1e-12);
            }
        }
    }
}

/// The device's preconditioner, with its products made here.
Vector solved_by_tiles(const Unknowns& unknowns, const SpectralSolver& spectral, const Vector& r,
                       double lambda, double c) {
    const Shape shape = unknowns.grid().shape;
    Vector values(shape.count(), 0.0);
    for (std::size_t u = 0; u < r.size(); ++u) {
        values[static_cast<std::size_t>(unknowns.places()[u])] = r[u];
    }
    const auto transform = [&](int axis, bool back) {
        const AxisProducts products = axis_products(shape.x, shape.y, shape.z, axis);
        const Vector& matrix =
            back == products.field_is_left ? spectral.cosines(axis) : spectral.transposed(axis);
        if (products.field_is_left) {
            values = tiled_product(values, matrix, products.shape, LaneOrder::forward);
            return;
        }
        const auto size = static_cast<std::size_t>(products.shape.inner) * products.shape.columns;
        for (int b = 0; b < products.batch; ++b) {
            const auto first = values.begin() + static_cast<std::ptrdiff_t>(size) * b;
            const Vector field(first, first + static_cast<std::ptrdiff_t>(size));
            const Vector out = tiled_product(matrix, field, products.shape, LaneOrder::forward);
            std::copy(out.begin(), out.end(), first);
        }
    };
    for (int axis = 0; axis < 3; ++axis) transform(axis, false);
    const SpectralDivisor divisor = spectral.divisor(lambda, c);
    std::size_t n = 0;
    for (const double x : spectral.eigenvalues(0)) {
        for (const double y : spectral.eigenvalues(1)) {
            for (const double z : spectral.eigenvalues(2)) values[n++] /= divisor.at(x + y + z);
        }
    }
    for (int axis = 0; axis < 3; ++axis) transform(axis, true);
    Vector out;
    for (const std::int64_t place : unknowns.places()) {
        out.push_back(values[static_cast<std::size_t>(place)]);
    }
    return out;
}

TEST(TileProduct, TransformsOfAllAxesAreThoseOfTheHostsPreconditioner) {
    for (const Shape shape : {Shape{9, 5, 34}, Shape{37, 1, 12}, Shape{6, 41, 3}}) {
        const Model model = constant_model(Grid{shape, {0, 0, 0}, {1, 2, 0.5}}, 2);
        const Unknowns unknowns(model, {1, 1, 1});
        const Roughness roughness(unknowns, {Regularisation::second, {1, 1, 0.5}, 0});
        SpectralSolver spectral(unknowns, roughness);
        const Vector r = random_vector(unknowns.size(), 3);
        Vector z(r.size());
        spectral.solve(r, z, 2, 0.3, 1);
        const Vector found = solved_by_tiles(unknowns, spectral, r, 2, 0.3);
        for (std::size_t u = 0; u < r.size(); ++u) ASSERT_NEAR(found[u], z[u], 1e-11);
    }
}

TEST(RowProducts, AreThoseOfTheHostInEitherOrderOfLanes) {
    constexpr std::size_t columns = 300;
    constexpr std::size_t rows = 50;
    std::mt19937 engine(4);
    UnknownRows made;
    Vector weights;
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t c = 0; r != 7 && c < columns; c += 1 + engine() % (r + 1)) {
            made.column.push_back(static_cast<std::int32_t>(c));
            made.value.push_back(static_cast<float>(engine() % 1000) / 300 - 1);
        }
        made.start.push_back(static_cast<std::int64_t>(made.column.size()));
        weights.push_back(r % 5 == 0 ? 0 : 1.0 / static_cast<double>(1 + r));
    }
    const RowsView view{made.start.data(), made.column.data(), made.value.data(), weights.data()};
    const Vector x = random_vector(columns, 1);
    const Vector y = random_vector(rows, 2);
    const FixedScale scale(20, rows);
    UnknownRows copy = made;
    std::vector<RowLot> lots(1);
    for (std::size_t r = 0; r < rows; ++r) lots[0].picks.push_back(static_cast<std::int32_t>(r));
    lots[0].rows = std::move(copy);
    const HostRows host(std::move(lots), weights, columns);
    Vector ax(rows);
    host.times(x, ax, 1);
    std::vector<std::int64_t> aty(columns);
    host.transposed(y, scale, aty, 1);
    std::vector<std::int64_t> squares(columns);
    host.squares(scale, squares, 1);

    for (const LaneOrder order : {LaneOrder::forward, LaneOrder::backward}) {
        std::vector<std::int64_t> sums(columns, 0);
        std::vector<std::int64_t> of_squares(columns, 0);
        for (std::size_t r = 0; r < rows; ++r) {
            double parts[row_lanes];
            row_times(HostBlock(order), view, r, x.data(), parts);
            EXPECT_NEAR(parts[0], ax[r], 1e-12);
            row_spread(HostBlock(order), view, r, y[r], scale, sums.data());
            row_squares(HostBlock(order), view, r, scale, of_squares.data());
        }
        EXPECT_EQ(sums, aty);
        EXPECT_EQ(of_squares, squares);
    }
}

TEST(OrderedFold, AddsUpAndFindsTheGreatestInEitherOrderOfLanes) {
    const Vector values = random_vector(1000, 5);
    double parts[64];
    const auto fold = [&](LaneOrder order, std::int64_t count, auto combine) {
        ordered_fold<64>(
            HostBlock(order), count,
            [&](std::int64_t n) { return values[static_cast<std::size_t>(n)]; }, combine, parts);
        return parts[0];
    };
    for (const std::int64_t count : {0, 1, 63, 64, 65, 1000}) {
        double sum = 0;
        double greatest = 0;
        for (std::int64_t n = 0; n < count; ++n) {
            sum += values[static_cast<std::size_t>(n)];
            greatest = std::max(greatest, values[static_cast<std::size_t>(n)]);
        }
        EXPECT_NEAR(fold(LaneOrder::forward, count, Plus()), sum, 1e-11);
        EXPECT_EQ(fold(LaneOrder::forward, count, Plus()),
                  fold(LaneOrder::backward, count, Plus()));
        EXPECT_EQ(fold(LaneOrder::forward, count, Greater()), greatest);
    }
    EXPECT_TRUE(std::isnan(Greater()(std::nan(""), 1)));
    EXPECT_TRUE(std::isnan(Greater()(1, std::nan(""))));
}

TEST(StepSolver, AMissingBackendSaysHowToGetIt) {
    UnknownRows rows;
    rows.start = {0, 1};
    rows.column = {0};
    rows.value = {1};
    std::vector<RowLot> lots(1);
    lots[0] = {{0}, rows};
    try {
        const DealtRows matrix(std::move(lots), Vector{1}, 1, serial_ranks(), RowPlace::cuda);
        SUCCEED() << "this build has CUDA";
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("CUDA is not in this build"), std::string::npos);
    } catch (const ComputeError&) {
        SUCCEED() << "this build has CUDA and the machine no device";
    }
}

}  // namespace
}  // namespace fermat
