#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "io/layered_io.hpp"
#include "io/model_formats.hpp"
#include "io/number_lines.hpp"
#include "io/spline_grid.hpp"
#include "model/metric_makers.hpp"

namespace fermat {
namespace {

constexpr double radius = 6371;  // km, FMTOMO's Earth
constexpr double degrees_per_radian = 180 / std::numbers::pi;

/// A model of latitude, longitude and depth with the values of splines at its nodes.
Model sampled_splines(const Grid& grid, const SplineGrid<3>& splines) {
    Field<float> velocity(grid.shape);
    for (int x = 0; x < grid.shape.x; ++x) {
        for (int y = 0; y < grid.shape.y; ++y) {
            for (int z = 0; z < grid.shape.z; ++z) {
                velocity(x, y, z) =
                    static_cast<float>(splines.at({radius - grid.coordinate(2, z),
                                                   grid.coordinate(0, x), grid.coordinate(1, y)}));
            }
        }
    }
    return spherical_model(Model(grid, std::move(velocity)), radius, false);
}

/// Numbers of nodes, steps and the first node along the axes of a grid, and one value per line.
/// Angles become degrees.
template <std::size_t Axes>
SplineGrid<Axes> read_spline_grid(NumberLines& lines, std::string_view value, std::size_t grids) {
    SplineGrid<Axes> grid;
    const auto counts = lines.need("the numbers of nodes");
    std::size_t all = grids;
    for (std::size_t axis = 0; axis < Axes; ++axis) {
        grid.nodes[axis] = lines.count(counts, axis, "the number of nodes");
        all *= grid.nodes[axis];
        if (grid.nodes[axis] < 4) {
            lines.fail(
                fmt::format("there are {} nodes along an axis (splines need 4)", grid.nodes[axis]));
        }
        if (all > lines.characters()) lines.fail("the file is too short");
    }
    const auto steps = lines.need("the steps");
    const auto first = lines.need("the first node");
    for (std::size_t axis = 0; axis < Axes; ++axis) {
        const double unit = Axes == 3 && axis == 0 ? 1 : degrees_per_radian;
        grid.step[axis] = unit * lines.finite(steps, axis, "a coordinate");
        grid.first[axis] = unit * lines.finite(first, axis, "a coordinate");
        if (!(grid.step[axis] > 0)) lines.fail("a step is not > 0");
    }
    grid.values.resize(all);
    for (double& one : grid.values) one = lines.finite(lines.need(value), 0, value);
    return grid;
}

/// FMTOMO's `vgrids.in`: the numbers of grids and of wave types; then per grid the numbers of nodes
/// along radius, latitude and longitude, their steps (km, radians), the first node, and one
/// velocity per line, with longitude fastest and radius slowest.
struct VelocityGrids {
    std::size_t layers = 0;
    std::size_t types = 0;
    std::vector<SplineGrid<3>> grids{};  ///< at most `most` were read
};

VelocityGrids read_velocity_grids(const TextFile& file, std::size_t most) {
    NumberLines lines(file);
    const auto head = lines.need("the number of grids");
    VelocityGrids out;
    out.layers = lines.count(head, 0, "the number of grids");
    out.types = lines.count(head, 1, "the number of wave types");
    if (out.layers == 0 || out.types == 0) lines.fail("there is no grid");
    for (std::size_t n = 0; n < std::min(most, out.layers * out.types); ++n) {
        out.grids.push_back(read_spline_grid<3>(lines, "a velocity", 1));
    }
    return out;
}

Model read_vgrids(const TextFile& file, const ModelFileOptions&, Notes& notes) {
    const VelocityGrids found = read_velocity_grids(file, 1);
    const SplineGrid<3>& splines = found.grids.front();
    const auto inner = [&](std::size_t axis) { return static_cast<int>(splines.nodes[axis]) - 2; };
    Grid grid;
    grid.shape = {inner(1), inner(2), inner(0)};
    grid.spacing = {splines.step[1], splines.step[2], splines.step[0]};
    grid.origin = {splines.low(1), splines.low(2), radius - splines.high(0)};
    return named_by_file(file, [&] {
        validate(grid);
        notes.add(fmt::format(
            "{}: its splines were evaluated at their inner nodes, and a model of latitude, "
            "longitude and depth was made (the outermost nodes lie beyond the model)",
            file.quoted()));
        if (found.layers * found.types > 1) {
            notes.add(
                fmt::format("{}: the first of {} grids was read (layers and wave types are "
                            "single models here)",
                            file.quoted(), found.layers * found.types));
        }
        return sampled_splines(grid, splines);
    });
}

/// FMTOMO's `interfaces.in`: the number of interfaces, then a grid of latitude and longitude that
/// all share, and radii of one interface after another. The lowest is the bottom of the model.
std::vector<SplineGrid<2>> read_interfaces(const TextFile& file) {
    NumberLines lines(file);
    const std::size_t count =
        lines.count(lines.need("the number of interfaces"), 0, "the number of interfaces");
    if (count < 2)
        lines.fail("there are fewer than two interfaces (a layer has a top and a bottom)");
    SplineGrid<2> all = read_spline_grid<2>(lines, "a radius", count);
    const std::size_t each = all.nodes[0] * all.nodes[1];
    std::vector<SplineGrid<2>> out(count, SplineGrid<2>{all.nodes, all.step, all.first, {}});
    for (std::size_t n = 0; n < count; ++n) {
        const double* const from = all.values.data() + n * each;
        out[n].values.assign(from, from + each);
    }
    return out;
}

/// The grid of a layered medium: that of the inner nodes of all splines, with the least steps, or
/// those of a user.
Grid common_grid(const VelocityGrids& found, const std::vector<SplineGrid<2>>& surfaces,
                 const std::optional<Vec3>& spacing) {
    const auto& shared = surfaces.front();
    std::array<double, 3> low{shared.low(0), shared.low(1), 1e30};
    std::array<double, 3> high{shared.high(0), shared.high(1), -1e30};
    std::array<double, 3> step{1e30, 1e30, 1e30};
    for (const SplineGrid<3>& grid : found.grids) {
        for (std::size_t axis : {0, 1}) {
            low[axis] = std::max(low[axis], grid.low(axis + 1));
            high[axis] = std::min(high[axis], grid.high(axis + 1));
            step[axis] = std::min(step[axis], grid.step[axis + 1]);
        }
        step[2] = std::min(step[2], grid.step[0]);
    }
    // Splines lie between the least and the greatest of their coefficients.
    for (const double r : surfaces.front().values) low[2] = std::min(low[2], radius - r);
    for (const double r : surfaces.back().values) high[2] = std::max(high[2], radius - r);
    if (spacing) step = {spacing->x, spacing->y, spacing->z};
    std::array<int, 3> count{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (!(step[axis] > 0) || !(high[axis] - low[axis] >= 0.5 * step[axis])) {
            throw InputError(fmt::format(
                "the grids of velocity and of interfaces share {:g} to {:g} along an axis, with "
                "steps of {:g} (must be at least one step)",
                low[axis], high[axis], step[axis]));
        }
        const double steps = std::round((high[axis] - low[axis]) / step[axis]);
        if (steps > 1 << 20) throw InputError("the spacing is too small for the model");
        count[axis] = static_cast<int>(steps) + 1;
        step[axis] = (high[axis] - low[axis]) / steps;
    }
    const Grid grid{
        {count[0], count[1], count[2]}, {low[0], low[1], low[2]}, {step[0], step[1], step[2]}};
    validate(grid);
    return grid;
}

}  // namespace

LayeredMedium read_fmtomo_layers(const TextFile& file, const LayeredReadOptions& options,
                                 Notes& notes) {
    const TextFile other = options.interfaces.value_or(file.path().parent_path() / "interfaces.in");
    const VelocityGrids found = read_velocity_grids(file, std::numeric_limits<std::size_t>::max());
    const std::vector<SplineGrid<2>> surfaces = read_interfaces(other);
    if (surfaces.size() != found.layers + 1) {
        throw InputError(
            fmt::format("{} has {} interfaces for the {} layers of {} (must be one more)",
                        other.quoted(), surfaces.size(), found.layers, file.quoted()));
    }
    return named_by_file(file, [&] {
        const Grid grid = common_grid(found, surfaces, options.spacing);
        std::vector<Interface> interfaces;
        std::vector<Layer> layers;
        int raised = 0;
        const Lattice at{grid.origin.x,  grid.origin.y, grid.spacing.x,
                         grid.spacing.y, grid.shape.x,  grid.shape.y};
        for (std::size_t n = 0; n < found.layers; ++n) {
            std::vector<double> depth;
            for (int i = 0; i < at.nx; ++i) {
                for (int j = 0; j < at.ny; ++j) {
                    depth.push_back(radius - surfaces[n].at({at.x(i), at.y(j)}));
                    if (n == 0) continue;
                    const double above = interfaces.back().depth()[depth.size() - 1];
                    raised += depth.back() < above ? 1 : 0;
                    depth.back() = std::max(depth.back(), above);
                }
            }
            interfaces.emplace_back(n == 0 ? "surface" : fmt::format("{}", n), at,
                                    std::move(depth));
            Layer layer{sampled_splines(grid, found.grids[n])};
            if (found.types > 1) layer.s = sampled_splines(grid, found.grids[found.layers + n]);
            layers.push_back(std::move(layer));
        }
        notes.add(fmt::format(
            "{}: {} layers and their interfaces were sampled every {:g} and {:g} degrees and {:g} "
            "km (`spacing` chooses other steps); interfaces are called surface, 1, 2, ... (`names` "
            "chooses other ids, such as moho)",
            file.quoted(), found.layers, grid.spacing.x, grid.spacing.y, grid.spacing.z));
        if (raised > 0) {
            notes.add(fmt::format(
                "{}: at {} points an interface lay above the one before; there both touch, as in "
                "FMTOMO",
                other.quoted(), raised));
        }
        return LayeredMedium(std::move(interfaces), std::move(layers));
    });
}

const ModelFormat fmtomo_model{"",
                               ToldOfModel::nothing,
                               true,
                               [](const TextFile& file) {
                                   const std::string name = lower_input_name(file.path());
                                   return name.starts_with("vgrids") && name.ends_with(".in");
                               },
                               read_vgrids,
                               nullptr,
                               "",
                               false};

}  // namespace fermat
