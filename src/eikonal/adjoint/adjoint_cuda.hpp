#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "eikonal/adjoint/adjoint.hpp"
#include "model/model_cuda.hpp"

namespace fermat {

/// The adjoint on a CUDA device, in single precision, for batches of sources. Sums are in double,
/// in the order of sources. It computes on the stream in use (core/stream.hpp). What is given back
/// to the host is there when a call returns; what stays on the device may come later, in the order
/// of the stream.
class CudaAdjoint {
  public:
    /// Throws InputError if this build has no CUDA or the machine has no device. The survey must
    /// outlive this object. `threads` of the host do what concerns sources.
    CudaAdjoint(const AdjointSurvey& survey, int threads,
                std::size_t most_sources = std::numeric_limits<std::size_t>::max());
    /// Of a model on the device, which must outlive this object: neither the model nor times nor
    /// derivatives pass through the host. Throws InputError for sources and receivers outside the
    /// box or in air.
    CudaAdjoint(const CudaModel& model, std::vector<PointSource> sources,
                std::vector<Vec3> receivers, int order);
    ~CudaAdjoint();

    /// The largest number of sources that one solve takes.
    std::size_t batch() const;
    /// Whether dJ/d(source position) is wanted, as it is at first. It costs time; it is NaN if not.
    void want_positions(bool wanted);
    /// Solves sources [first, first + count).
    void solve(std::size_t first, std::size_t count);
    /// Solves these sources, waits, and returns the device's time in seconds.
    double timed_solve(std::size_t first, std::size_t count);
    /// Times at the receivers, row-major by source of the last solve; infinite where no wave
    /// arrives. To the host, or into memory of the device.
    void receiver_times(std::span<double> times);
    void receiver_times(float* on_device);
    /// Times at the nodes of a source of the last solve.
    void write_times(std::size_t number, FieldView<float, Space::device> times) const;

    /// dJ/dT of the sources of the last solve: at the nodes of one of them, and at the receivers of
    /// all, row-major, from the host or the device. Those of infinite times count for nothing; the
    /// substitution throws InputError for others that are not finite. What is given on the device
    /// must stay until then.
    void ask_nodes(std::size_t number, FieldView<const double> by_times);
    void ask_nodes(std::size_t number, FieldView<const float, Space::device> by_times);
    void ask_receivers(std::span<const double> by_times);
    void ask_receivers(const float* on_device);
    /// Adds the derivatives that the questions since the last solve or substitution lead to.
    /// Returns the device's time in seconds.
    double substitute();
    /// The two parts of a substitution: what needs nothing of those before, and the sums, which
    /// follow one another in the order of sources.
    void propagate();
    double add_up();
    /// Goes on with the sums of another object of the same survey, perhaps on another device.
    void take_over(const CudaAdjoint& other);

    /// The sum over all substitutions since the last clear().
    AdjointGradient gradient() const;
    /// Its dJ/d(slowness or velocity) into memory of the device, and all else.
    enum class By { slowness, velocity };
    AdjointGradient gradient(FieldView<float, Space::device> to, By by = By::slowness) const;
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
