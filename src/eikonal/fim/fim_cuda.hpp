#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "core/field.hpp"
#include "eikonal/factored_source.hpp"
#include "model/model.hpp"
#include "model/model_cuda.hpp"

namespace fermat {

/// `fim` on a CUDA device: the model and the work space of a batch of sources, kept there. It
/// solves on nodes: models whose velocity jumps between cells are the CPU's (on_cuda).
class CudaFim {
  public:
    /// Throws InputError where CUDA is not in this build or there is no device; ComputeError where
    /// the device has no memory for the model and one shot. `most_shots` is cut to what fits.
    CudaFim(const Model& model, int order, std::size_t most_shots);
    /// The same with the model's own memory, which must outlive it.
    CudaFim(const CudaModel& model, int order, std::size_t most_shots);
    CudaFim(CudaFim&&) noexcept;
    ~CudaFim();

    /// How many sources are solved at once.
    std::size_t batch() const;
    /// Velocities on the nodes of another model on the same grid, from the host or the device.
    void set_velocity(const Model& model);
    void set_velocity(FieldView<const float, Space::device> velocity);
    /// Solves up to batch() points, or one front. Returns the device's time in seconds, transfers
    /// excluded.
    double solve(std::span<const FactoredSource> sources);
    /// tau of a source of the last solve, infinite where no wave arrives.
    void download(std::size_t number, FieldView<float> tau) const;
    FieldView<float, Space::device> tau(std::size_t number) const;
    FieldView<const float, Space::device> velocity() const;
    /// T of a source of the last solve, into memory of the device: as it is, or where it is earlier
    /// than what stands there.
    enum class Keep { all, earliest };
    void write_times(std::size_t number, const FactoredSource& source, double start_time, Keep keep,
                     FieldView<float, Space::device> times) const;
    /// Visits of all tiles in the last solve, and passes over the lists: what its time is made of.
    struct Work {
        double visits_per_tile = 0;
        int passes = 0;
    };
    Work work() const;

  private:
    struct State;
    void prepare(const Grid& grid, int order, std::size_t most_shots, std::size_t model_bytes);

    std::unique_ptr<State> state_;
};

/// How many sources on a grid fill a device: a batch of small grids costs hardly more than one.
std::size_t filling_batch(const Grid& grid);

}  // namespace fermat
