#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "model/medium.hpp"
#include "rays/ray_set.hpp"

namespace fermat {

/// Writes rays as VTKHDF PolyData: one line per ray, from receiver to source, with the cell data
/// source, receiver, time, field_time, length, status (a RayStatus value) and start (a RayStart
/// value). If a medium is given, the point data time holds the arrival times along the ray. Rays
/// stream to the file: memory does not grow with their number.
class RayWriter {
  public:
    /// The medium, if given, must outlive the writer.
    explicit RayWriter(const std::filesystem::path& path, const Medium* medium = nullptr);
    ~RayWriter();
    RayWriter(RayWriter&&) noexcept;
    RayWriter& operator=(RayWriter&&) = delete;

    void append(const RaySet& rays);
    /// Further cell data of one number per ray that was appended, before commit(). `names` says
    /// what the numbers 0, 1, ... mean; of a name 63 letters are kept.
    void add_ray_numbers(const char* name, std::span<const std::int32_t> values,
                         std::span<const std::string> names = {});
    /// Closes the file and renames it. Without commit() nothing is left behind.
    void commit();

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

void write_rays(const std::filesystem::path& path, const RaySet& rays,
                const Medium* medium = nullptr);

/// What add_ray_numbers() wrote.
struct NamedRayNumbers {
    std::vector<std::int32_t> values;
    std::vector<std::string> names;
};
/// Throws InputError if the file has no such numbers or they have no names.
NamedRayNumbers read_ray_numbers(const std::filesystem::path& path, const std::string& name);

/// Reads rays. Throws InputError unless the file is PolyData with the arrays that RayWriter writes.
RaySet read_rays(const std::filesystem::path& path);

}  // namespace fermat
