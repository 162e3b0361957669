#pragma once

// For .cu files alone: rays once they are walked, as points on the device.

#include <cstdint>
#include <span>
#include <vector>

#include "core/field.hpp"
#include "core/memory_cuda.hpp"
#include "rays/rays_cuda.hpp"

namespace fermat {

inline constexpr int ray_threads = 128;

/// What is learnt of a ray while it is walked.
struct WalkedRay {
    double field_time;
    RayStatus status;
    bool dent;  ///< the walk needs the CPU's search for a way out
};

/// The rays of a batch, on the device; what is small, on the host as well.
struct WalkedRays {
    std::vector<RayInfo> rays;
    std::vector<WalkedRay> host;
    std::vector<std::int64_t> starts;  ///< first point of each ray
    CudaArray<WalkedRay> device;
    CudaArray<std::int64_t> first_point;
    CudaArray<Vec3> points;
    CudaArray<double> lengths;
    CudaArray<double> times;

    void reserve(std::size_t count);
    /// first_point from the numbers of points, of which there is one more than rays.
    void place(const CudaArray<std::int64_t>& counts);
    /// Fills `host`, and what `rays` take from it.
    void fetch();
    /// Puts other rays in the places of some.
    void replace(std::span<const std::size_t> which, const RaySet& others);
    /// Slowness and length along each ray into `rays`. Returns the device's seconds.
    double integrate(const Grid& grid, FieldView<const float, Space::device> velocity);

  private:
    CudaArray<unsigned char> scratch_;
};

/// Lists the cells that rays cross.
class DeviceRowMaker {
  public:
    /// Also sets the lengths of the rays.
    DeviceRows make(const Grid& grid, WalkedRays& rays);

  private:
    CudaArray<std::int64_t> counts_;
    CudaArray<std::int64_t> row_start_;
    CudaArray<std::uint32_t> cell_;
    CudaArray<double> length_;
    CudaArray<unsigned char> scratch_;
};

}  // namespace fermat
