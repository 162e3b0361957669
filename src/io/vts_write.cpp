#include "io/vts_write.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <vector>

#include "core/error.hpp"
#include "io/atomic_file.hpp"
#include "io/numbers.hpp"
#include "io/transpose.hpp"
#include "model/metric.hpp"

namespace fermat {
namespace {

void write_bytes(OutputFile& file, const std::vector<float>& values) {
    file.write({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)});
}

void write_size(OutputFile& file, std::uint64_t floats) {
    const std::uint64_t bytes = floats * sizeof(float);
    file.write({reinterpret_cast<const char*>(&bytes), sizeof bytes});
}

void write_field(OutputFile& file, FieldView<const float> values) {
    write_size(file, values.size());
    std::vector<float> buffer;
    for (const FileBlock& block : file_blocks(values.shape())) {
        buffer.resize(static_cast<std::size_t>(block.nz) * static_cast<std::size_t>(block.ny) *
                      static_cast<std::size_t>(values.shape().x));
        to_file_order(values, block, buffer.data());
        write_bytes(file, buffer);
    }
}

void write_points(OutputFile& file, const Model& model) {
    const Grid& grid = model.grid();
    write_size(file, 3 * grid.node_count());
    std::vector<float> row;
    for (int k = 0; k < grid.shape.z; ++k) {
        for (int j = 0; j < grid.shape.y; ++j) {
            row.clear();
            for (int i = 0; i < grid.shape.x; ++i) {
                const Vec3 q = grid.position({i, j, k});
                const Vec3 p = model.mapping().place(q);
                for (int axis = 0; axis < 3; ++axis) row.push_back(static_cast<float>(p[axis]));
            }
            write_bytes(file, row);
        }
    }
}

}  // namespace

void write_vts(const std::filesystem::path& path, const Model& model,
               std::span<const NamedField> fields) {
    const Grid& grid = model.grid();
    std::vector<NamedField> all = {{"velocity", model.given()}};
    all.insert(all.end(), fields.begin(), fields.end());
    std::string on_points;
    std::string in_cells;
    std::uint64_t offset = sizeof offset + 3 * grid.node_count() * sizeof(float);
    for (const NamedField& field : all) {
        const Shape shape = field.values.shape();
        const bool nodes = shape == grid.shape;
        if (!nodes && shape != grid.cell_shape()) {
            throw InputError(fmt::format("{} has shape {} (must be {} nodes or {} cells)",
                                         field.name, to_string(shape), to_string(grid.shape),
                                         to_string(grid.cell_shape())));
        }
        (nodes ? on_points : in_cells) += fmt::format(
            "<DataArray type=\"Float32\" Name=\"{}\" format=\"appended\" offset=\"{}\"/>\n",
            field.name, offset);
        offset += sizeof offset + field.values.size() * sizeof(float);
    }
    const Shape n = grid.shape;
    const std::string extent = fmt::format("0 {} 0 {} 0 {}", n.x - 1, n.y - 1, n.z - 1);
    OutputFile file(path);
    file.write(fmt::format(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"StructuredGrid\" version=\"1.0\" "
        "byte_order=\"{}\" header_type=\"UInt64\">\n<StructuredGrid WholeExtent=\"{}\">\n<Piece "
        "Extent=\"{}\">\n<PointData>\n{}</PointData>\n<CellData>\n{}</CellData>\n<Points>\n"
        "<DataArray type=\"Float32\" Name=\"Points\" NumberOfComponents=\"3\" "
        "format=\"appended\" offset=\"0\"/>\n</Points>\n</Piece>\n</StructuredGrid>\n"
        "<AppendedData encoding=\"raw\">\n_",
        big_endian_machine ? "BigEndian" : "LittleEndian", extent, extent, on_points, in_cells));
    write_points(file, model);
    for (const NamedField& field : all) write_field(file, field.values);
    file.write("\n</AppendedData>\n</VTKFile>\n");
    file.commit();
}

}  // namespace fermat
