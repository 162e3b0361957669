#include "io/vtkhdf_image.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "core/error.hpp"
#include "io/hdf5_output.hpp"
#include "io/run_mark.hpp"
#include "io/text.hpp"
#include "io/transpose.hpp"
#include "io/vtk_direction.hpp"

namespace fermat {
namespace {

namespace fs = std::filesystem;
using hdf5::Handle;
using hdf5::Session;

std::vector<hsize_t> file_shape(Shape shape, bool is_2d) {
    std::vector<hsize_t> extents = {static_cast<hsize_t>(shape.z), static_cast<hsize_t>(shape.y),
                                    static_cast<hsize_t>(shape.x)};
    if (is_2d) extents.erase(extents.begin() + 1);
    return extents;
}

/// Calls transfer(memory space, file space, block) for every block of an array.
template <class Transfer>
void for_each_block(hid_t dataset, Shape shape, std::size_t rank, Transfer transfer) {
    const Handle space(H5Dget_space(dataset), H5Sclose);
    for (const FileBlock& block : file_blocks(shape)) {
        std::vector<hsize_t> start = {static_cast<hsize_t>(block.z), static_cast<hsize_t>(block.y),
                                      0};
        std::vector<hsize_t> count = {static_cast<hsize_t>(block.nz),
                                      static_cast<hsize_t>(block.ny),
                                      static_cast<hsize_t>(shape.x)};
        if (rank == 2) {
            start.erase(start.begin() + 1);
            count.erase(count.begin() + 1);
        }
        const Handle memory(H5Screate_simple(static_cast<int>(rank), count.data(), nullptr),
                            H5Sclose);
        H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
        transfer(memory, space, block);
    }
}

std::size_t largest_block(Shape shape) {
    const FileBlock first = file_blocks(shape).front();
    return static_cast<std::size_t>(first.nz) * first.ny * shape.x;
}

}  // namespace

struct ImageWriter::Impl {
    hdf5::NewFile output;
    Grid grid;
    Handle root;
    Handle point_data;
    Handle cell_data;
    Handle field_data;               ///< made when it is needed
    std::set<std::string> reserved;  ///< point arrays with reserved space and no values yet

    Impl(const fs::path& path, const Grid& image_grid, const std::string& run)
        : output(path), grid(image_grid) {
        validate(grid);
        const Session session;
        if (!run.empty()) hdf5::write_attribute(output.id(), run_mark, run, path);
        root = hdf5::create_group(output.id(), "VTKHDF", path);
        const bool flat = grid.is_2d();
        const Shape n = grid.shape;
        const std::array<std::int64_t, 2> version = {2, 0};
        const std::array<std::int64_t, 6> extent = {
            0, n.x - 1, 0, flat ? n.z - 1 : n.y - 1, 0, flat ? 0 : n.z - 1};
        const std::array<double, 3> origin = {grid.origin.x, grid.origin.y, grid.origin.z};
        const Vec3 h = grid.spacing;
        const std::array<double, 3> spacing = {h.x, flat ? h.z : h.y, flat ? h.y : h.z};
        hdf5::write_attribute(root, "Version", version, path);
        hdf5::write_attribute(root, "Type", std::string("ImageData"), path);
        hdf5::write_attribute(root, "WholeExtent", extent, path);
        hdf5::write_attribute(root, "Origin", origin, path);
        hdf5::write_attribute(root, "Spacing", spacing, path);
        hdf5::write_attribute(root, "Direction", flat ? direction_section : direction_xyz, path);
        point_data = hdf5::create_group(root, "PointData", path);
        cell_data = hdf5::create_group(root, "CellData", path);
        output.check();
    }

    enum class Place { when_written, at_once };

