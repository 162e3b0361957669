#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "io/layer_samples.hpp"
#include "io/layered_io.hpp"
#include "io/model_formats.hpp"
#include "io/number_lines.hpp"
#include "model/place.hpp"

namespace fermat {
namespace {

/// Numbers one after another, whatever their lines.
class NumberStream {
  public:
    explicit NumberStream(const TextFile& file) : lines_(file) {}

    double next(std::string_view what) {
        if (at_ == words_.size()) {
            words_ = lines_.need(what);
            at_ = 0;
        }
        return lines_.finite(words_, at_++, what);
    }
    std::size_t count(std::string_view what) {
        if (at_ == words_.size()) {
            words_ = lines_.need(what);
            at_ = 0;
        }
        return lines_.count(words_, at_++, what);
    }
    std::vector<double> take(std::size_t count, std::string_view what) {
        std::vector<double> values(count);
        for (double& value : values) value = next(what);
        return values;
    }
    NumberLines& lines() { return lines_; }

  private:
    NumberLines lines_;
    std::vector<std::string_view> words_{};
    std::size_t at_ = 0;
};

/// Where a coordinate lies between those of nodes: the node before it, and the part of the step.
std::pair<std::size_t, double> place_among(const std::vector<double>& nodes, double at) {
    const auto after = std::upper_bound(nodes.begin() + 1, nodes.end() - 1, at);
    const auto n = static_cast<std::size_t>(after - nodes.begin()) - 1;
    const double part = (at - nodes[n]) / (nodes[n + 1] - nodes[n]);
    return {n, std::clamp(part, 0.0, 1.0)};
}

void require_growth(const NumberLines& lines, const std::vector<double>& nodes,
                    std::string_view what) {
    for (std::size_t n = 1; n < nodes.size(); ++n) {
        if (nodes[n] > nodes[n - 1]) continue;
        lines.fail(fmt::format("{} {} follows {} (they must grow)", what, nodes[n], nodes[n - 1]));
    }
}

/// tomo2d's mesh (Korenaga et al. 2000), in km and km/s: numbers of nodes along x and z, the
/// velocities of water and of air, x of the columns, the depth of the ground below each, depths of
/// nodes below the ground, then the velocities of each column downwards. Above the ground lies
/// water where the depth is > 0, and air else.
struct Smesh {
    double water = 0;
    std::vector<double> x{};
    std::vector<double> ground{};
    std::vector<double> z{};
    std::vector<double> velocity{};

