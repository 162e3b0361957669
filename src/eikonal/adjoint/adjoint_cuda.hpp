#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "eikonal/adjoint/adjoint.hpp"

namespace fermat {

/// The adjoint on a CUDA device, in single precision, for batches of sources. Sums are in double,
/// in the order of sources.
class CudaAdjoint {
  public:
    /// Throws InputError if this build has no CUDA or the machine has no device. The survey must
    /// outlive this object. `threads` of the host do what concerns sources and receivers.
    CudaAdjoint(const AdjointSurvey& survey, int threads);
    ~CudaAdjoint();

    /// The largest number of sources that one solve takes.
    std::size_t batch() const;
    /// Solves sources [first, first + count) and returns the device's time in seconds.
    double solve(std::size_t first, std::size_t count);
    /// Times at the receivers, row-major by source of the last solve; infinite where no wave
    /// arrives.
    void receiver_times(std::span<double> times);

    /// dJ/dT of the sources of the last solve: at the nodes of one of them, from the host or the
    /// device, and at the receivers of all, row-major. Those of infinite times count for nothing.
    void ask_nodes(std::size_t number, FieldView<const double> by_times);
    void ask_nodes(std::size_t number, FieldView<const float, Space::device> by_times);
    void ask_receivers(std::span<const double> by_times);
    /// Adds the derivatives that the questions since the last solve lead to. Returns the device's
    /// time in seconds.
    double substitute();

    /// The sum over all sources that were solved.
    AdjointGradient gradient() const;

    /// The cost of the last substitution.
    struct Work {
        double visits_per_tile = 0;
        int passes = 0;
    };
    Work work() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace fermat
