#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "eikonal/adjoint/adjoint.hpp"
#include "model/model_cuda.hpp"

namespace fermat {

/// The adjoint on a CUDA device, in single precision, for batches of sources. Sums are in double,
/// in the order of sources. It computes on the stream in use (core/stream.hpp), and all work of a
/// call is done when it returns.
class CudaAdjoint {
  public:
    /// Throws InputError if this build has no CUDA or the machine has no device. The survey must
    /// outlive this object. `threads` of the host do what concerns sources.
    CudaAdjoint(const AdjointSurvey& survey, int threads);
    /// Of a model on the device, which must outlive this object: neither the model nor times nor
    /// derivatives pass through the host. Throws InputError for sources and receivers outside the
    /// box or in air.
    CudaAdjoint(const CudaModel& model, std::vector<PointSource> sources,
                std::vector<Vec3> receivers, int order);
    ~CudaAdjoint();

    /// The largest number of sources that one solve takes.
    std::size_t batch() const;
    /// Solves sources [first, first + count) and returns the device's time in seconds.
    double solve(std::size_t first, std::size_t count);
    /// Times at the receivers, row-major by source of the last solve; infinite where no wave
    /// arrives. To the host, or into memory of the device.
    void receiver_times(std::span<double> times);
    void receiver_times(float* on_device);
    /// Times at the nodes of a source of the last solve.
    void write_times(std::size_t number, FieldView<float, Space::device> times) const;

    /// dJ/dT of the sources of the last solve: at the nodes of one of them, and at the receivers of
    /// all, row-major, from the host or the device. Those of infinite times count for nothing.
    void ask_nodes(std::size_t number, FieldView<const double> by_times);
    void ask_nodes(std::size_t number, FieldView<const float, Space::device> by_times);
    void ask_receivers(std::span<const double> by_times);
    void ask_receivers(const float* on_device);
    /// Adds the derivatives that the questions since the last solve or substitution lead to.
    /// Returns the device's time in seconds.
    double substitute();

    /// The sum over all substitutions since the last clear().
    AdjointGradient gradient() const;
    /// Its dJ/d(slowness) into memory of the device, and all else.
    AdjointGradient gradient(FieldView<float, Space::device> by_slowness) const;
    void clear();
    /// Gives back the memory that only derivatives need, until they are asked for again.
    void release();

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
