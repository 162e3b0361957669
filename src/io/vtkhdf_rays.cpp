#include "io/vtkhdf_rays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "io/hdf5_column.hpp"
#include "io/hdf5_output.hpp"
#include "io/text.hpp"
#include "rays/integrate.hpp"

namespace fermat {
namespace {

namespace fs = std::filesystem;
using hdf5::Column;
using hdf5::Handle;
using hdf5::native_type;
using hdf5::read_column;
using hdf5::Session;

static_assert(sizeof(Vec3) == 3 * sizeof(double), "points go to the file as they lie in memory");

/// The attribute that says what a number means.
std::string name_of_number(std::size_t number) { return fmt::format("name_{}", number); }

/// Writes a count as VTKHDF requires: a dataset with one number, for the only piece of the file.
void write_count(hid_t group, const char* name, std::int64_t value, const fs::path& file) {
    const hsize_t one = 1;
    const Handle space(H5Screate_simple(1, &one, nullptr), H5Sclose);
    const Handle properties = hdf5::creation_properties(H5P_DATASET_CREATE);
    const Handle id(
        H5Dcreate2(group, name, H5T_NATIVE_INT64, space, H5P_DEFAULT, properties, H5P_DEFAULT),
        H5Dclose);
    if (!id.valid() || H5Dwrite(id, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value) < 0) {
        hdf5::fail_write(file);
    }
}

}  // namespace

struct RayWriter::Impl {
    hdf5::NewFile output;
    Handle root;
    Handle lines;
    Handle cell_data;
    Handle point_data;
    const Medium* medium;
    Column<double> points;
    Column<double> point_time;
    Column<std::int64_t> offsets;
    Column<std::int64_t> connectivity;
    Column<std::int32_t> source;
    Column<std::int32_t> receiver;
    Column<double> time;
    Column<double> field_time;
    Column<double> length;
    Column<std::uint8_t> status;
    Column<std::uint8_t> start;
    std::vector<std::uint8_t> phases;  ///< of all rays; written if one of them is not P

    Impl(const fs::path& path, const Medium* medium_of_times)
        : output(path), medium(medium_of_times) {
        const Session session;
        root = hdf5::create_group(output.id(), "VTKHDF", path);
        const std::array<std::int64_t, 2> version = {2, 0};
        hdf5::write_attribute(root, "Version", version, path);
        hdf5::write_attribute(root, "Type", std::string("PolyData"), path);
        lines = hdf5::create_group(root, "Lines", path);
        cell_data = hdf5::create_group(root, "CellData", path);
        points = Column<double>(root, "Points", path, 3);
        if (medium != nullptr) {
            point_data = hdf5::create_group(root, "PointData", path);
            point_time = Column<double>(point_data, "time", path);
        }
        offsets = Column<std::int64_t>(lines, "Offsets", path);
        connectivity = Column<std::int64_t>(lines, "Connectivity", path);
        source = Column<std::int32_t>(cell_data, "source", path);
        receiver = Column<std::int32_t>(cell_data, "receiver", path);
        time = Column<double>(cell_data, "time", path);
        field_time = Column<double>(cell_data, "field_time", path);
        length = Column<double>(cell_data, "length", path);
        status = Column<std::uint8_t>(cell_data, "status", path);
        start = Column<std::uint8_t>(cell_data, "start", path);
        const std::int64_t zero = 0;
        offsets.append(&zero, 1);
        // VTK's reader requires all four kinds of cells, even if they are empty.
        for (const char* kind : {"Vertices", "Polygons", "Strips"}) {
            const Handle group = hdf5::create_group(root, kind, path);
            write_count(group, "NumberOfCells", 0, path);
            write_count(group, "NumberOfConnectivityIds", 0, path);
            write_count(group, "Offsets", 0, path);
            const Column<std::int64_t> no_points(group, "Connectivity", path);
        }
    }

    template <class T, class Get>
    void append_column(Column<T>& column, const RaySet& rays, Get get) {
        std::vector<T> values;
        values.reserve(rays.size());
        for (const RayInfo& ray : rays.rays) values.push_back(get(ray));
        column.append(values.data(), values.size());
    }

