#include "io/vtk_xml.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "io/input_file.hpp"
#include "io/model_formats.hpp"
#include "io/numbers.hpp"
#include "io/text.hpp"
#include "io/transpose.hpp"
#include "io/vti_write.hpp"
#include "io/vtk_array.hpp"
#include "io/vtk_direction.hpp"
#include "io/vts_write.hpp"
#include "model/placement.hpp"

namespace fermat {
namespace {

namespace fs = std::filesystem;

template <std::size_t N>
std::array<double, N> numbers(const XmlElement& element, std::string_view key,
                              std::array<double, N> fallback) {
    const auto text = element.attribute(key);
    if (!text) return fallback;
    const auto words = split_words(*text);
    std::array<double, N> values{};
    bool good = words.size() == N;
    for (std::size_t i = 0; good && i < N; ++i) {
        const auto value = parse_number(words[i]);
        good = value && std::isfinite(*value);
        if (good) values[i] = *value;
    }
    if (!good) {
        throw InputError(
            fmt::format("has {}={} (must be {} finite numbers)", key, in_quotes(*text), N));
    }
    return values;
}

std::array<int, 6> extent_of(const XmlElement& element, std::string_view key) {
    constexpr double limit = std::numeric_limits<int>::max() / 4;
    const auto values = numbers<6>(element, key, {0, -1, 0, -1, 0, -1});
    std::array<int, 6> extent{};
    for (std::size_t i = 0; i < 6; ++i) {
        if (!(std::abs(values[i]) < limit) || (i % 2 == 1 && values[i] < values[i - 1])) {
            throw InputError(fmt::format("has the {} {}", key,
                                         in_quotes(element.attribute(key).value_or("(none)"))));
        }
        extent[i] = static_cast<int>(values[i]);
    }
    return extent;
}

VtkStorage storage_of(const XmlDocument& document, std::string_view content) {
    const XmlElement& root = document.root;
    VtkStorage storage;
    const bool big = root.attribute("byte_order").value_or("LittleEndian") == "BigEndian";
    storage.swapped = big != big_endian_machine;
    storage.header_size = root.attribute("header_type").value_or("UInt32") == "UInt64" ? 8 : 4;
    storage.compressed = !root.attribute("compressor").value_or("").empty();
    if (document.stopped_at != std::string_view::npos) {
        const std::size_t mark = content.find('_', document.stopped_at);
        if (mark != std::string_view::npos) storage.appended = content.substr(mark + 1);
        storage.appended_base64 =
            document.stop_element.attribute("encoding").value_or("base64") == "base64";
    }
    return storage;
}

const XmlElement& only_piece(const XmlElement& data, std::array<int, 6> whole) {
    const XmlElement* found = nullptr;
    for (const XmlElement& child : data.children) {
        if (child.name != "Piece") continue;
        if (found) throw InputError("has several pieces (save it as one)");
        found = &child;
    }
    if (!found) throw InputError("has no Piece (it is truncated or damaged)");
    if (extent_of(*found, "Extent") != whole) {
        throw InputError("has a piece that does not cover its extent (save it whole)");
    }
    return *found;
}

struct VelocityArray {
    const XmlElement& array;
    Placement placement;
};

VelocityArray velocity_array(const XmlElement& piece) {
    const XmlElement* first = nullptr;
    Placement first_placement = Placement::nodes;
    std::string names;
    int count = 0;
    for (const Placement placement : {Placement::nodes, Placement::cells}) {
        const bool points = placement == Placement::nodes;
        const XmlElement* data = piece.child(points ? "PointData" : "CellData");
        if (!data) continue;
        for (const XmlElement& array : data->children) {
            const std::string_view name = array.attribute("Name").value_or("");
            if (name == "velocity") return {array, placement};
            // Cell arrays are used only if there are no point arrays.
            if (first && first_placement != placement) continue;
            names += (names.empty() ? "" : ", ") + std::string(name);
            if (!first) first = &array;
            first_placement = placement;
            ++count;
        }
    }
    if (!first) throw InputError("has no point or cell data");
    if (count > 1) {
        throw InputError(fmt::format("has the {} arrays {} (one must be named 'velocity')",
                                     first_placement == Placement::nodes ? "point" : "cell",
                                     in_quotes(names)));
    }
    return {*first, first_placement};
}

/// Reads origin and spacing of a coordinate axis, which must be evenly spaced.
void read_axis(const XmlElement& array, const VtkStorage& storage, int nodes, int axis,
               Grid& grid) {
    const auto at = read_vtk_array(array, storage, static_cast<std::size_t>(nodes));
    const double first = at.front();
    const double step = nodes > 1 ? (static_cast<double>(at.back()) - first) / (nodes - 1) : 1.0;
    // Float32 coordinates have rounding errors relative to their size.
    const double slack = 1e-3 * std::abs(step) + 1e-6 * (std::abs(first) + std::abs(at.back()));
    for (std::size_t i = 0; i < at.size(); ++i) {
        const double even = first + static_cast<double>(i) * step;
        if (!(std::abs(at[i] - even) <= slack)) {
            throw InputError(
                fmt::format("has uneven coordinates along {}: {} where even spacing "
                            "gives {} (resample it)",
                            "xyz"[axis], at[i], even));
        }
    }
    grid.origin[axis] = first;
    grid.spacing[axis] = step;
}

Grid image_grid(const XmlElement& data, std::array<int, 6> extent) {
    const auto origin = numbers<3>(data, "Origin", {0, 0, 0});
    const auto spacing = numbers<3>(data, "Spacing", {1, 1, 1});
    const auto direction = numbers<9>(data, "Direction", direction_xyz);
    Grid grid{{}, {origin[0], origin[1], origin[2]}, {spacing[0], spacing[1], spacing[2]}};
    std::array<int, 3> first = {extent[0], extent[2], extent[4]};
    std::array<int, 3> nodes = {extent[1] - extent[0] + 1, extent[3] - extent[2] + 1,
                                extent[5] - extent[4] + 1};
    if (direction == direction_section && nodes[2] == 1) {
        std::swap(grid.spacing.y, grid.spacing.z);
        std::swap(nodes[1], nodes[2]);
        std::swap(first[1], first[2]);
    } else if (direction != direction_xyz) {
        throw InputError("is turned by its Direction (resample it to the axes x, y, z)");
    }
    for (int axis = 0; axis < 3; ++axis) {
        grid.origin[axis] = grid.coordinate(axis, first[static_cast<std::size_t>(axis)]);
    }
    grid.shape = {nodes[0], nodes[1], nodes[2]};
    return grid;
}

Grid rectilinear_grid(const XmlElement& piece, std::array<int, 6> extent,
                      const VtkStorage& storage) {
    const XmlElement* axes = piece.child("Coordinates");
    if (!axes || axes->children.size() != 3) throw InputError("lacks its three Coordinates");
    Grid grid;
    grid.shape = {extent[1] - extent[0] + 1, extent[3] - extent[2] + 1, extent[5] - extent[4] + 1};
    for (int axis = 0; axis < 3; ++axis) {
        read_axis(axes->children[static_cast<std::size_t>(axis)], storage, grid.shape[axis], axis,
                  grid);
    }
    return grid;
}

Model read(std::string_view content) {
    const XmlDocument document = parse_xml(content, "AppendedData");
    const XmlElement& root = document.root;
    if (root.name != "VTKFile") throw InputError("is not a VTK XML file");
    const bool image = root.child("ImageData") != nullptr;
    const XmlElement* data = root.child(image ? "ImageData" : "RectilinearGrid");
    if (!data) {
        throw InputError(fmt::format("is VTK of type {} (ImageData or RectilinearGrid is needed)",
                                     in_quotes(root.attribute("type").value_or(""))));
    }
    const VtkStorage storage = storage_of(document, content);
    const auto extent = extent_of(*data, "WholeExtent");
    const XmlElement& piece = only_piece(*data, extent);
    // Every stored value takes at least one byte, and two in ascii.
    const double values = (extent[1] - extent[0] + 1.0) * (extent[3] - extent[2] + 1.0) *
                          (extent[5] - extent[4] + 1.0);
    if (values > static_cast<double>(content.size())) {
        throw InputError(
            fmt::format("has {} bytes for an extent of {:.0f} nodes (it is truncated "
                        "or damaged)",
                        content.size(), values));
    }
    const Grid grid = image ? image_grid(*data, extent) : rectilinear_grid(piece, extent, storage);
    validate(grid);
    const VelocityArray given = velocity_array(piece);
    const Shape shape = sample_points(grid, given.placement).shape;
    const auto stored = read_vtk_array(given.array, storage, shape.count());
    Field<float> velocity(shape);
    from_file_order(stored.data(), {0, shape.z, 0, shape.y}, velocity.view());
    return make_model(grid, std::move(velocity), given.placement);
}

}  // namespace

Model read_vtk_xml(const TextFile& file) {
    try {
        return read(file.text());
    } catch (const InputError& error) {
        throw InputError(fmt::format("{} {}", file.quoted(), error.what()));
    }
}

const ModelFormat vtk_xml_model{
    ".vti .vtr",
    ToldOfModel::nothing,
    true,
    nullptr,
    [](const TextFile& file, const ModelFileOptions&, Notes&) { return read_vtk_xml(file); },
    [](const fs::path& path, const Model& model, const std::string&) { write_vti(path, model); },
    ".vti",
    false};

const ModelFormat vts_model{
    ".vts",
    ToldOfModel::nothing,
    false,
    nullptr,
    nullptr,
    [](const fs::path& path, const Model& model, const std::string&) { write_vts(path, model); },
    "",
    true};

}  // namespace fermat
