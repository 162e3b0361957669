#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "eikonal/fim_cuda.hpp"
#include "rays/rays.hpp"

namespace fermat {

/// Rays through fields that lie on a CUDA device, one thread a ray, by the CPU's own walk.
class CudaTracer {
  public:
    explicit CudaTracer(const Model& model);
    CudaTracer(CudaTracer&&) noexcept;
    ~CudaTracer();

    /// Rays of source `number` of the last solve, as trace_rays gives them; `source` is that
    /// source with its start time. Rays that meet a dent of the field are finished by the CPU.
    RaySet trace(const CudaFim& fim, std::size_t number, const FactoredSource& source,
                 double start_time, std::int32_t source_number, std::span<const Vec3> receivers,
                 std::span<const std::int32_t> receiver_numbers, const RayOptions& options);
    /// Seconds of the last trace on the device, transfers excluded.
    double seconds() const;

  private:
    struct State;
    /// First point of each ray from the numbers of their points.
    static void place_points(State& state, int rays);

    std::unique_ptr<State> state_;
};

/// Solves and traces source after source on the device; sources in air must be left out. `lists`
/// hold the receivers of each source; `consume` gets the sets in the order of `which`.
void trace_each_on_cuda(const Model& model, std::span<const PointSource> sources,
                        std::span<const std::size_t> which, std::span<const Vec3> receivers,
                        std::span<const std::vector<std::int32_t>> lists, const RayOptions& options,
                        Monitor& monitor,
                        const std::function<void(std::size_t, RaySet&&)>& consume);

}  // namespace fermat