    void append(const RaySet& rays) {
        const Session session;
        const std::int64_t first = points.rows();
        std::vector<std::int64_t> ids;
        for (std::size_t r = 0; r < rays.size(); ++r)
            ids.push_back(first + rays.first_point[r + 1]);
        offsets.append(ids.data(), ids.size());
        ids.resize(rays.points.size());
        for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = first + static_cast<std::int64_t>(i);
        connectivity.append(ids.data(), ids.size());
        if (!rays.points.empty()) points.append(&rays.points.front().x, rays.points.size());
        if (medium != nullptr && rays.size() > 0) {
            const std::vector<double> times =
                times_along(medium->of(rays.rays.front().phase), rays);
            point_time.append(times.data(), times.size());
        }
        append_column(source, rays, [](const RayInfo& ray) { return ray.source; });
        append_column(receiver, rays, [](const RayInfo& ray) { return ray.receiver; });
        append_column(time, rays, [](const RayInfo& ray) { return ray.time; });
        append_column(field_time, rays, [](const RayInfo& ray) { return ray.field_time; });
        append_column(length, rays, [](const RayInfo& ray) { return ray.length; });
        append_column(status, rays,
                      [](const RayInfo& ray) { return static_cast<std::uint8_t>(ray.status); });
        append_column(start, rays,
                      [](const RayInfo& ray) { return static_cast<std::uint8_t>(ray.start); });
        for (const RayInfo& ray : rays.rays) {
            phases.push_back(static_cast<std::uint8_t>(ray.phase));
        }
        output.check();
    }

