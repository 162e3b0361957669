#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/execution.hpp"
#include "phases/device_search.hpp"
#include "phases/layer_kind.hpp"
#include "phases/phases.hpp"
#include "phases/start_lattice.hpp"

namespace fermat {

/// Pairs with what their search starts from.
struct DeviceBatch {
    std::vector<DevicePair> pairs;
    std::vector<double> start_joints;  ///< empty where the device finds starts itself
    std::vector<double> start_times;
};

/// Looks for the earliest rays of one way on the current CUDA device (device_search.hpp). The
/// velocities stay there.
class CudaPaths {
  public:
    /// Throws InputError where CUDA is not in this build or there is no device; ComputeError where
    /// the device has no memory for the velocities.
    CudaPaths(const LayeredMedium& medium, const Legs& legs, std::span<const LayerKind> kinds,
              const StartLattice& lattice, const PhaseOptions& options);
    CudaPaths(CudaPaths&&) noexcept;
    ~CudaPaths();

    /// Whether the device finds starts itself, by the lattice of the one joint.
    static bool finds_starts(const StartLattice& lattice);
    /// The most legs of a way that a device has memory for.
    static constexpr int most_legs = device_joints + 1;

    /// Some rays of a batch: pair `first` and those after it, with `stride` points each.
    struct Batch {
        std::size_t first = 0;
        std::span<const DeviceRay> rays;
        const Vec3* points = nullptr;
        std::size_t stride = 0;
    };
    /// Looks for `count` pairs, of which `prepare` fills in those of one batch: the number of its
    /// first, and how many.
    void find(std::size_t count,
              const std::function<void(std::size_t, std::size_t, DeviceBatch&)>& prepare,
              const std::function<void(const Batch&)>& consume) const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace fermat
