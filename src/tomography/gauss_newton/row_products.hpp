#pragma once

#include <cstdint>

#include "core/atomic.hpp"
#include "core/host_device.hpp"
#include "tomography/gauss_newton/fixed_sum.hpp"
#include "tomography/gauss_newton/ordered_fold.hpp"

namespace fermat {

/// Rows that a block algorithm reads: entries of row r from start[r] to start[r + 1].
struct RowsView {
    const std::int64_t* start;
    const std::int32_t* column;
    const float* value;
    const double* weight;  ///< of each row
};

inline constexpr int row_lanes = 32;

/// w_r sum_c a_rc x_c in parts[0].
template <class Block>
FERMAT_HD void row_times(Block block, const RowsView& rows, std::size_t row, const double* x,
                         double* parts) {
    const std::int64_t begin = rows.start[row];
    const std::int64_t count = rows.weight[row] != 0 ? rows.start[row + 1] - begin : 0;
    ordered_fold<row_lanes>(
        block, count,
        [&](std::int64_t n) {
            return static_cast<double>(rows.value[begin + n]) * x[rows.column[begin + n]];
        },
        Plus(), parts);
    block.for_each(1, [&](int) { parts[0] *= rows.weight[row]; });
}

/// Adds the multiples of a_rc (w_r y_r) to the sums of their columns.
template <class Block>
FERMAT_HD void row_spread(Block block, const RowsView& rows, std::size_t row, double y,
                          const FixedScale& scale, std::int64_t* sums) {
    const double weighted = rows.weight[row] * y;
    if (rows.weight[row] == 0) return;
    const std::int64_t begin = rows.start[row];
    const std::int64_t end = rows.start[row + 1];
    block.for_each(row_lanes, [&](int lane) {
        for (std::int64_t e = begin + lane; e < end; e += row_lanes) {
            const double a = rows.value[e];
            atomic_add(sums[rows.column[e]], scale.of(a * weighted));
        }
    });
}

/// Adds the multiples of (w_r a_rc)^2 to the sums of their columns.
template <class Block>
FERMAT_HD void row_squares(Block block, const RowsView& rows, std::size_t row,
                           const FixedScale& scale, std::int64_t* sums) {
    if (rows.weight[row] == 0) return;
    const std::int64_t begin = rows.start[row];
    const std::int64_t end = rows.start[row + 1];
    block.for_each(row_lanes, [&](int lane) {
        for (std::int64_t e = begin + lane; e < end; e += row_lanes) {
            const double a = rows.weight[row] * static_cast<double>(rows.value[e]);
            atomic_add(sums[rows.column[e]], scale.of(a * a));
        }
    });
}

}  // namespace fermat