    void commit() {
        const Session session;
        const auto is_other = [](std::uint8_t n) { return n != 0; };
        if (std::any_of(phases.begin(), phases.end(), is_other)) {
            Column<std::uint8_t> phase(cell_data, "phase", output.path());
            phase.append(phases.data(), phases.size());
            if (!phase.close()) output.check();
        }
        write_count(root, "NumberOfPoints", points.rows(), output.path());
        write_count(lines, "NumberOfCells", source.rows(), output.path());
        write_count(lines, "NumberOfConnectivityIds", connectivity.rows(), output.path());
        const bool closed = points.close() && offsets.close() && connectivity.close() &&
                            source.close() && receiver.close() && time.close() &&
                            field_time.close() && length.close() && status.close() &&
                            start.close() && lines.reset() && cell_data.reset();
        const bool times_closed = medium == nullptr || (point_time.close() && point_data.reset());
        if (!closed || !times_closed || !root.reset()) hdf5::fail_write(output.path());
        output.commit();
    }
};

RayWriter::RayWriter(const fs::path& path, const Medium* medium)
    : impl_(std::make_unique<Impl>(path, medium)) {}
RayWriter::~RayWriter() = default;
RayWriter::RayWriter(RayWriter&&) noexcept = default;
void RayWriter::append(const RaySet& rays) { impl_->append(rays); }
void RayWriter::add_ray_numbers(const char* name, std::span<const std::int32_t> values,
                                std::span<const std::string> names) {
    FERMAT_EXPECT(static_cast<std::int64_t>(values.size()) == impl_->source.rows());
    const Session session;
    Column<std::int32_t> column(impl_->cell_data, name, impl_->output.path());
    column.append(values.data(), values.size());
    if (!column.close()) impl_->output.check();
    if (names.empty()) return;
    const Handle dataset(H5Dopen2(impl_->cell_data, name, H5P_DEFAULT), H5Dclose);
    for (std::size_t n = 0; n < names.size(); ++n) {
        hdf5::write_attribute(dataset, name_of_number(n).c_str(), names[n].substr(0, 63),
                              impl_->output.path());
    }
}
void RayWriter::commit() { impl_->commit(); }

void write_rays(const fs::path& path, const RaySet& rays, const Medium* medium) {
    RayWriter writer(path, medium);
    writer.append(rays);
    writer.commit();
}

namespace {

InputError inconsistent(const fs::path& path, const std::string& what) {
    return InputError(fmt::format("'{}' is damaged: {}", path.string(), what));
}

/// Reads the points of the rays in the order of the lines, for any numbering in the file.
void read_paths(hid_t root, const fs::path& path, RaySet& rays) {
    const auto coordinates = read_column<double>(root, "Points", path, 3);
    const auto ids = read_column<std::int64_t>(root, "Lines/Connectivity", path);
    rays.first_point = read_column<std::int64_t>(root, "Lines/Offsets", path);
    const auto point_count = static_cast<std::int64_t>(coordinates.size() / 3);
    for (const std::int64_t id : ids) {
        if (id < 0 || id >= point_count) {
            throw inconsistent(path, fmt::format("a line uses point {} of {}", id, point_count));
        }
        const double* p = &coordinates[static_cast<std::size_t>(3 * id)];
        rays.points.push_back({p[0], p[1], p[2]});
    }
    const auto& first = rays.first_point;
    bool ordered = !first.empty() && first.front() == 0 &&
                   first.back() == static_cast<std::int64_t>(ids.size());
    for (std::size_t i = 1; ordered && i < first.size(); ++i) ordered = first[i - 1] <= first[i];
    if (!ordered) throw inconsistent(path, "the offsets of its lines are out of order");
}

}  // namespace

NamedRayNumbers read_ray_numbers(const fs::path& path, const std::string& name) {
    const Session session;
    const Handle file = hdf5::open_file(path);
    const std::string place = "VTKHDF/CellData/" + name;
    if (!hdf5::exists(file, place, path)) {
        throw InputError(
            fmt::format("'{}' has no numbers '{}' of its rays (later phases are "
                        "written by `fermat phases`)",
                        path.string(), name));
    }
    NamedRayNumbers out;
    out.values = read_column<std::int32_t>(file, place.c_str(), path);
    const Handle dataset(H5Dopen2(file, place.c_str(), H5P_DEFAULT), H5Dclose);
    for (std::size_t n = 0; H5Aexists(dataset, name_of_number(n).c_str()) > 0; ++n) {
        out.names.push_back(hdf5::read_text_attribute(dataset, name_of_number(n).c_str(), path));
    }
    for (const std::int32_t value : out.values) {
        if (value >= 0 && static_cast<std::size_t>(value) < out.names.size()) continue;
        throw InputError(fmt::format("'{}' is damaged: '{}' has {}, and {} names", path.string(),
                                     name, value, out.names.size()));
    }
    return out;
}

RaySet read_rays(const fs::path& path) {
    const Session session;
    const Handle file = hdf5::open_file(path);
    if (!hdf5::exists(file, "VTKHDF", path)) {
        throw InputError(
            fmt::format("'{}' has no group 'VTKHDF' (it is HDF5 of another kind)", path.string()));
    }
    const Handle root(H5Gopen2(file, "VTKHDF", H5P_DEFAULT), H5Gclose);
    if (!root.valid()) hdf5::fail_read(path, "group 'VTKHDF'");
    const std::string type = hdf5::read_text_attribute(root, "Type", path);
    if (type != "PolyData") {
        throw InputError(fmt::format("'{}' is VTKHDF of type {} (rays are 'PolyData')",
                                     path.string(), in_quotes(type)));
    }
    RaySet rays;
    read_paths(root, path, rays);
    const auto source = read_column<std::int32_t>(root, "CellData/source", path);
    const auto receiver = read_column<std::int32_t>(root, "CellData/receiver", path);
    const auto time = read_column<double>(root, "CellData/time", path);
    const auto field_time = read_column<double>(root, "CellData/field_time", path);
    const auto length = read_column<double>(root, "CellData/length", path);
    const auto status = read_column<std::uint8_t>(root, "CellData/status", path);
    const auto start = read_column<std::uint8_t>(root, "CellData/start", path);
    std::vector<std::uint8_t> phase(source.size(), 0);
    if (hdf5::exists(root, "CellData/phase", path)) {
        phase = read_column<std::uint8_t>(root, "CellData/phase", path);
    }
    const std::size_t count = rays.first_point.size() - 1;
    for (const std::size_t rows : {source.size(), receiver.size(), time.size(), field_time.size(),
                                   length.size(), status.size(), start.size(), phase.size()}) {
        if (rows != count) {
            throw inconsistent(path, fmt::format("cell data of {} for {} lines", rows, count));
        }
    }
    for (std::size_t r = 0; r < count; ++r) {
        if (status[r] >= choices<RayStatus>.entries.size()) {
            throw inconsistent(path, fmt::format("status {} of ray {}", status[r], r));
        }
        if (start[r] >= choices<RayStart>.entries.size()) {
            throw inconsistent(path, fmt::format("start {} of ray {}", start[r], r));
        }
        if (phase[r] >= phase_count) {
            throw inconsistent(path, fmt::format("phase {} of ray {}", phase[r], r));
        }
        rays.rays.push_back({source[r], receiver[r], field_time[r], time[r], length[r],
                             static_cast<RayStatus>(status[r]), static_cast<RayStart>(start[r]),
                             static_cast<Phase>(phase[r])});
    }
    return rays;
}

}  // namespace fermat
