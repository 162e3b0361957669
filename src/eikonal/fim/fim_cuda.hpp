#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "core/field.hpp"
#include "eikonal/factored_source.hpp"
#include "model/model.hpp"
#include "model/model_cuda.hpp"

namespace fermat {

struct TileBatch;  // eikonal/fim/tile_queue.hpp

/// `fim` on a CUDA device. It keeps the model and the work space of a batch of sources there. It
/// solves on nodes only: models whose velocity jumps between cells are solved on the CPU (on_cuda).
class CudaFim {
  public:
    /// Throws InputError if this build has no CUDA or the machine has no device, and ComputeError
    /// if the device has no memory for the model and one shot. `most_shots` is reduced to what
    /// fits.
    CudaFim(const Model& model, int order, std::size_t most_shots);
    /// Uses the memory of a model on the device, which must outlive this object.
    CudaFim(const CudaModel& model, int order, std::size_t most_shots);
    CudaFim(CudaFim&&) noexcept;
    ~CudaFim();

    /// The largest number of sources that one solve takes.
    std::size_t batch() const;
    /// Sets the velocities of another model on the same grid, from the host or the device.
    void set_velocity(const Model& model);
    void set_velocity(FieldView<const float, Space::device> velocity);
    /// Solves up to batch() points, or one front, and waits. Returns the device's time in seconds,
    /// transfers excluded.
    double solve(std::span<const FactoredSource> sources);
    /// Begins to solve them without waiting: what the stream in use does later comes after it.
    void start(std::span<const FactoredSource> sources);
    /// Sets up the fields of so many points. The next solve does it if nobody has: whoever does not
    /// know his sources yet saves the time.
    void clear(std::size_t shots);
    /// tau of a source of the last solve, infinite where no wave arrives.
    void download(std::size_t number, FieldView<float> tau) const;
    FieldView<float, Space::device> tau(std::size_t number) const;
    FieldView<const float, Space::device> velocity() const;
    /// The tiles of the last solve, in memory of the device that the next solve uses again.
    TileBatch tiles() const;
    /// Writes T of a source of the last solve into memory of the device: everywhere, or only where
    /// it is earlier than the present value. It does not wait.
    enum class Keep { all, earliest };
    void write_times(std::size_t number, const FactoredSource& source, double start_time, Keep keep,
                     FieldView<float, Space::device> times) const;
    /// The cost of the last solve: visits per tile, and passes over the lists.
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

/// The number of sources on a grid that fills a device. On small grids a batch costs hardly more
/// than one source.
std::size_t filling_batch(const Grid& grid);

}  // namespace fermat
