#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <vector>

#include "core/error.hpp"
#include "io/atomic_file.hpp"
#include "io/layered_io.hpp"
#include "phases/layer_sample.hpp"

namespace fermat {
namespace {

namespace fs = std::filesystem;

constexpr double air_velocity = 0.33;  // km/s

/// The velocity of a first layer that is water: one between 1.4 and 1.6 km/s.
std::optional<double> water_of(const LayeredMedium& medium) {
    if (medium.layer_count() < 2) return std::nullopt;
    const auto& velocity = medium.layers().front().p.velocity();
    const float first = velocity[0];
    for (std::size_t n = 0; n < velocity.size(); ++n) {
        if (std::fabs(velocity[n] - first) > 1e-4F * first) return std::nullopt;
    }
    return first > 1.4F && first < 1.6F ? std::optional<double>(first) : std::nullopt;
}

}  // namespace

void write_smesh_layers(const fs::path& path, const fs::path& reflector,
                        const LayeredMedium& medium, const std::string& reflecting, Notes& notes) {
    const Grid& grid = medium.grid();
    const std::string quoted = fmt::format("'{}'", path.string());
    if (!grid.is_2d() || !medium.layers().front().p.is_plain()) {
        throw InputError(fmt::format(
            "cannot write {} (a mesh of tomo2d is a section of x and z, and the medium is not)",
            quoted));
    }
    const std::optional<double> water = water_of(medium);
    const int ground = water ? 1 : 0;  // the interface from which the mesh hangs
    const int lowest = medium.layer_count() - 1;
    const int reflects = reflecting.empty() ? lowest : medium.interface_of(reflecting);
    if (reflects <= ground) {
        throw InputError(
            fmt::format("cannot write {} (the medium has no interface below '{}' that "
                        "could be tomo2d's reflector)",
                        quoted, medium.top_of(ground).id()));
    }
    const int columns = grid.shape.x;
    std::vector<double> depth(static_cast<std::size_t>(columns));
    for (int i = 0; i < columns; ++i) {
        depth[static_cast<std::size_t>(i)] =
            medium.top_of(ground).depth_at(grid.coordinate(0, i), 0);
    }
    const double bottom = grid.coordinate(2, grid.shape.z - 1);
    const double height = bottom - *std::min_element(depth.begin(), depth.end());
    const int rows = static_cast<int>(std::floor(height / grid.spacing.z + 1e-6)) + 1;
    if (rows < 2) throw InputError(fmt::format("cannot write {} (its ground is too deep)", quoted));
    std::string mesh =
        fmt::format("{} {} {:.6g} {:.6g}\n", columns, rows, water.value_or(1.5), air_velocity);
    const auto add_line = [&](int count, auto value) {
        for (int n = 0; n < count; ++n) {
            fmt::format_to(std::back_inserter(mesh), "{}{:.6f}", n == 0 ? "" : " ", value(n));
        }
        mesh += '\n';
    };
    add_line(columns, [&](int i) { return grid.coordinate(0, i); });
    add_line(columns, [&](int i) { return depth[static_cast<std::size_t>(i)]; });
    add_line(rows, [&](int k) { return k * grid.spacing.z; });
    std::size_t smeared = 0;
    for (int i = 0; i < columns; ++i) {
        const double x = grid.coordinate(0, i);
        int before = ground;
        add_line(rows, [&](int k) {
            const double z = depth[static_cast<std::size_t>(i)] + k * grid.spacing.z;
            int layer = ground;
            while (layer < lowest && z >= medium.top_of(layer + 1).depth_at(x, 0) - 1e-9) ++layer;
            const auto velocity = [&](int of) {
                const auto& model = medium.layers()[static_cast<std::size_t>(of)].p;
                return velocity_sample(grid, model.velocity().data(), {x, grid.origin.y, z}).v;
            };
            const double v = velocity(layer);
            smeared += layer != before && std::fabs(velocity(before) / v - 1) > 1e-3;
            before = layer;
            return v;
        });
    }
    std::string line;
    for (int i = 0; i < columns; ++i) {
        const double x = grid.coordinate(0, i);
        fmt::format_to(std::back_inserter(line), "{:.6f} {:.6f}\n", x,
                       medium.top_of(reflects).depth_at(x, 0));
    }
    OutputFile mesh_file(path);
    mesh_file.write(mesh);
    OutputFile line_file(reflector);
    line_file.write(line);
    mesh_file.commit();
    line_file.commit();
    const int others = lowest - ground - 1;
    const auto s_layers = std::count_if(medium.layers().begin(), medium.layers().end(),
                                        [](const Layer& layer) { return layer.s.has_value(); });
    std::string lost;
    const auto add = [&](std::string words) { lost += (lost.empty() ? "" : "; ") + words; };
    if (smeared > 0) {
        add(fmt::format("at {} places a jump of velocity is a slope over one row of {:g}", smeared,
                        grid.spacing.z));
    }
    if (others > 0) {
        add(fmt::format("{} interfaces besides '{}' are left out", others,
                        medium.top_of(reflects).id()));
    }
    if (s_layers > 0) add(fmt::format("velocities of S of {} layers are left out", s_layers));
    if (!lost.empty()) {
        notes.add(
            fmt::format("{}: a mesh of tomo2d has one velocity of P without jumps and one "
                        "reflector: {}",
                        quoted, lost));
    }
}

}  // namespace fermat
