#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/bytes.hpp"
#include "core/ranks.hpp"
#include "tomography/gauss_newton/pick_matrix.hpp"
#include "tomography/gauss_newton/row_store.hpp"

namespace fermat {

/// Where products of rows are made.
enum class RowPlace { host, cuda };

/// A = W G: the rows G of picks times their weights W. Rows stay on the rank that traced them.
/// Rank 0 asks the others for their part of each product, which they give while they `serve`;
/// a process on its own asks nobody.
///
/// A x is made row by row, each by one thread. A^T y adds rows up as FixedScale does, so that
/// neither threads nor ranks nor who has traced which row change a bit.
class DealtRows : public PickMatrix {
  public:
    /// `weights`: of all picks by number, the same on every rank; rows of weight 0 are left out.
    /// All ranks must call it.
    DealtRows(std::vector<RowLot>&& lots, std::span<const double> weights, std::size_t columns,
              Ranks& ranks, RowPlace place = RowPlace::host);
    ~DealtRows() override;

    std::size_t rows() const override { return picks_; }
    std::size_t columns() const override { return columns_; }
    // On rank 0, while the others serve.
    void times(std::span<const double> x, std::span<double> out, int threads) const override;
    void transposed_times(std::span<const double> y, std::span<double> out,
                          int threads) const override;
    double trace() const override { return trace_; }
    void column_squares(std::span<double> out, int threads) const override;

    /// Runs `work` on rank 0 while the others serve its products; all must call it. An error of any
    /// rank is thrown on all.
    void while_served(int threads, const std::function<void()>& work);

    const DealtRows* on_device() const override {
        return place_ == RowPlace::cuda && ranks_.size() == 1 ? this : nullptr;
    }
    /// The quantum of A^T y, where no |w y| is above `largest`.
    FixedScale scale_of(double largest) const {
        return {largest_ * largest, static_cast<std::int64_t>(used_)};
    }
    /// The rows of this process.
    const RowStore& own() const { return *own_; }
    RowPlace place() const { return place_; }

  private:
    enum class Ask : char { times, transposed, squares, leave };
    struct Order {
        Ask ask;
        FixedScale scale;
    };
    /// The largest |w y|; not a number where one is none.
    double largest_weighted(std::span<const double> y) const;
    void sums_of_own(const Order& order, std::span<const double> y, std::span<std::int64_t> sums,
                     int threads) const;
    Bytes answer(const Order& order, std::span<const double> given, int threads) const;
    void serve(int threads);
    std::vector<Bytes> ask(const Order& order, std::span<const double> given,
                           const std::function<void()>& own_part) const;
    void add_sums(const Order& order, std::span<const double> given, std::span<double> out,
                  int threads) const;

    Ranks& ranks_;
    RowPlace place_;
    std::size_t picks_;
    std::size_t columns_;
    std::size_t used_ = 0;         ///< picks with a weight
    double largest_ = 0;           ///< entry of G
    double largest_weighted_ = 0;  ///< entry of A
    double trace_ = 0;
    std::unique_ptr<RowStore> own_;
    std::vector<std::int32_t> own_picks_;
    std::vector<double> weights_;   ///< of all picks
    std::vector<double> received_;  ///< other ranks: what a product is made with
    /// Picks of each rank's rows in their order; on rank 0.
    std::vector<std::vector<std::int32_t>> picks_of_rank_;
};

/// Rows of one process, in the order of the picks.
class WeightedRows : public DealtRows {
  public:
    /// Rows times weights; a row of weight 0 is left out.
    WeightedRows(UnknownRows&& rows, std::span<const double> weights, std::size_t unknowns);
};

}  // namespace fermat
