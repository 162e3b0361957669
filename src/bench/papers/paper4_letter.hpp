#pragma once

#include <memory>

#include "core/field.hpp"
#include "core/kernel_profile.hpp"
#include "tomography/smoothing/smoothing_cuda.hpp"

namespace fermat::bench {

/// Seconds of a call of paper 4's GPU smoother.
struct LetterSplit {
    double tables = 0;  ///< on the host
    SmoothingSplit device;

    double total() const { return tables + device.total(); }
};

/// Paper 4's own GPU smoother (chapters 4 and 5): the host makes the summed volume tables on one
/// thread and sends them; one kernel of 32 x 16 threads per block looks them up, a thread per line
/// along x, which makes 3 x 2 blocks for the paper's model; the result comes back. The paper's
/// numbers seem to be single precision; these are double, as differences of sums need.
class LetterSmoother {
  public:
    explicit LetterSmoother(Shape shape);
    ~LetterSmoother();
    LetterSmoother(const LetterSmoother&) = delete;
    LetterSmoother& operator=(const LetterSmoother&) = delete;

    /// Cells: sums of perturbations over sums of coverage, 0 where there is none. Without
    /// `coverage` vertices: plain means.
    LetterSplit smooth(FieldView<double> values, FieldView<const double> coverage,
                       const SmoothingSize& size);
    /// Of the cells' kernel, or the vertices'.
    KernelProfile profile(bool cells) const;

  private:
    class Memory;
    std::unique_ptr<Memory> memory_;
};

}  // namespace fermat::bench
