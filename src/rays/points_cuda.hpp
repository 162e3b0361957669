#pragma once

// For .cu files only: traced rays as points on the device.

#include <cstdint>
#include <span>
#include <vector>

#include "core/field.hpp"
#include "core/memory_cuda.hpp"
#include "rays/rays_cuda.hpp"

namespace fermat {

inline constexpr int ray_threads = 128;

/// Results of one ray's walk.
struct WalkedRay {
    double field_time;
    RayStatus status;
    bool local_minimum;  ///< the walk met one, which only the CPU can leave
};

/// The rays of a batch on the device, with copies of the small arrays on the host.
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
    /// Computes first_point from the number of points of each ray. `counts` has one more entry than
    /// there are rays.
    void place(const CudaArray<std::int64_t>& counts);
    /// Fills `host` and the entries of `rays` that come from it.
    void fetch();
    /// Replaces some rays by others.
    void replace(std::span<const std::size_t> which, const RaySet& others);
    /// Integrates slowness and length along each ray into `rays`. Returns the seconds on the
    /// device.
    double integrate(const Grid& grid, FieldView<const float, Space::device> velocity);

  private:
    CudaArray<unsigned char> scratch_;
};

/// Lists the cells that rays cross.
class DeviceRowMaker {
  public:
    /// Makes the rows and sets the lengths of the rays.
    DeviceRows make(const Grid& grid, WalkedRays& rays);

  private:
    CudaArray<std::int64_t> counts_;
    CudaArray<std::int64_t> row_start_;
    CudaArray<std::uint32_t> cell_;
    CudaArray<double> length_;
    CudaArray<unsigned char> scratch_;
};

}  // namespace fermat
