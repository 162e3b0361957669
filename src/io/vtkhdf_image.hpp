#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/field.hpp"
#include "core/grid.hpp"

namespace fermat {

/// Writes fields on a grid as VTKHDF ImageData, which ParaView, PyVista and h5py open directly.
///
/// In 3-D a point array is a float32 dataset [nz][ny][nx] under /VTKHDF/PointData; a cell array is
/// one shorter along each axis, under /VTKHDF/CellData. VTK reads flat images only if their third
/// axis is the flat one, and then with two-dimensional datasets. A 2-D model is therefore stored as
/// [nz][nx], with a Direction that turns the second axis of the image into depth.
class ImageWriter {
  public:
    /// `run` is the identity of the run that the file belongs to: see run_mark.
    ImageWriter(const std::filesystem::path& path, const Grid& grid, const std::string& run = "");
    ~ImageWriter();
    ImageWriter(ImageWriter&&) noexcept;
    ImageWriter& operator=(ImageWriter&&) = delete;

    /// Streams a field of the grid's node shape to the file. Each name may be used once.
    void add_point_array(const std::string& name, FieldView<const float> values);
    /// Streams a field of the grid's cell shape to the file. Each name may be used once.
    void add_cell_array(const std::string& name, FieldView<const float> values);
    /// Writes numbers that belong to the whole grid, under /VTKHDF/FieldData.
    void add_numbers(const std::string& name, std::span<const double> values);
    /// Adds a word to numbers of the whole grid, as an attribute.
    void label_numbers(const std::string& name, const char* label, const std::string& word);
    /// Reserves space for point arrays in this order. They are added later, each once and in any
    /// order; the bytes of the file do not depend on that order.
    void reserve_point_arrays(std::span<const std::string> names);

    /// Closes the file and renames it. Without commit() nothing is left behind.
    void commit();

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// "time" for a single source; "time_000", "time_001", ... for several sources.
std::string time_array_name(std::size_t source, std::size_t sources);

class ImageReader {
  public:
    /// Throws InputError unless the file is VTKHDF ImageData on a usable grid.
    explicit ImageReader(const std::filesystem::path& path);
    ~ImageReader();
    ImageReader(ImageReader&&) noexcept;
    ImageReader& operator=(ImageReader&&) = delete;

    const Grid& grid() const;
    std::vector<std::string> point_arrays() const;
    std::vector<std::string> cell_arrays() const;

    Field<float> read_point_array(const std::string& name) const;
    Field<float> read_cell_array(const std::string& name) const;
    /// Numbers of the whole grid; empty if the file has none of that name.
    std::vector<double> read_numbers(const std::string& name) const;
    /// A word of numbers of the whole grid; empty if there is none.
    std::string read_label(const std::string& name, const char* label) const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace fermat