    Handle create(hid_t group, const std::string& name, Shape shape, Place place) {
        const fs::path& path = output.path();
        if (name.empty() || name.find('/') != std::string::npos ||
            hdf5::exists(group, name, path)) {
            throw InputError(fmt::format("array name {} in '{}' is empty, taken or has a '/'",
                                         in_quotes(name), path.string()));
        }
        const auto extents = file_shape(shape, grid.is_2d());
        const Handle space(
            H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr), H5Sclose);
        const Handle properties = hdf5::creation_properties(H5P_DATASET_CREATE);
        if (place == Place::at_once) {
            H5Pset_alloc_time(properties, H5D_ALLOC_TIME_EARLY);
            H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER);
        }
        Handle dataset(H5Dcreate2(group, name.c_str(), H5T_IEEE_F32LE, space, H5P_DEFAULT,
                                  properties, H5P_DEFAULT),
                       H5Dclose);
        if (!dataset.valid()) hdf5::fail_write(path);
        return dataset;
    }

    Handle open_reserved(hid_t group, const std::string& name) {
        Handle dataset(H5Dopen2(group, name.c_str(), H5P_DEFAULT), H5Dclose);
        if (!dataset.valid()) hdf5::fail_write(output.path());
        return dataset;
    }

    void add(hid_t group, const std::string& name, FieldView<const float> values, Shape wanted,
             const char* where) {
        const fs::path& path = output.path();
        if (values.shape() != wanted) {
            throw InputError(fmt::format("array '{}' has shape {} (must be {} {}, as the grid)",
                                         name, to_string(values.shape()), to_string(wanted),
                                         where));
        }
        const Session session;
        const bool has_place = group == point_data && reserved.erase(name) > 0;
        Handle dataset = has_place ? open_reserved(group, name)
                                   : create(group, name, wanted, Place::when_written);
        std::vector<float> buffer(largest_block(wanted));
        for_each_block(dataset, wanted, grid.is_2d() ? 2 : 3,
                       [&](hid_t memory, hid_t selected, FileBlock block) {
                           to_file_order(values, block, buffer.data());
                           if (H5Dwrite(dataset, H5T_NATIVE_FLOAT, memory, selected, H5P_DEFAULT,
                                        buffer.data()) < 0) {
                               hdf5::fail_write(path);
                           }
                           output.check();
                       });
        if (!dataset.reset()) hdf5::fail_write(path);
    }
};

ImageWriter::ImageWriter(const fs::path& path, const Grid& grid, const std::string& run)
    : impl_(std::make_unique<Impl>(path, grid, run)) {}
ImageWriter::~ImageWriter() = default;
ImageWriter::ImageWriter(ImageWriter&&) noexcept = default;

void ImageWriter::add_point_array(const std::string& name, FieldView<const float> values) {
    impl_->add(impl_->point_data, name, values, impl_->grid.shape, "nodes");
}

void ImageWriter::add_cell_array(const std::string& name, FieldView<const float> values) {
    impl_->add(impl_->cell_data, name, values, impl_->grid.cell_shape(), "cells");
}

void ImageWriter::add_numbers(const std::string& name, std::span<const double> values) {
    const fs::path& path = impl_->output.path();
    const Session session;
    if (!impl_->field_data.valid()) {
        impl_->field_data = hdf5::create_group(impl_->root, "FieldData", path);
    }
    const auto count = static_cast<hsize_t>(values.size());
    const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
    Handle dataset(H5Dcreate2(impl_->field_data, name.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT,
                              hdf5::creation_properties(H5P_DATASET_CREATE), H5P_DEFAULT),
                   H5Dclose);
    const bool written = dataset.valid() && H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL,
                                                     H5P_DEFAULT, values.data()) >= 0;
    if (!written || !dataset.reset()) hdf5::fail_write(path);
    impl_->output.check();
}

void ImageWriter::label_numbers(const std::string& name, const char* label,
                                const std::string& word) {
    const fs::path& path = impl_->output.path();
    const Session session;
    Handle dataset(H5Dopen2(impl_->field_data, name.c_str(), H5P_DEFAULT), H5Dclose);
    if (!dataset.valid()) hdf5::fail_write(path);
    hdf5::write_attribute(dataset, label, word, path);
    if (!dataset.reset()) hdf5::fail_write(path);
}

