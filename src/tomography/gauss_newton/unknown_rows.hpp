#pragma once

#include <cstdint>
#include <span>
#include <vector>

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
class WeightedRows {
  public:
    /// Rows times weights; a row of weight 0 is left out.
    WeightedRows(UnknownRows&& rows, std::span<const double> weights, std::size_t unknowns);

    /// A x, one number per row.
    void times(std::span<const double> x, std::span<double> out, int threads) const;
    /// A^T y, one number per unknown.
    void transposed_times(std::span<const double> y, std::span<double> out, int threads) const;
    /// Sum of all squares: the trace of A^T A.
    double trace() const;
    std::size_t rows() const { return rows_.rows(); }
    const UnknownRows& matrix() const { return rows_; }
    /// A^T, a row per unknown.
    const UnknownRows& transpose() const { return columns_; }

  private:
    UnknownRows rows_;
    UnknownRows columns_;  ///< the transpose
};

}  // namespace fermat
