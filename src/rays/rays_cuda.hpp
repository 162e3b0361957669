#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "eikonal/fim/fim_cuda.hpp"
#include "rays/rays.hpp"

namespace fermat {

/// The rays of one event of a batch. The events of a batch have the order of their fields.
struct ShotRays {
    FactoredSource source;
    double start_time = 0;
    std::int32_t event = 0;
    Listeners to;
};

/// The rays of some arrivals of one event.
ShotRays shot_rays(const Model& model, const Survey& survey, std::size_t event,
                   std::span<const std::int32_t> arrivals);

/// The cells that rays cross, on the device, with the values of sensitivity(). Entries follow the
/// path, so a ray that returns to a cell lists it twice. Rays that did not arrive have no entries.
struct DeviceRows {
    std::size_t rays = 0;
    std::size_t entries = 0;
    const std::int64_t* row_start = nullptr;
    const std::uint32_t* cell = nullptr;
    const double* length = nullptr;
};
/// Cell index of an unused entry.
inline constexpr std::uint32_t no_cell = 0xffffffffU;

/// Traces rays through fields on a CUDA device, one thread per ray, by the same walk as on the CPU.
/// The CPU traces again the rays that meet a local minimum of the field.
class CudaTracer {
  public:
    CudaTracer();
    CudaTracer(CudaTracer&&) noexcept;
    ~CudaTracer();

    /// Traces rays through the fields of the last solve. Returns one set per shot, equal to that of
    /// trace_rays.
    std::vector<RaySet> trace(const Model& model, const CudaFim& fim,
                              std::span<const ShotRays> shots, const RayOptions& options,
                              const Execution& execution);

    /// The results of tracing that a tomography needs, shot after shot. field_time, length and
    /// status are on the host; the rows stay on the device until the next call.
    struct Crossed {
        std::vector<RayInfo> rays;  ///< `time` is not set
        DeviceRows rows;
    };
    Crossed cross_cells(const Model& model, const CudaFim& fim, std::span<const ShotRays> shots,
                        const RayOptions& options, const Execution& execution);

    /// Seconds of the last call on the device, without transfers.
    double seconds() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Solves and traces batches of events on the device. Events in air must be left out. `lists` is
/// by_event(survey); `consume` gets the sets in the order of `which`.
void trace_each_on_cuda(const Model& model, const Survey& survey,
                        std::span<const std::size_t> which, const ArrivalLists& lists,
                        const RayOptions& options, const Execution& execution,
                        const std::function<void(std::size_t, RaySet&&)>& consume);

}  // namespace fermat
