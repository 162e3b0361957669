#pragma once

#include <filesystem>
#include <memory>

#include "model/model.hpp"
#include "rays/ray_set.hpp"

namespace fermat {

/// Rays as VTKHDF PolyData: one line a ray, from receiver to source, with the cell data source,
/// receiver, time, field_time, length, status (the value of RayStatus) and start (of RayStart),
/// and, where a model is given, the point data time: the arrival along the ray. Rays stream to the
/// file: memory does not grow with their number.
class RayWriter {
  public:
    /// The model, if any, must outlive the writer.
    explicit RayWriter(const std::filesystem::path& path, const Model* model = nullptr);
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

void write_rays(const std::filesystem::path& path, const RaySet& rays,
                const Model* model = nullptr);

/// Throws InputError unless the file is PolyData with the arrays that RayWriter writes.
RaySet read_rays(const std::filesystem::path& path);

}  // namespace fermat
