#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tomography/gauss_newton/fixed_sum.hpp"
#include "tomography/gauss_newton/unknown_rows.hpp"

namespace fermat {

/// The rows of A that lie in one process, in its memory or on its device. Row i has a weight w_i;
/// those of weight 0 count as rows of zeros.
class RowStore {
  public:
    virtual ~RowStore() = default;

    virtual std::size_t rows() const = 0;
    /// out[i] = w_i sum_c a_ic x_c.
    virtual void times(std::span<const double> x, std::span<double> out, int threads) const = 0;
    /// sums[c] = sum_i of the scale's multiples of a_ic (w_i y_i).
    virtual void transposed(std::span<const double> y, const FixedScale& scale,
                            std::span<std::int64_t> sums, int threads) const = 0;
    /// sums[c] = sum_i of the scale's multiples of (w_i a_ic)^2.
    virtual void squares(const FixedScale& scale, std::span<std::int64_t> sums,
                         int threads) const = 0;
};

/// Rows in memory. They are read where they are and never copied: 8 bytes per entry.
class HostRows : public RowStore {
  public:
    /// `weights`: of all picks, by number. `columns` bounds the rows' columns.
    HostRows(std::vector<RowLot>&& lots, std::span<const double> weights, std::size_t columns);

    std::size_t rows() const override { return weights_.size(); }
    void times(std::span<const double> x, std::span<double> out, int threads) const override;
    void transposed(std::span<const double> y, const FixedScale& scale,
                    std::span<std::int64_t> sums, int threads) const override;
    void squares(const FixedScale& scale, std::span<std::int64_t> sums, int threads) const override;

    /// Numbers of the picks of all rows, in their order.
    const std::vector<std::int32_t>& picks() const { return picks_; }
    const std::vector<double>& weights() const { return weights_; }
    const std::vector<RowLot>& lots() const { return lots_; }
    std::size_t entries() const { return entries_; }

  private:
    /// Some rows of one lot.
    struct Stretch {
        std::size_t lot;
        std::size_t begin;
        std::size_t end;
        std::size_t place;  ///< of the first among all rows
    };
    template <class Add>
    void add_up(std::span<std::int64_t> sums, int threads, Add add) const;
    int team_for(int threads) const;

    std::vector<RowLot> lots_;
    std::vector<std::int32_t> picks_;
    std::vector<double> weights_;
    std::vector<Stretch> stretches_;
    std::size_t columns_;
    std::size_t entries_ = 0;
};

}  // namespace fermat
