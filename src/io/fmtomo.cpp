#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>

#include "io/model_formats.hpp"
#include "io/number_lines.hpp"
#include "model/metric_makers.hpp"

namespace fermat {
namespace {

constexpr double radius = 6371;  // km, FMTOMO's Earth
constexpr double degrees_per_radian = 180 / std::numbers::pi;

/// Coefficients of cubic B-splines at nodes: at a node, a sixth of both neighbours' and two thirds
/// of its own.
constexpr std::array<double, 3> spline = {1.0 / 6, 4.0 / 6, 1.0 / 6};

/// FMTOMO's `vgrids.in` (Rawlinson & Urvoy 2006): the numbers of grids and of wave types; then per
/// grid the numbers of nodes along radius, latitude and longitude, their steps (km, radians), the
/// first node, and one velocity per line, with longitude fastest and radius slowest. The numbers
/// are coefficients of cubic B-splines, whose outermost nodes lie beyond the model.
Model read_vgrids(const TextFile& file, const ModelFileOptions&, Notes& notes) {
    NumberLines lines(file);
    const auto head = lines.need("the number of grids");
    const std::size_t grids = lines.count(head, 0, "the number of grids");
    const std::size_t types = lines.count(head, 1, "the number of wave types");
    if (grids == 0 || types == 0) lines.fail("there is no grid");
    std::array<std::size_t, 3> nodes{};
    const auto counts = lines.need("the numbers of nodes");
    double all = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        nodes[axis] = lines.count(counts, axis, "the number of nodes");
        all *= static_cast<double>(nodes[axis]);
        if (nodes[axis] < 4) {
            lines.fail(
                fmt::format("there are {} nodes along an axis (splines need 4)", nodes[axis]));
        }
    }
    if (all > static_cast<double>(file.text().size())) lines.fail("the file is too short");
    const auto steps = lines.need("the steps");
    const auto first = lines.need("the first node");
    const auto number = [&](const std::vector<std::string_view>& words, std::size_t axis) {
        return lines.finite(words, axis, "a coordinate") * (axis == 0 ? 1 : degrees_per_radian);
    };
    std::vector<double> values(nodes[0] * nodes[1] * nodes[2]);
    for (double& value : values) value = lines.finite(lines.need("a velocity"), 0, "the velocity");
    const auto coefficient = [&](std::size_t r, std::size_t lat, std::size_t lon) {
        return values[(r * nodes[1] + lat) * nodes[2] + lon];
    };
    const auto inner = [&](std::size_t axis) { return static_cast<int>(nodes[axis]) - 2; };
    Grid grid;
    grid.shape = {inner(1), inner(2), inner(0)};
    grid.spacing = {number(steps, 1), number(steps, 2), number(steps, 0)};
    const double highest = number(first, 0) + number(steps, 0) * static_cast<double>(nodes[0] - 2);
    grid.origin = {number(first, 1) + grid.spacing.x, number(first, 2) + grid.spacing.y,
                   radius - highest};
    return named_by_file(file, [&] {
        validate(grid);
        Field<float> velocity(grid.shape);
        for (int x = 0; x < grid.shape.x; ++x) {
            for (int y = 0; y < grid.shape.y; ++y) {
                for (int z = 0; z < grid.shape.z; ++z) {
                    const std::size_t r = nodes[0] - 2 - static_cast<std::size_t>(z);
                    double sum = 0;
                    for (std::size_t i = 0; i < 3; ++i) {
                        for (std::size_t j = 0; j < 3; ++j) {
                            for (std::size_t k = 0; k < 3; ++k) {
                                sum += spline[i] * spline[j] * spline[k] *
                                       coefficient(r + i - 1, static_cast<std::size_t>(x) + j,
                                                   static_cast<std::size_t>(y) + k);
                            }
                        }
                    }
                    velocity(x, y, z) = static_cast<float>(sum);
                }
            }
        }
        notes.add(fmt::format(
            "{}: its splines were evaluated at their inner nodes, and a model of latitude, "
            "longitude and depth was made (the outermost nodes lie beyond the model)",
            file.quoted()));
        if (grids * types > 1) {
            notes.add(
                fmt::format("{}: the first of {} grids was read (layers and wave types are "
                            "single models here)",
                            file.quoted(), grids * types));
        }
        return spherical_model(Model(grid, std::move(velocity)), radius, false);
    });
}

}  // namespace

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
