#include "io/nonlinloc.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "io/input_file.hpp"
#include "io/model_formats.hpp"
#include "io/numbers.hpp"
#include "io/text.hpp"

namespace fermat {
namespace {

namespace fs = std::filesystem;

enum class GridKind { velocity, velocity_meters, slowness, vel2, slow2, slow2_meters, slow_len };

constexpr std::array<std::pair<std::string_view, GridKind>, 7> grid_kinds = {
    {{"VELOCITY", GridKind::velocity},
     {"VELOCITY_METERS", GridKind::velocity_meters},
     {"SLOWNESS", GridKind::slowness},
     {"VEL2", GridKind::vel2},
     {"SLOW2", GridKind::slow2},
     {"SLOW2_METERS", GridKind::slow2_meters},
     {"SLOW_LEN", GridKind::slow_len}}};

struct Header {
    Grid grid;
    GridKind kind = GridKind::velocity;
    std::size_t value_size = 4;
};

/// Velocity in km/s from a stored value. `length` is the edge of a cell in km.
double to_velocity(double value, GridKind kind, double length) {
    switch (kind) {
        case GridKind::velocity:
            return value;
        case GridKind::velocity_meters:
            return value / 1000;
        case GridKind::slowness:
            return 1 / value;
        case GridKind::vel2:
            return std::sqrt(value);
        case GridKind::slow2:
            return 1 / std::sqrt(value);
        case GridKind::slow2_meters:
            return 1 / (1000 * std::sqrt(value));
        case GridKind::slow_len:
            return length / value;
    }
    return 0;
}

GridKind parse_kind(std::string_view word, const fs::path& path) {
    for (const auto& [name, kind] : grid_kinds) {
        if (name == word) return kind;
    }
    throw InputError(
        fmt::format("'{}' is a grid of type {} (velocities or slownesses are needed, "
                    "such as VELOCITY or SLOW_LEN)",
                    path.string(), in_quotes(word)));
}

/// Reads the first line: nx ny nz  x y z  dx dy dz  type [FLOAT|DOUBLE].
Header read_header(const fs::path& path) {
    const std::string content = read_whole_file(path);
    const auto words = split_words(LineReader(content).next().value_or(""));
    if (words.size() < 10) {
        throw InputError(
            fmt::format("'{}' line 1 has {} words (must be 'nx ny nz x y z dx dy dz "
                        "type')",
                        path.string(), words.size()));
    }
    std::array<int, 3> nodes{};
    std::array<double, 6> numbers{};
    for (std::size_t i = 0; i < 9; ++i) {
        const auto count = parse_integer(words[i]);
        const auto number = parse_number(words[i]);
        const bool good = i < 3 ? count && *count >= 1 && *count <= std::numeric_limits<int>::max()
                                : number && std::isfinite(*number);
        if (!good) {
            throw InputError(fmt::format("'{}' line 1: word {} is {} (must be a {})", path.string(),
                                         i + 1, in_quotes(words[i]),
                                         i < 3 ? "positive whole number" : "finite number"));
        }
        if (i < 3) nodes[i] = static_cast<int>(*count);
        if (i >= 3) numbers[i - 3] = *number;
    }
    Header header;
    header.grid.shape = {nodes[0], nodes[1], nodes[2]};
    header.grid.origin = {numbers[0], numbers[1], numbers[2]};
    header.grid.spacing = {numbers[3], numbers[4], numbers[5]};
    header.kind = parse_kind(words[9], path);
    if (words.size() > 10 && words[10] == "DOUBLE") header.value_size = 8;
    const Vec3 h = header.grid.spacing;
    const bool cubic = h.x == h.y && h.y == h.z;
    if (header.kind == GridKind::slow_len && !cubic) {
        throw InputError(
            fmt::format("'{}' is SLOW_LEN with spacing {}, {}, {} (its cells must be "
                        "cubes)",
                        path.string(), h.x, h.y, h.z));
    }
    Grid& grid = header.grid;
    if (grid.shape.x == 1) {
        grid.shape = {grid.shape.y, 1, grid.shape.z};
        grid.origin = {grid.origin.y, grid.origin.x, grid.origin.z};
        grid.spacing = {grid.spacing.y, grid.spacing.x, grid.spacing.z};
    }
    return header;
}

/// Calls visit(n, velocity) for each value n of the buffer. The buffer has the order of our fields.
template <class Visit>
void for_each_value(const InputFile& file, const Header& header, Visit visit) {
    const std::size_t count = header.grid.node_count();
    constexpr std::size_t piece = 1 << 20;
    std::vector<std::byte> buffer(std::min(count, piece) * header.value_size);
    for (std::size_t first = 0; first < count; first += piece) {
        const std::size_t values = std::min(piece, count - first);
        file.read(first * header.value_size, std::span(buffer).first(values * header.value_size));
        for (std::size_t i = 0; i < values; ++i) {
            const double value =
                load_float(&buffer[i * header.value_size], header.value_size, false);
            visit(first + i,
                  static_cast<float>(to_velocity(value, header.kind, header.grid.spacing.x)));
        }
    }
}

/// The number of values along each axis: "3 x 2 x 4". A single layer of cells can be 3-D, so
/// `is_2d` says whether y is left out.
std::string counts(Shape shape, bool is_2d) {
    return is_2d ? fmt::format("{} x {}", shape.x, shape.z)
                 : fmt::format("{} x {} x {}", shape.x, shape.y, shape.z);
}

/// Reads all values but the last along each axis, which belong to no cell.
Field<float> read_cells(const InputFile& file, const Header& header) {
    const Shape nodes = header.grid.shape;
    Field<float> velocity(header.grid.cell_shape());
    float* out = velocity.data();
    Index3 at;
    for_each_value(file, header, [&](std::size_t, float value) {
        const bool last_y = nodes.y > 1 && at.y == nodes.y - 1;
        if (at.x < nodes.x - 1 && !last_y && at.z < nodes.z - 1) *out++ = value;
        if (++at.z < nodes.z) return;
        at.z = 0;
        if (++at.y < nodes.y) return;
        at.y = 0;
        ++at.x;
    });
    return velocity;
}

Field<float> read_nodes(const InputFile& file, const Header& header) {
    Field<float> velocity(header.grid.shape);
    for_each_value(file, header, [&](std::size_t n, float value) { velocity[n] = value; });
    return velocity;
}

}  // namespace

Model read_nonlinloc(const fs::path& path, std::optional<Placement> placement, Notes& notes) {
    const Header header = read_header(path);
    const Grid& grid = header.grid;
    try {
        validate(grid);
        fs::path buffer_path = path;
        if (input_suffix_of(path) != suffix_of(path))
            buffer_path = path.parent_path() / path.stem();
        buffer_path.replace_extension(".buf");
        if (!fs::exists(buffer_path)) {
            const fs::path packed = buffer_path.string() + ".gz";
            if (fs::exists(packed)) buffer_path = packed;
        }
        const InputFile file(buffer_path);
        const double bytes =
            static_cast<double>(grid.node_count()) * static_cast<double>(header.value_size);
        if (bytes != static_cast<double>(file.size())) {
            throw InputError(fmt::format("its '{}' has {} bytes (shape {} needs {:.0f})",
                                         buffer_path.filename().string(), file.size(),
                                         to_string(grid.shape), bytes));
        }
        if (placement == Placement::nodes) return Model(grid, read_nodes(file, header));
        if (!placement) {
            notes.add(fmt::format(
                "'{}': its values are read as those of {} cells between {} nodes, as NonLinLoc "
                "does (`placement=nodes` reads them as the nodes')",
                path.string(), counts(grid.cell_shape(), grid.is_2d()),
                counts(grid.shape, grid.is_2d())));
        }
        return Model::of_cells(grid, read_cells(file, header));
    } catch (const InputError& error) {
        throw InputError(fmt::format("'{}': {}", path.string(), error.what()));
    }
}

const ModelFormat nonlinloc_model{
    ".hdr",
    ToldOfModel::placement,
    true,
    nullptr,
    [](const TextFile& file, const ModelFileOptions& options, Notes& notes) {
        return read_nonlinloc(file.path(), options.placement, notes);
    },
    [](const fs::path& path, const Model& model, const std::string&) {
        write_nonlinloc(path, model);
    },
    "",
    false};

}  // namespace fermat
