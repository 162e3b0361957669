#include "io/model_table_write.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "io/atomic_file.hpp"
#include "io/model_formats.hpp"
#include "io/numbers.hpp"
#include "io/suffix.hpp"
#include "io/transpose.hpp"

namespace fermat {
namespace fs = std::filesystem;
namespace {

/// Numbers go into a file in this order of bytes.
void to_big_endian(std::vector<float>& values) {
    if (big_endian_machine) return;
    for (float& value : values) {
        const auto bits = std::bit_cast<std::uint32_t>(value);
        value = std::bit_cast<float>(bits >> 24 | (bits >> 8 & 0xff00U) | (bits << 8 & 0xff0000U) |
                                     bits << 24);
    }
}

}  // namespace

void write_model_table(const std::filesystem::path& path, const Model& model) {
    const bool plain = suffix_of(path) == ".xyz";
    const bool flat = model.grid().is_2d();
    const Grid grid = model.cells() ? model.grid().cell_middles() : model.grid();
    const FieldView<const float> values = model.given();
    const char gap = plain ? ' ' : ',';
    OutputFile file(path);
    if (!plain) file.write(flat ? "x,z,velocity\n" : "x,y,z,velocity\n");
    std::string lines;
    for (int i = 0; i < grid.shape.x; ++i) {
        for (int j = 0; j < grid.shape.y; ++j) {
            for (int k = 0; k < grid.shape.z; ++k) {
                const Vec3 at = grid.position({i, j, k});
                const auto out = std::back_inserter(lines);
                fmt::format_to(out, "{}{}", at.x, gap);
                if (!flat) fmt::format_to(out, "{}{}", at.y, gap);
                const float value = values({i, j, k});
                if (plain && value == 0) {
                    fmt::format_to(out, "{}{}NaN\n", at.z, gap);
                } else {
                    fmt::format_to(out, "{}{}{}\n", at.z, gap, value);
                }
            }
        }
        file.write(lines);
        lines.clear();
    }
    file.commit();
}

void write_legacy_vtk(const std::filesystem::path& path, const Model& model) {
    const Grid& grid = model.grid();
    const FieldView<const float> values = model.given();
    OutputFile file(path);
    file.write(fmt::format(
        "# vtk DataFile Version 3.0\nvelocity, z is depth\nBINARY\nDATASET STRUCTURED_POINTS\n"
        "DIMENSIONS {} {} {}\nORIGIN {} {} {}\nSPACING {} {} {}\n{} {}\nSCALARS velocity float 1\n"
        "LOOKUP_TABLE default\n",
        grid.shape.x, grid.shape.y, grid.shape.z, grid.origin.x, grid.origin.y, grid.origin.z,
        grid.spacing.x, grid.spacing.y, grid.spacing.z, model.cells() ? "CELL_DATA" : "POINT_DATA",
        values.size()));
    std::vector<float> buffer;
    for (const FileBlock& block : file_blocks(values.shape())) {
        buffer.resize(static_cast<std::size_t>(block.nz) * static_cast<std::size_t>(block.ny) *
                      static_cast<std::size_t>(values.shape().x));
        to_file_order(values, block, buffer.data());
        to_big_endian(buffer);
        file.write({reinterpret_cast<const char*>(buffer.data()), buffer.size() * sizeof(float)});
    }
    file.write("\n");
    file.commit();
}

const ModelFormat xyz_model{".xyz",
                            ToldOfModel::nothing,
                            false,
                            nullptr,
                            nullptr,
                            [](const fs::path& path, const Model& model, const std::string&) {
                                write_model_table(path, model);
                            },
                            "",
                            false};

const ModelFormat legacy_vtk_model{".vtk",
                                   ToldOfModel::nothing,
                                   false,
                                   nullptr,
                                   nullptr,
                                   [](const fs::path& path, const Model& model,
                                      const std::string&) { write_legacy_vtk(path, model); },
                                   "",
                                   false};

}  // namespace fermat
