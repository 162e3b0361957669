#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/field.hpp"
#include "core/grid.hpp"

namespace fermat {

/// Gridded fields as VTKHDF ImageData, which ParaView, PyVista and h5py open as they are.
///
/// In 3-D a point array is a float32 dataset [nz][ny][nx] under /VTKHDF/PointData, and a cell array
/// has one less of each under /VTKHDF/CellData. VTK reads flat images only when their third axis is
/// the flat one, and then with two-dimensional datasets: so a 2-D model is stored as [nz][nx], with
/// a Direction that turns the image's second axis into depth.
class ImageWriter {
  public:
    /// A file of a run carries its identity: see run_mark.
    ImageWriter(const std::filesystem::path& path, const Grid& grid, const std::string& run = "");
    ~ImageWriter();
    ImageWriter(ImageWriter&&) noexcept;
    ImageWriter& operator=(ImageWriter&&) = delete;

    /// Streams a field of the grid's node shape to the file. Names are used once.
    void add_point_array(const std::string& name, FieldView<const float> values);
    /// The same for the grid's cell shape.
    void add_cell_array(const std::string& name, FieldView<const float> values);
    /// Gives point arrays their places in the file in this order. They are added later, in any
    /// order and each once, and the file has the same bytes whatever that order is.
    void reserve_point_arrays(std::span<const std::string> names);

    /// Closes the file and gives it its name; without it nothing is left behind.
    void commit();

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// "time" for the field of a single source; "time_000", "time_001", ... for those of several.
std::string time_array_name(std::size_t source, std::size_t sources);

class ImageReader {
  public:
    /// Throws InputError unless the file is VTKHDF ImageData on a grid that we can compute on.
    explicit ImageReader(const std::filesystem::path& path);
    ~ImageReader();
    ImageReader(ImageReader&&) noexcept;
    ImageReader& operator=(ImageReader&&) = delete;

    const Grid& grid() const;
    std::vector<std::string> point_arrays() const;
    std::vector<std::string> cell_arrays() const;

    Field<float> read_point_array(const std::string& name) const;
    Field<float> read_cell_array(const std::string& name) const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace fermat
