#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/model_formats.hpp"

namespace fermat {
namespace {

/// 1, 2 or 5 times a power of ten, at most `length`.
double round_below(double length) {
    const double power = std::pow(10.0, std::floor(std::log10(length)));
    for (const double factor : {5.0, 2.0}) {
        if (factor * power <= length * (1 + 1e-9)) return factor * power;
    }
    return power;
}

/// The number of steps that reach from one end to the other.
int steps_between(double from, double to, double step) {
    constexpr double most = 1 << 20;
    const double count = std::round((to - from) / step);
    if (!(count >= 1 && count <= most)) {
        throw InputError(fmt::format("the spacing {:g} is too {} for the {:g} from {:g} to {:g}",
                                     step, count < 1 ? "large" : "small", to - from, from, to));
    }
    return static_cast<int>(count);
}

}  // namespace

Model of_samples(const TextFile& file, Grid points, Field<float> velocity,
                 const ModelReadOptions& options) {
    const Placement placement = options.placement.value_or(Placement::nodes);
    if (options.spacing) points.spacing = *options.spacing;
    if (options.origin) points.origin = *options.origin;
    const bool is_2d = points.shape.y == 1;
    if (is_2d) points.spacing.y = 1;
    return named_by_file(file, [&] {
        validate(points);
        Grid grid = points;
        if (placement == Placement::cells) {
            grid.shape = node_shape(points.shape, is_2d, placement);
            if (!options.origin) {
                grid.origin = grid.origin_before_middles();
                if (is_2d) grid.origin.y = points.origin.y;
            }
        }
        return make_model(grid, std::move(velocity), placement);
    });
}

Grid section_grid(const TextFile& file, Vec3 from, Vec3 to, const std::optional<Vec3>& spacing) {
    if (!(to.x > from.x && to.z > from.z)) {
        throw InputError(
            fmt::format("{} reaches from x = {:g}, z = {:g} to {:g}, {:g} (must have "
                        "a width and a height)",
                        file.quoted(), from.x, from.z, to.x, to.z));
    }
    const double usual = round_below((to.z - from.z) / 100);
    const Vec3 step = spacing.value_or(Vec3{usual, 1, usual});
    if (!(step.x > 0 && step.z > 0)) throw InputError("the spacing must be > 0");
    return named_by_file(file, [&] {
        const Grid grid{
            {steps_between(from.x, to.x, step.x) + 1, 1, steps_between(from.z, to.z, step.z) + 1},
            {from.x, 0, from.z},
            {step.x, 1, step.z}};
        validate(grid);
        return grid;
    });
}

Model sampled_section(const TextFile& file, Vec3 from, Vec3 to, std::string_view what,
                      const std::function<double(double, double)>& velocity,
                      const ModelReadOptions& options, Notes& notes) {
    if (options.origin) {
        throw InputError(fmt::format("{} has its own origin (leave it out)", file.quoted()));
    }
    const Grid grid = section_grid(file, from, to, options.spacing);
    const Vec3 step = grid.spacing;
    return named_by_file(file, [&] {
        const Placement placement = options.placement.value_or(Placement::nodes);
        const Grid points = sample_points(grid, placement);
        Field<float> values(points.shape);
        for (int x = 0; x < points.shape.x; ++x) {
            for (int z = 0; z < points.shape.z; ++z) {
                const double at = std::min(points.coordinate(0, x), to.x);
                const double depth = std::min(points.coordinate(2, z), to.z);
                values(x, 0, z) = static_cast<float>(velocity(at, depth));
            }
        }
        notes.add(
            fmt::format("{}: {} were sampled {} every {:g} and {:g} (`spacing` chooses "
                        "other steps; between samples a jump is a slope)",
                        file.quoted(), what,
                        placement == Placement::nodes ? "at nodes" : "in cells", step.x, step.z));
        return make_model(grid, std::move(values), placement);
    });
}

}  // namespace fermat
