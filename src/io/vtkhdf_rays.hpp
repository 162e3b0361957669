#pragma once

#include <filesystem>
#include <memory>

#include "rays/ray_set.hpp"

namespace fermat {

/// Rays as VTKHDF PolyData: one line a ray, from receiver to source, with the cell data source,
/// receiver, time, field_time, length, status (the value of RayStatus) and start (of RayStart). Rays
/// stream to the file: memory does not grow with their number.
class RayWriter {
  public:
    explicit RayWriter(const std::filesystem::path& path);
    ~RayWriter();
    RayWriter(RayWriter&&) noexcept;
    RayWriter& operator=(RayWriter&&) = delete;

    void append(const RaySet& rays);
    /// Closes the file and gives it its name; without it nothing is left behind.
    void commit();

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

void write_rays(const std::filesystem::path& path, const RaySet& rays);

/// Throws InputError unless the file is PolyData with the arrays that RayWriter writes.
RaySet read_rays(const std::filesystem::path& path);

}  // namespace fermat