void ImageWriter::reserve_point_arrays(std::span<const std::string> names) {
    const Session session;
    for (const std::string& name : names) {
        impl_->create(impl_->point_data, name, impl_->grid.shape, Impl::Place::at_once);
        impl_->reserved.insert(name);
    }
    impl_->output.check();
}

void ImageWriter::commit() {
    if (!impl_->reserved.empty()) {
        throw InputError(fmt::format("array '{}' of '{}' has a place and no values",
                                     *impl_->reserved.begin(), impl_->output.path().string()));
    }
    const Session session;
    const bool extra = !impl_->field_data.valid() || impl_->field_data.reset();
    const bool closed =
        extra && impl_->point_data.reset() && impl_->cell_data.reset() && impl_->root.reset();
    if (!closed) hdf5::fail_write(impl_->output.path());
    impl_->output.commit();
}

std::string time_array_name(std::size_t source, std::size_t sources) {
    if (sources == 1) return "time";
    const std::size_t digits = fmt::format("{}", sources - 1).size();
    return fmt::format("time_{:0{}}", source, std::max<std::size_t>(3, digits));
}

struct ImageReader::Impl {
    fs::path path;
    Handle file;
    Handle root;
    Grid grid;

    explicit Impl(const fs::path& image) : path(image) {
        const Session session;
        file = hdf5::open_file(path);
        if (!hdf5::exists(file, "VTKHDF", path)) {
            throw InputError(fmt::format("'{}' has no group 'VTKHDF' (it is HDF5 of another kind)",
                                         path.string()));
        }
        root = Handle(H5Gopen2(file, "VTKHDF", H5P_DEFAULT), H5Gclose);
        if (!root.valid()) hdf5::fail_read(path, "group 'VTKHDF'");
        const std::string type = hdf5::read_text_attribute(root, "Type", path);
        if (type != "ImageData") {
            throw InputError(fmt::format("'{}' is VTKHDF of type {} (must be 'ImageData')",
                                         path.string(), in_quotes(type)));
        }
        read_grid();
    }

    void read_grid() {
        std::array<std::int64_t, 6> extent{};
        std::array<double, 3> origin{};
        std::array<double, 3> spacing{};
        VtkDirection direction = direction_xyz;
        hdf5::read_attribute(root, "WholeExtent", extent, path);
        hdf5::read_attribute(root, "Origin", origin, path);
        hdf5::read_attribute(root, "Spacing", spacing, path);
        if (H5Aexists(root, "Direction") > 0) {
            hdf5::read_attribute(root, "Direction", direction, path);
        }
        std::array<int, 3> nodes{};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const std::int64_t first = extent[2 * axis];
            const std::int64_t last = extent[2 * axis + 1];
            constexpr std::int64_t limit = std::numeric_limits<std::int32_t>::max() / 2;
            if (last < first || first < -limit || last > limit) {
                throw InputError(fmt::format("'{}' has the extent {} to {} along axis {}",
                                             path.string(), first, last, axis));
            }
            nodes[axis] = static_cast<int>(last - first + 1);
        }
        const bool sectioned = direction == direction_section;
        if ((!sectioned && direction != direction_xyz) || (sectioned && nodes[2] != 1)) {
            throw InputError(
                fmt::format("'{}' is turned by its Direction (resample it to the axes "
                            "x, y, z)",
                            path.string()));
        }
        if (sectioned) {
            std::swap(nodes[1], nodes[2]);
            std::swap(spacing[1], spacing[2]);
            std::swap(extent[2], extent[4]);
        }
        grid.shape = {nodes[0], nodes[1], nodes[2]};
        grid.spacing = {spacing[0], spacing[1], spacing[2]};
        grid.origin = {origin[0], origin[1], origin[2]};
        for (int axis = 0; axis < 3; ++axis) {
            const auto first = static_cast<double>(extent[static_cast<std::size_t>(2 * axis)]);
            grid.origin[axis] = grid.coordinate(axis, first);
        }
        try {
            validate(grid);
        } catch (const InputError& error) {
            throw InputError(fmt::format("'{}': {}", path.string(), error.what()));
        }
    }

    Field<float> read(const std::string& group, const std::string& name, Shape shape,
                      const char* where) const {
        const Session session;
        const std::string full = group + "/" + name;
        const hdf5::Dataset dataset = hdf5::open_dataset(root, full, hdf5::Kind::floating, path);
        const bool flat = dataset.shape == file_shape(shape, true) && grid.is_2d();
        if (!flat && dataset.shape != file_shape(shape, false)) {
            throw InputError(
                fmt::format("'{}' holds '{}' with the shape [{}] (must be [{}], the "
                            "grid's {} with x fastest)",
                            path.string(), full, fmt::join(dataset.shape, "]["),
                            fmt::join(file_shape(shape, grid.is_2d()), "]["), where));
        }
        Field<float> field(shape);
        std::vector<float> buffer(largest_block(shape));
        for_each_block(dataset.id, shape, dataset.shape.size(),
                       [&](hid_t memory, hid_t selected, FileBlock block) {
                           if (H5Dread(dataset.id, H5T_NATIVE_FLOAT, memory, selected, H5P_DEFAULT,
                                       buffer.data()) < 0) {
                               hdf5::fail_read(path, fmt::format("dataset '{}'", full));
                           }
                           from_file_order(buffer.data(), block, field.view());
                       });
        return field;
    }

    std::vector<std::string> names(const std::string& group) const {
        const Session session;
        return hdf5::dataset_names(root, group, path);
    }
};

