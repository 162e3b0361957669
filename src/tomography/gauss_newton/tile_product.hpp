#pragma once

#include <cstddef>

#include "core/host_device.hpp"

namespace fermat {

/// out = left right, row-major: left is rows x inner, right is inner x columns.
struct ProductShape {
    int rows;
    int inner;
    int columns;
};

/// The scratch of one tile's block.
struct ProductTile {
    static constexpr int side = 32;
    static constexpr int depth = 16;
    static constexpr int lanes = 256;  ///< each has four numbers of the tile
    double left[side][depth + 1];      ///< one more, so that lanes meet different banks
    double right[depth][side];
    double sums[side][side];
};

/// One tile of a product of dense matrices, at row `tile_row * side` and column
/// `tile_column * side`. Each number is a sum over the inner index in its order.
template <class Block>
FERMAT_HD void multiply_tile(Block block, const double* left, const double* right, double* out,
                             ProductShape shape, int tile_row, int tile_column, ProductTile& tile) {
    constexpr int side = ProductTile::side;
    constexpr int depth = ProductTile::depth;
    constexpr int lanes = ProductTile::lanes;
    constexpr int rows_per_pass = lanes / side;
    const int first_row = tile_row * side;
    const int first_column = tile_column * side;
    block.for_each(lanes, [&](int lane) {
        for (int r = lane / side; r < side; r += rows_per_pass) tile.sums[r][lane % side] = 0;
    });
    for (int first = 0; first < shape.inner; first += depth) {
        block.for_each(lanes, [&](int lane) {
            for (int n = lane; n < side * depth; n += lanes) {
                const int r = first_row + n / depth;
                const int i = first + n % depth;
                tile.left[n / depth][n % depth] =
                    r < shape.rows && i < shape.inner
                        ? left[static_cast<std::size_t>(r) * shape.inner + i]
                        : 0;
                const int j = first + n / side;
                const int c = first_column + n % side;
                tile.right[n / side][n % side] =
                    j < shape.inner && c < shape.columns
                        ? right[static_cast<std::size_t>(j) * shape.columns + c]
                        : 0;
            }
        });
        block.for_each(lanes, [&](int lane) {
            constexpr int own = side / rows_per_pass;
            const int c = lane % side;
            const int r = lane / side;
            double sums[own];
            for (int k = 0; k < own; ++k) sums[k] = tile.sums[r + k * rows_per_pass][c];
            for (int i = 0; i < depth; ++i) {
                const double factor = tile.right[i][c];
                for (int k = 0; k < own; ++k) {
                    sums[k] += tile.left[r + k * rows_per_pass][i] * factor;
                }
            }
            for (int k = 0; k < own; ++k) tile.sums[r + k * rows_per_pass][c] = sums[k];
        });
    }
    block.for_each(lanes, [&](int lane) {
        const int c = first_column + lane % side;
        for (int n = lane / side; n < side; n += rows_per_pass) {
            const int r = first_row + n;
            if (r < shape.rows && c < shape.columns) {
                out[static_cast<std::size_t>(r) * shape.columns + c] = tile.sums[n][lane % side];
            }
        }
    });
}

/// How the cosine transform along one axis of a field is a batch of such products: along the last
/// axis the field is the left factor, along the others the matrix is.
struct AxisProducts {
    ProductShape shape;
    int batch = 1;  ///< fields side by side, each of `inner * columns` numbers
    bool field_is_left = false;
};

FERMAT_HD inline AxisProducts axis_products(int nx, int ny, int nz, int axis) {
    if (axis == 0) return {{nx, nx, ny * nz}, 1, false};
    if (axis == 1) return {{ny, ny, nz}, nx, false};
    return {{nx * ny, nz, nz}, 1, true};
}

}  // namespace fermat
