#pragma once

#include <span>
#include <vector>

#include "core/ranks.hpp"
#include "tomography/gauss_newton/unknown_rows.hpp"

namespace fermat {

/// Copies the vector of rank 0 to all ranks, which must all call it.
template <class T>
void share(Ranks& ranks, std::vector<T>& values) {
    values.resize(broadcast_value(ranks, values.size()));
    ranks.broadcast(std::as_writable_bytes(std::span(values)));
}

/// The rows of all ranks in the order of the picks, on every rank: for problems small enough that
/// each rank works on the whole matrix. Picks without a row have an empty one. All ranks must call
/// it.
UnknownRows gathered_rows(std::vector<RowLot>&& lots, std::size_t picks, Ranks& ranks);

/// Rows times weights; a row of weight 0 is left empty.
UnknownRows weighted(const UnknownRows& rows, std::span<const double> weights);

/// The transpose: a row per column, its entries in the order of the rows.
UnknownRows transposed(const UnknownRows& rows, std::size_t columns);

}  // namespace fermat
