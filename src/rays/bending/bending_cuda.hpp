#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/field.hpp"
#include "model/model.hpp"
#include "rays/bending/pair.hpp"

namespace fermat {

/// One ray for the device: its ends, its number of segments, and where its points are stored.
struct BendTask {
    Vec3 receiver;
    Vec3 source;
    std::int32_t segments = 0;
    std::int64_t first_point = 0;
};

/// Bends rays on the current CUDA device, eight lanes per ray, by the formulas of the CPU
/// (bending/pair.hpp). The model stays on the device.
class CudaBender {
  public:
    /// Throws InputError where CUDA is not in this build or there is no device; ComputeError where
    /// the device has no memory for the model.
    explicit CudaBender(const Model& model);
    CudaBender(CudaBender&&) noexcept;
    ~CudaBender();

    /// Writes the winning start of each task, and the points of the rays that have one.
    /// `relaxations` is that of BendingOptions. Returns the kernel's seconds.
    double bend(std::span<const BendTask> tasks, const StartSet& starts, int relaxations,
                std::span<BentRay> winners, std::span<Vec3> points);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace fermat
