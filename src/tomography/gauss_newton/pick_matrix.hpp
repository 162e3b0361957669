#pragma once

#include <cstddef>
#include <span>

namespace fermat {

class DealtRows;

/// A matrix A with a row per pick and a column per unknown, wherever its rows lie: in this process,
/// on its device, or dealt out to ranks. Products have the same bits for any number of threads and
/// ranks.
class PickMatrix {
  public:
    virtual ~PickMatrix() = default;

    virtual std::size_t rows() const = 0;
    virtual std::size_t columns() const = 0;

    /// A x, one number per row.
    virtual void times(std::span<const double> x, std::span<double> out, int threads) const = 0;
    /// A^T y, one number per column.
    virtual void transposed_times(std::span<const double> y, std::span<double> out,
                                  int threads) const = 0;
    /// Sum of all squares: the trace of A^T A.
    virtual double trace() const = 0;
    /// Sum of the squares of each column: the diagonal of A^T A.
    virtual void column_squares(std::span<double> out, int threads) const = 0;
    /// The rows where all lie on this process's CUDA device, so that a solver can stay there.
    virtual const DealtRows* on_device() const { return nullptr; }
};

}  // namespace fermat
