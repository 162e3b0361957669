#pragma once

#include <functional>
#include <memory>
#include <span>

#include "core/execution.hpp"
#include "phases/device_search.hpp"
#include "phases/layer_kind.hpp"
#include "phases/phases.hpp"
#include "phases/start_lattice.hpp"

namespace fermat {

/// Looks for the earliest rays of reflections on the current CUDA device (device_search.hpp). The
/// velocities stay there.
class CudaReflections {
  public:
    /// Throws InputError where CUDA is not in this build or there is no device; ComputeError where
    /// the device has no memory for the velocities.
    CudaReflections(const LayeredMedium& medium, const Legs& legs, std::span<const LayerKind> kinds,
                    const StartLattice& lattice, const PhaseOptions& options);
    CudaReflections(CudaReflections&&) noexcept;
    ~CudaReflections();

    /// Some rays of a batch: pair `first` and those after it, with `stride` points each.
    struct Batch {
        std::size_t first = 0;
        std::span<const DeviceRay> rays;
        const Vec3* points = nullptr;
        std::size_t stride = 0;
    };
    /// Returns the seconds of the kernels.
    double find(std::span<const DevicePair> pairs,
                const std::function<void(const Batch&)>& consume) const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace fermat
