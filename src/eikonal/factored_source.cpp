#include "eikonal/factored_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.hpp"
#include "eikonal/source_paths.hpp"
#include "model/velocity_check.hpp"

namespace fermat {
namespace {

/// Mean slowness of the multilinear model along the line from the source to a node, by Simpson's
/// rule on each half. The rule is exact for cubic functions.
double mean_slowness(const Model& model, Vec3 from, Vec3 to) {
    constexpr double weights[] = {1, 4, 2, 4, 1};
    double sum = 0;
    for (int i = 0; i < 5; ++i)
        sum += weights[i] * slowness_at(model, from + (i / 4.0) * (to - from));
    return sum / 12;
}

InputError in_the_air(const Grid& grid, Vec3 position) {
    return InputError(fmt::format("source at {} is in air (move it below the surface)",
                                  to_string(grid, position)));
}

}  // namespace

FactoredSource factor_source(const Model& model, Vec3 position) {
    // All solvers of isotropic velocity start here.
    require_plain(model, "this computation");
    const Grid& grid = model.grid();
    FactoredSource source;
    source.position = require_rock(model, position, "source");
    source.slowness = slowness_at(model, source.position);
    if (model.jumping_cells().exist()) {
        source.starts = SourcePaths(model, source.position).starts(source.slowness);
        return source;
    }
    const Vec3 at = grid.to_index(source.position);
    Index3 first;
    Index3 last;
    for (int axis = 0; axis < 3; ++axis) {
        constexpr double reach = 1 + 1e-6;
        first[axis] = std::max(0, static_cast<int>(std::ceil(at[axis] - reach)));
        last[axis] = std::min(grid.shape[axis] - 1, static_cast<int>(std::floor(at[axis] + reach)));
    }
    for (int i = first.x; i <= last.x; ++i) {
        for (int j = first.y; j <= last.y; ++j) {
            for (int k = first.z; k <= last.z; ++k) {
                const Index3 node{i, j, k};
                if (model.is_air(node)) continue;
                const double mean = mean_slowness(model, source.position, grid.position(node));
                if (std::isfinite(mean)) source.starts.push_back({node, mean / source.slowness});
            }
        }
    }
    return source;
}

std::vector<PartOfModel> round_sources(const CudaModel& model, std::span<const Vec3> positions) {
    // Start nodes lie within one cell of the source; the nodes that the lines to them read lie
    // within two.
    constexpr int reach = 2;
    const Grid& whole = model.grid();
    std::vector<PartOfModel> parts(positions.size());
    std::vector<NodeBox> boxes;
    for (std::size_t n = 0; n < parts.size(); ++n) {
        PartOfModel& part = parts[n];
        part.source = Place(whole).inside(positions[n], "source");
        const Index3 centre = whole.nearest_node(part.source);
        Index3 last;
        for (int axis = 0; axis < 3; ++axis) {
            part.first[axis] = std::max(0, centre[axis] - reach);
            last[axis] = std::min(whole.shape[axis] - 1, centre[axis] + reach);
        }
        const Index3 first = part.first;
        part.grid = {{last.x - first.x + 1, last.y - first.y + 1, last.z - first.z + 1},
                     whole.position(first),
                     whole.spacing};
        boxes.push_back({first, part.grid.shape});
    }
    std::vector<Field<float>> velocities = model.fetch(boxes);
    for (std::size_t n = 0; n < parts.size(); ++n) {
        parts[n].velocity = std::move(velocities[n]);
        if (!check_velocity(parts[n].velocity).has_rock) throw in_the_air(whole, positions[n]);
    }
    return parts;
}

FactoredSource in_whole_grid(FactoredSource source, const PartOfModel& part) {
    source.position = part.source;
    for (StartNode& start : source.starts) {
        for (int axis = 0; axis < 3; ++axis) start.node[axis] += part.first[axis];
    }
    return source;
}

std::vector<FactoredSource> factor_sources(const CudaModel& model,
                                           std::span<const Vec3> positions) {
    std::vector<FactoredSource> sources;
    for (PartOfModel& part : round_sources(model, positions)) {
        const Model box(part.grid, std::move(part.velocity));
        sources.push_back(in_whole_grid(factor_source(box, part.source), part));
    }
    return sources;
}

void require_crossing_time(const Grid& grid, const FactoredSource& source) {
    constexpr double least = 1e-30;
    constexpr double most = 1e30;
    const double time = smallest_spacing(grid) * source.slowness;
    if (time >= least && time <= most) return;
    throw InputError(fmt::format(
        "the wave takes {:.3g} across a cell at the source (must be between {:.0e} and {:.0e}; use "
        "other units of length or time)",
        time, least, most));
}

double power_of_two_near(double value) { return std::ldexp(1.0, std::ilogb(value)); }

}  // namespace fermat
