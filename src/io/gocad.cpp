#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "io/input_file.hpp"
#include "io/model_formats.hpp"
#include "io/number_lines.hpp"
#include "io/numbers.hpp"

namespace fermat {
namespace {

namespace fs = std::filesystem;

/// A property of a voxet: its name and its file of raw numbers.
struct GocadProperty {
    std::string name{};
    std::string file{};
    std::size_t size = 4;
    std::size_t offset = 0;
    std::optional<double> no_data{};
};

struct GocadVoxet {
    Vec3 origin{};
    std::array<Vec3, 3> vectors{};  ///< U, V and W
    Vec3 from{};
    Vec3 to{1, 1, 1};
    std::array<int, 3> counts{};
    bool elevation = true;  ///< z counts upward
    std::map<std::string, GocadProperty> properties{};
};

Vec3 three(const NumberLines& lines, const std::vector<std::string_view>& words) {
    return {lines.finite(words, 1, "the first number"), lines.finite(words, 2, "the second number"),
            lines.finite(words, 3, "the third number")};
}

std::string unquoted(std::string_view text) {
    if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
        text = text.substr(1, text.size() - 2);
    }
    return std::string(text);
}

void read_property(GocadVoxet& voxet, const NumberLines& lines,
                   const std::vector<std::string_view>& words) {
    if (words.size() < 3) return;
    GocadProperty& property = voxet.properties[std::string(words[1])];
    const std::string_view key = words[0];
    if (key == "PROPERTY") property.name = unquoted(words[2]);
    if (key == "PROP_FILE") property.file = unquoted(words[2]);
    if (key == "PROP_ESIZE") property.size = lines.count(words, 2, "the size of a number");
    if (key == "PROP_OFFSET") property.offset = lines.count(words, 2, "the offset");
    if (key == "PROP_NO_DATA_VALUE") property.no_data = lines.number(words, 2, "the value");
    const bool ieee = words[2] == "IEEE";
    if ((key == "PROP_ETYPE" && !ieee) || (key == "PROP_FORMAT" && words[2] != "RAW")) {
        lines.fail(fmt::format("the numbers are {} (must be RAW and IEEE)", in_quotes(words[2])));
    }
}

GocadVoxet read_voxet(const TextFile& file) {
    NumberLines lines(file);
    GocadVoxet voxet;
    const auto first = lines.next();
    if (first.size() < 2 || first[0] != "GOCAD" || first[1] != "Voxet") {
        lines.fail("the file is no voxet of GOCAD (must start with 'GOCAD Voxet')");
    }
    for (auto words = lines.next(); !words.empty(); words = lines.next()) {
        const std::string_view key = words[0];
        if (key == "AXIS_O") voxet.origin = three(lines, words);
        if (key == "AXIS_U") voxet.vectors[0] = three(lines, words);
        if (key == "AXIS_V") voxet.vectors[1] = three(lines, words);
        if (key == "AXIS_W") voxet.vectors[2] = three(lines, words);
        if (key == "AXIS_MIN") voxet.from = three(lines, words);
        if (key == "AXIS_MAX") voxet.to = three(lines, words);
        if (key == "AXIS_N") {
            const Vec3 counts = three(lines, words);
            for (int axis = 0; axis < 3; ++axis) {
                const double n = counts[axis];
                if (!(n >= 1 && n <= (1 << 24)) || n != std::floor(n)) {
                    lines.fail(fmt::format("a number of nodes is {:g} (must be whole and > 0)", n));
                }
                voxet.counts[static_cast<std::size_t>(axis)] = static_cast<int>(n);
            }
        }
        if (key == "ZPOSITIVE" && words.size() > 1) voxet.elevation = words[1] != "Depth";
        if (key == "PROPERTY" || key.starts_with("PROP_")) read_property(voxet, lines, words);
    }
    if (voxet.counts[0] == 0) lines.fail("there is no AXIS_N (the numbers of nodes)");
    return voxet;
}

/// The property that is a velocity by its name, or the first one.
const GocadProperty& property_of(const GocadVoxet& voxet, const TextFile& file, Notes& notes) {
    const GocadProperty* found = nullptr;
    std::size_t usable = 0;
    for (const auto& [id, property] : voxet.properties) {
        if (property.file.empty()) continue;
        ++usable;
        if (found == nullptr) found = &property;
        std::string name = property.name;
        std::transform(name.begin(), name.end(), name.begin(),
                       [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
        if (name == "velocity" || name == "vp" || name == "v" || name == "vint") found = &property;
    }
    if (found == nullptr) throw InputError("has no property with a file (PROP_FILE)");
    if (usable > 1) {
        notes.add(
            fmt::format("{}: property {} is taken for the velocity, and {} others are not "
                        "used",
                        file.quoted(), in_quotes(found->name), usable - 1));
    }
    return *found;
}

/// The values in the order of the file. GOCAD writes the highest byte first; others do not, which
/// shows in numbers that no velocity has.
std::vector<double> values_of(const TextFile& file, const GocadProperty& property,
                              std::size_t count) {
    const fs::path data = file.path().parent_path() / property.file;
    const std::string bytes = read_whole_file(data);
    const std::size_t size = property.size;
    if (size != 4 && size != 8) {
        throw InputError(fmt::format("has numbers of {} bytes (must be 4 or 8)", size));
    }
    if (bytes.size() < property.offset || (bytes.size() - property.offset) / size < count) {
        throw InputError(fmt::format("its '{}' has {} bytes ({} are needed)", property.file,
                                     bytes.size(), property.offset + count * size));
    }
    const auto all = std::as_bytes(std::span(bytes)).subspan(property.offset);
    std::vector<double> values(count);
    const auto read = [&](bool big_endian) {
        bool sane = true;
        for (std::size_t n = 0; n < count; ++n) {
            values[n] = load_float(&all[n * size], size, big_endian != big_endian_machine);
            const bool blank = property.no_data && values[n] == *property.no_data;
            const double v = values[n];
            sane = sane && (blank || v == 0 || (v > 1e-9 && v < 1e12));
        }
        return sane;
    };
    if (!read(true) && !read(false)) read(true);
    return values;
}

/// GOCAD's `.vo` with raw numbers beside it; axes must run along x, y and z.
Model read_gocad(const TextFile& file, const ModelFileOptions& options, Notes& notes) {
    Grid points;
    Field<float> velocity;
    const GocadVoxet voxet = read_voxet(file);
    named_by_file(file, [&] {
        const GocadProperty& property = property_of(voxet, file, notes);
        std::array<int, 3> axes{};
        std::array<bool, 3> back{};
        Vec3 first = voxet.origin;
        points.shape = {1, 1, 1};
        for (std::size_t n = 0; n < 3; ++n) {
            const Vec3 u = voxet.vectors[n];
            const std::array<double, 3> parts = {std::abs(u.x), std::abs(u.y), std::abs(u.z)};
            const auto largest = std::max_element(parts.begin(), parts.end());
            const int axis = static_cast<int>(largest - parts.begin());
            const double others = parts[0] + parts[1] + parts[2] - *largest;
            if (others > 1e-6 * *largest || *largest == 0) {
                throw InputError("has axes that do not run along x, y and z (turn it in GOCAD)");
            }
            axes[n] = axis;
            const int count = voxet.counts[n];
            const double low = voxet.from[static_cast<int>(n)];
            const double step =
                count > 1 ? (voxet.to[static_cast<int>(n)] - low) * u[axis] / (count - 1) : 1;
            first[axis] += low * u[axis];
            back[n] = step < 0;
            if (back[n]) first[axis] += step * (count - 1);
            points.spacing[axis] = std::abs(step);
            (axis == 0 ? points.shape.x : axis == 1 ? points.shape.y : points.shape.z) = count;
        }
        if (axes[0] + axes[1] + axes[2] != 3 || axes[0] == axes[1]) {
            throw InputError("has two axes along one direction");
        }
        points.origin = first;
        if (voxet.elevation) {
            points.origin.z = 0.0 - (first.z + points.spacing.z * (points.shape.z - 1));
        }
        if (points.shape.y == 1) points.origin.y = 0;
        validate(points);
        const std::vector<double> values = values_of(file, property, points.node_count());
        velocity = Field<float>(points.shape);
        std::size_t next = 0;
        std::size_t blanks = 0;
        std::array<int, 3> at{};
        for (at[2] = 0; at[2] < voxet.counts[2]; ++at[2]) {
            for (at[1] = 0; at[1] < voxet.counts[1]; ++at[1]) {
                for (at[0] = 0; at[0] < voxet.counts[0]; ++at[0]) {
                    Index3 node;
                    for (std::size_t n = 0; n < 3; ++n) {
                        bool turn = back[n];
                        if (axes[n] == 2 && voxet.elevation) turn = !turn;
                        node[axes[n]] = turn ? voxet.counts[n] - 1 - at[n] : at[n];
                    }
                    const double value = values[next++];
                    const bool blank = property.no_data && value == *property.no_data;
                    blanks += blank;
                    velocity(node) = blank ? 0.0F : static_cast<float>(value);
                }
            }
        }
        if (blanks > 0) {
            notes.add(fmt::format("{}: {} of {} nodes have no data and became air", file.quoted(),
                                  blanks, values.size()));
        }
    });
    return of_samples(file, points, std::move(velocity), options);
}

}  // namespace

const ModelFormat gocad_model{".vo",      ToldOfModel::grid, true, nullptr,
                              read_gocad, nullptr,           "",   false};

}  // namespace fermat
