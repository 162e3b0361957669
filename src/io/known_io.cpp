#include "io/known_io.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "core/error.hpp"
#include "io/columns.hpp"
#include "io/csv.hpp"

namespace fermat {

namespace fs = std::filesystem;

namespace {

void note_others(const CsvTable& table, std::span<const std::string_view> known,
                 std::string_view remedy, Notes& notes) {
    note_unused_columns(fmt::format("'{}'", table.path().string()), table.names(), known, remedy,
                        notes);
}

/// The part with this id, a new one where it is the first row of it.
template <class Part>
Part& known_part(std::vector<Part>& parts, std::string_view id) {
    const auto found =
        std::find_if(parts.begin(), parts.end(), [&](const Part& part) { return part.id == id; });
    if (found != parts.end()) return *found;
    parts.emplace_back();
    parts.back().id = std::string(id);
    return parts.back();
}

}  // namespace

std::vector<KnownVelocity> read_log(const fs::path& path, Notes& notes) {
    const CsvTable table(path);
    const PointColumns points(table, "");
    const std::size_t velocity = table.column("velocity");
    const std::size_t error = table.column("error");
    constexpr std::array<std::string_view, 5> used = {"x", "y", "z", "velocity", "error"};
    note_others(table, used, "a log has x,y,z,velocity,error", notes);
    std::vector<KnownVelocity> out;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        out.push_back({points(row), table.number(row, velocity), table.number(row, error)});
    }
    return out;
}

std::vector<KnownRegion> read_regions(const fs::path& path, Notes& notes) {
    const CsvTable table(path);
    const PointColumns points(table, "");
    const std::size_t id = table.column("region");
    const std::size_t velocity = table.column("velocity");
    const std::size_t error = table.column("error");
    constexpr std::array<std::string_view, 5> used = {"region", "x", "z", "velocity", "error"};
    note_others(table, used, "regions have region,x,z,velocity,error", notes);
    std::vector<KnownRegion> out;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        KnownRegion& region = known_part(out, table.text(row, id));
        const double v = table.number(row, velocity);
        const double e = table.number(row, error);
        const bool same = region.velocity == v && region.error == e;
        if (!region.corners.empty() && !same) {
            throw InputError(fmt::format(
                "{}region '{}' has velocity {} and error {} here and {} and {} before (all rows of "
                "a region must have the same)",
                table.where(row), region.id, v, e, region.velocity, region.error));
        }
        region.velocity = v;
        region.error = e;
        region.corners.push_back(points(row));
    }
    return out;
}

std::vector<KnownInterface> read_interfaces(const fs::path& path, Notes& notes) {
    const CsvTable table(path);
    const PointColumns points(table, "");
    const auto id = table.find_column("interface");
    constexpr std::array<std::string_view, 4> used = {"interface", "x", "y", "z"};
    note_others(table, used, "interfaces have interface,x,y,z", notes);
    std::vector<KnownInterface> out;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        known_part(out, id ? table.text(row, *id) : "interface").points.push_back(points(row));
    }
    return out;
}

}  // namespace fermat