ImageReader::ImageReader(const fs::path& path) : impl_(std::make_unique<Impl>(path)) {}
ImageReader::~ImageReader() = default;
ImageReader::ImageReader(ImageReader&&) noexcept = default;

const Grid& ImageReader::grid() const { return impl_->grid; }
std::vector<std::string> ImageReader::point_arrays() const { return impl_->names("PointData"); }
std::vector<std::string> ImageReader::cell_arrays() const { return impl_->names("CellData"); }

Field<float> ImageReader::read_point_array(const std::string& name) const {
    return impl_->read("PointData", name, impl_->grid.shape, "nodes");
}

Field<float> ImageReader::read_cell_array(const std::string& name) const {
    return impl_->read("CellData", name, impl_->grid.cell_shape(), "cells");
}

std::vector<double> ImageReader::read_numbers(const std::string& name) const {
    const Session session;
    const std::vector<std::string> names =
        hdf5::dataset_names(impl_->root, "FieldData", impl_->path);
    if (std::find(names.begin(), names.end(), name) == names.end()) return {};
    const std::string full = "FieldData/" + name;
    const hdf5::Dataset dataset =
        hdf5::open_dataset(impl_->root, full, hdf5::Kind::floating, impl_->path);
    if (dataset.shape.size() != 1) {
        throw InputError(fmt::format("'{}' holds '{}' with {} axes (must have 1)",
                                     impl_->path.string(), full, dataset.shape.size()));
    }
    std::vector<double> values(static_cast<std::size_t>(dataset.shape[0]));
    if (H5Dread(dataset.id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) {
        hdf5::fail_read(impl_->path, fmt::format("dataset '{}'", full));
    }
    return values;
}

std::string ImageReader::read_label(const std::string& name, const char* label) const {
    const Session session;
    const std::vector<std::string> names =
        hdf5::dataset_names(impl_->root, "FieldData", impl_->path);
    if (std::find(names.begin(), names.end(), name) == names.end()) return {};
    const hdf5::Dataset dataset =
        hdf5::open_dataset(impl_->root, "FieldData/" + name, hdf5::Kind::floating, impl_->path);
    if (H5Aexists(dataset.id, label) <= 0) return {};
    return hdf5::read_text_attribute(dataset.id, label, impl_->path);
}

}  // namespace fermat
