#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "core/error.hpp"
#include "io/hdf5.hpp"

namespace fermat::hdf5 {

template <class T>
hid_t native_type() {
    if constexpr (std::is_same_v<T, double>) return H5T_NATIVE_DOUBLE;
    if constexpr (std::is_same_v<T, float>) return H5T_NATIVE_FLOAT;
    if constexpr (std::is_same_v<T, std::int64_t>) return H5T_NATIVE_INT64;
    if constexpr (std::is_same_v<T, std::int32_t>) return H5T_NATIVE_INT32;
    if constexpr (std::is_same_v<T, std::uint8_t>) return H5T_NATIVE_UINT8;
}

/// A dataset that grows: [rows], or [rows][width].
template <class T>
class Column {
  public:
    Column() = default;
    Column(hid_t group, const char* name, const std::filesystem::path& file, hsize_t width = 0)
        : file_(file), rank_(width == 0 ? 1 : 2), width_(width) {
        constexpr hsize_t chunk_rows = 4096;
        const std::array<hsize_t, 2> now = {0, width};
        const std::array<hsize_t, 2> most = {H5S_UNLIMITED, width};
        const std::array<hsize_t, 2> chunk = {chunk_rows, width};
        const Handle space(H5Screate_simple(rank_, now.data(), most.data()), H5Sclose);
        const Handle properties = creation_properties(H5P_DATASET_CREATE);
        H5Pset_chunk(properties, rank_, chunk.data());
        id_ = Handle(
            H5Dcreate2(group, name, native_type<T>(), space, H5P_DEFAULT, properties, H5P_DEFAULT),
            H5Dclose);
        if (!id_.valid()) fail_write(file_);
    }

    /// Appends rows that are contiguous in memory.
    void append(const T* values, std::size_t rows) {
        if (rows == 0) return;
        const std::array<hsize_t, 2> start = {rows_, 0};
        const std::array<hsize_t, 2> count = {rows, width_};
        rows_ += rows;
        const std::array<hsize_t, 2> extent = {rows_, width_};
        if (H5Dset_extent(id_, extent.data()) < 0) fail_write(file_);
        const Handle space(H5Dget_space(id_), H5Sclose);
        const Handle memory(H5Screate_simple(rank_, count.data(), nullptr), H5Sclose);
        H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
        if (H5Dwrite(id_, native_type<T>(), memory, space, H5P_DEFAULT, values) < 0) {
            fail_write(file_);
        }
    }
    std::int64_t rows() const { return static_cast<std::int64_t>(rows_); }
    bool close() { return id_.reset(); }

  private:
    std::filesystem::path file_;
    int rank_ = 1;
    hsize_t width_ = 0;
    hsize_t rows_ = 0;
    Handle id_;
};

/// Writes a dataset [rows]. Throws ComputeError.
template <class T>
void write_array(hid_t group, const char* name, const std::filesystem::path& file,
                 std::span<const T> values) {
    Column<T> column(group, name, file);
    column.append(values.data(), values.size());
    if (!column.close()) fail_write(file);
}

/// Reads all values of a dataset [rows] or [rows][width]. Throws InputError.
template <class T>
std::vector<T> read_column(hid_t root, const std::string& name, const std::filesystem::path& path,
                           std::size_t width = 0) {
    const auto kind = std::is_floating_point_v<T> ? Kind::floating : Kind::integer;
    const Dataset dataset = open_dataset(root, name, kind, path);
    const bool fits = width == 0 ? dataset.shape.size() == 1
                                 : dataset.shape.size() == 2 && dataset.shape[1] == width;
    if (!fits) {
        throw InputError(fmt::format(
            "'{}' holds '{}' with the shape [{}] (must be {})", path.string(), name,
            fmt::join(dataset.shape, "]["),
            width == 0 ? std::string("one-dimensional") : fmt::format("[points][{}]", width)));
    }
    std::vector<T> values(dataset.count());
    if (!values.empty() &&
        H5Dread(dataset.id, native_type<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) {
        fail_read(path, fmt::format("dataset '{}'", name));
    }
    return values;
}

}  // namespace fermat::hdf5
