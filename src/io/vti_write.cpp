#include "io/vti_write.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "io/atomic_file.hpp"
#include "io/numbers.hpp"
#include "io/transpose.hpp"
#include "io/vtk_direction.hpp"

namespace fermat {
namespace {

std::string three(double a, double b, double c) { return fmt::format("{} {} {}", a, b, c); }

std::string numbers_of(const VtkDirection& direction) {
    std::string text;
    for (const double value : direction) {
        fmt::format_to(std::back_inserter(text), "{}{}", text.empty() ? "" : " ", value);
    }
    return text;
}

}  // namespace

void write_vti(const std::filesystem::path& path, const Model& model) {
    const Grid& grid = model.grid();
    const bool flat = grid.is_2d();
    const Shape n = grid.shape;
    const Vec3 h = grid.spacing;
    const std::string extent = flat ? fmt::format("0 {} 0 {} 0 0", n.x - 1, n.z - 1)
                                    : fmt::format("0 {} 0 {} 0 {}", n.x - 1, n.y - 1, n.z - 1);
    const std::string spacing = flat ? three(h.x, h.z, h.y) : three(h.x, h.y, h.z);
    const std::string origin = three(grid.origin.x, grid.origin.y, grid.origin.z);
    const char* const data = model.cells() ? "CellData" : "PointData";
    const FieldView<const float> values = model.given();

    OutputFile file(path);
    file.write(fmt::format(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"{}\" "
        "header_type=\"UInt64\">\n<ImageData WholeExtent=\"{}\" Origin=\"{}\" Spacing=\"{}\" "
        "Direction=\"{}\">\n<Piece Extent=\"{}\">\n<{} Scalars=\"velocity\">\n<DataArray "
        "type=\"Float32\" Name=\"velocity\" format=\"appended\" offset=\"0\"/>\n</{}>\n</Piece>\n"
        "</ImageData>\n<AppendedData encoding=\"raw\">\n_",
        big_endian_machine ? "BigEndian" : "LittleEndian", extent, origin, spacing,
        numbers_of(flat ? direction_section : direction_xyz), extent, data, data));
    const std::uint64_t bytes = model.given().size() * sizeof(float);
    file.write({reinterpret_cast<const char*>(&bytes), sizeof bytes});
    std::vector<float> buffer;
    for (const FileBlock& block : file_blocks(model.given().shape())) {
        buffer.resize(static_cast<std::size_t>(block.nz) * static_cast<std::size_t>(block.ny) *
                      static_cast<std::size_t>(model.given().shape().x));
        to_file_order(values, block, buffer.data());
        file.write({reinterpret_cast<const char*>(buffer.data()), buffer.size() * sizeof(float)});
    }
    file.write("\n</AppendedData>\n</VTKFile>\n");
    file.commit();
}

}  // namespace fermat
