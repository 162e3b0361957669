#pragma once

#include <memory>

#include "core/field.hpp"
#include "eikonal/metric/node_numbers.hpp"

namespace fermat {

/// Solves models with a metric on a CUDA device, one source at a time. It keeps the tensors there.
class CudaMetric {
  public:
    /// Throws InputError if this build has no CUDA or the machine has no device, and ComputeError
    /// if the device has no memory for the model.
    CudaMetric(const NodeNumbers& numbers, int order);
    CudaMetric(CudaMetric&&) noexcept;
    ~CudaMetric();

    /// Takes over new tensors, and f^2.
    void replace_tensors(const NodeNumbers& numbers);
    /// Solves for tau, infinite where no wave arrives. Returns the device's time in seconds,
    /// transfers excluded.
    double solve(const NodeNumbers& numbers, FieldView<float> tau);
    /// Corrects the last solution for replaced tensors. Returns the largest relative change of a
    /// value.
    float settle_again(const NodeNumbers& numbers, FieldView<float> tau);

    /// The cost of the last solve: visits per tile, and passes over the lists, of both orders.
    struct Work {
        double visits_per_tile = 0;
        int passes = 0;
        double seconds = 0;
    };
    Work work() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace fermat