    double ground_at(double across) const {
        const auto [n, part] = place_among(x, across);
        return (1 - part) * ground[n] + part * ground[n + 1];
    }
    /// Velocity of the mesh at a depth below the ground.
    double below_ground(double across, double depth) const {
        const auto [n, part] = place_among(x, across);
        const auto [k, down] = place_among(z, depth);
        const auto along = [&, k = k, down = down](std::size_t column) {
            const double* const v = &velocity[column * z.size() + k];
            return (1 - down) * v[0] + down * v[1];
        };
        return (1 - part) * along(n) + part * along(n + 1);
    }
    bool has_water() const {
        return std::any_of(ground.begin(), ground.end(), [](double depth) { return depth > 0; });
    }
    Vec3 from() const {
        return {x.front(), 0, std::min(*std::min_element(ground.begin(), ground.end()), 0.0)};
    }
    Vec3 to() const {
        return {x.back(), 0, *std::max_element(ground.begin(), ground.end()) + z.back()};
    }
};

Smesh read_mesh(const TextFile& file) {
    NumberStream numbers(file);
    const std::size_t columns = numbers.count("the number of columns");
    const std::size_t rows = numbers.count("the number of rows");
    Smesh mesh;
    mesh.water = numbers.next("the velocity of water");
    numbers.next("the velocity of air");
    if (columns < 2 || rows < 2 || columns * rows > file.text().size()) {
        numbers.lines().fail(
            fmt::format("the mesh has {} columns and {} rows (both must be > 1 "
                        "and their values must fit the file)",
                        columns, rows));
    }
    mesh.x = numbers.take(columns, "x of a column");
    require_growth(numbers.lines(), mesh.x, "x");
    mesh.ground = numbers.take(columns, "the depth of the ground");
    mesh.z = numbers.take(rows, "the depth of a row");
    require_growth(numbers.lines(), mesh.z, "the depth");
    mesh.velocity = numbers.take(columns * rows, "a velocity");
    return mesh;
}

Model read_smesh(const TextFile& file, const ModelFileOptions& options, Notes& notes) {
    const Smesh mesh = read_mesh(file);
    const auto at = [&](double across, double depth) {
        const double below = depth - mesh.ground_at(across);
        if (below < -1e-9 * (mesh.z.back() - mesh.z.front())) {
            return depth >= 0 ? mesh.water : 0.0;
        }
        return mesh.below_ground(across, below);
    };
    return sampled_section(file, mesh.from(), mesh.to(), "columns that hang from the ground", at,
                           options, notes);
}

/// tomo2d's reflector: lines of x and depth.
std::vector<Vec3> read_reflector(const std::filesystem::path& path) {
    const TextFile file = path;
    NumberLines lines(file);
    std::vector<Vec3> points;
    for (auto words = lines.next(); !words.empty(); words = lines.next()) {
        points.push_back({lines.finite(words, 0, "x"), 0, lines.finite(words, 1, "the depth")});
    }
    if (points.empty()) lines.fail("the file has no points (must be lines of x and depth)");
    return points;
}

}  // namespace

LayeredMedium read_smesh_layers(const TextFile& file, const LayeredReadOptions& options,
                                Notes& notes) {
    if (!options.interfaces) {
        throw InputError(
            fmt::format("{} has no reflector (give tomo2d's file of x and depth as `interfaces`)",
                        file.quoted()));
    }
    const Smesh mesh = read_mesh(file);
    const Grid grid = section_grid(file, mesh.from(), mesh.to(), options.spacing);
    return named_by_file(file, [&] {
        const Place place(grid);
        const auto surface_of = [&](const char* id, auto depth) {
            std::vector<Vec3> points;
            for (int i = 0; i < grid.shape.x; ++i) {
                const double x = std::min(grid.coordinate(0, i), mesh.x.back());
                points.push_back({grid.coordinate(0, i), 0, depth(mesh.ground_at(x))});
            }
            return Interface::of_points(id, points, place, InterfaceShape::linear);
        };
        std::vector<Interface> interfaces;
        std::vector<Layer> layers;
        if (mesh.has_water()) {
            interfaces.push_back(surface_of("surface", [](double z) { return std::min(z, 0.0); }));
            layers.push_back({section_model(grid, [&](double, double) { return mesh.water; })});
        }
        interfaces.push_back(
            surface_of(mesh.has_water() ? "seafloor" : "surface", [](double z) { return z; }));
        interfaces.push_back(Interface::of_points("reflector", read_reflector(*options.interfaces),
                                                  place, InterfaceShape::linear));
        const Model rock = section_model(grid, [&](double x, double z) {
            const double below = z - mesh.ground_at(std::min(x, mesh.x.back()));
            if (below >= mesh.z.front()) return mesh.below_ground(x, below);
            return continued_velocity({mesh.z[0], mesh.below_ground(x, mesh.z[0])},
                                      {mesh.z[1], mesh.below_ground(x, mesh.z[1])}, below,
                                      grid.spacing.z);
        });
        // The mesh goes on below the reflector, which floats in it.
        layers.push_back({rock});
        layers.push_back({rock});
        notes.add(fmt::format(
            "{}: {} layers on a grid of {:g} and {:g} (`spacing` chooses other steps); the mesh "
            "goes on below the interface 'reflector' (`names` chooses other ids, such as moho)",
            file.quoted(), layers.size(), grid.spacing.x, grid.spacing.z));
        return LayeredMedium(std::move(interfaces), std::move(layers));
    });
}

const ModelFormat smesh_model{".smesh",
                              ToldOfModel::grid,
                              true,
                              [](const TextFile& file) {
                                  return lower_input_name(file.path()).find("smesh") !=
                                         std::string::npos;
                              },
                              read_smesh,
                              nullptr,
                              "",
                              false};

}  // namespace fermat
