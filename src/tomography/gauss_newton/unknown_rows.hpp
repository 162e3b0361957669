#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tomography/gauss_newton/pick_matrix.hpp"

namespace fermat {

/// Compressed sparse rows, one per pick: the derivative of its time by each unknown.
struct UnknownRows {
    std::vector<std::int64_t> start{0};
    std::vector<std::int32_t> column;
    std::vector<float> value;

    std::size_t rows() const { return start.size() - 1; }
    std::size_t entries() const { return value.size(); }
};

/// A matrix of weighted rows, with its transpose: products are made by as many threads as wanted,
/// each sum in the order of its row or column, so that they have the same bits.
class WeightedRows : public PickMatrix {
  public:
    /// Rows times weights; a row of weight 0 is left out.
    WeightedRows(UnknownRows&& rows, std::span<const double> weights, std::size_t unknowns);

    std::size_t rows() const override { return rows_.rows(); }
    std::size_t columns() const override { return columns_.rows(); }
    void times(std::span<const double> x, std::span<double> out, int threads) const override;
    void transposed_times(std::span<const double> y, std::span<double> out,
                          int threads) const override;
    double trace() const override;
    void column_squares(std::span<double> out, int threads) const override;

  private:
    UnknownRows rows_;
    UnknownRows columns_;  ///< the transpose
};

}  // namespace fermat
