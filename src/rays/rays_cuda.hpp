#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "eikonal/fim/fim_cuda.hpp"
#include "rays/rays.hpp"

namespace fermat {

/// The rays wanted of one source of a batch; its place among the shots is its place in the batch.
struct ShotRays {
    FactoredSource source;
    double start_time = 0;
    std::int32_t number = 0;  ///< of the source, in the survey
    std::vector<Vec3> receivers;
    std::vector<std::int32_t> receiver_numbers;
};

/// The cells that rays cross, on the device: as sensitivity() has them, but in the order of the
/// way, so that a ray that comes back to a cell lists it again. Rays that did not arrive have none.
struct DeviceRows {
    std::size_t rays = 0;
    std::size_t entries = 0;
    const std::int64_t* row_start = nullptr;
    const std::uint32_t* cell = nullptr;
    const double* length = nullptr;
};
/// What an entry that is not needed holds for its cell.
inline constexpr std::uint32_t no_cell = 0xffffffffU;

/// Rays through fields that lie on a CUDA device, one thread a ray, by the CPU's own walk. Rays
/// that meet a dent of the field are finished by the CPU.
class CudaTracer {
  public:
    CudaTracer();
    CudaTracer(CudaTracer&&) noexcept;
    ~CudaTracer();

    /// Rays through the fields of the last solve, one set a shot, as trace_rays gives them.
    std::vector<RaySet> trace(const Model& model, const CudaFim& fim,
                              std::span<const ShotRays> shots, const RayOptions& options,
                              const Execution& execution);

    /// What a tomography needs of the same rays, shot after shot: field_time, length and status on
    /// the host; the cells stay on the device, until the next call.
    struct Crossed {
        std::vector<RayInfo> rays;  ///< without `time`
        DeviceRows rows;
    };
    Crossed cross_cells(const Model& model, const CudaFim& fim, std::span<const ShotRays> shots,
                        const RayOptions& options, const Execution& execution);

    /// Seconds of the last call on the device, transfers excluded.
    double seconds() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Solves and traces batches of sources on the device; sources in air must be left out. `lists`
/// hold the receivers of each source; `consume` gets the sets in the order of `which`.
void trace_each_on_cuda(const Model& model, std::span<const PointSource> sources,
                        std::span<const std::size_t> which, std::span<const Vec3> receivers,
                        std::span<const std::vector<std::int32_t>> lists, const RayOptions& options,
                        const Execution& execution,
                        const std::function<void(std::size_t, RaySet&&)>& consume);

}  // namespace fermat
