#include "survey/above_ground.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/metric.hpp"

namespace fermat {

void note_above_ground(const Model& model, std::span<const Vec3> points, std::string_view what,
                       Notes& notes) {
    if (!model.metric() || model.metric()->coordinates().system != Coordinates::terrain) return;
    const Mapping& mapping = model.metric()->mapping();
    const Grid& grid = model.grid();
    const double least = 1e-6 * grid.spacing.z;  // rounding
    std::size_t above = 0;
    double most = 0;
    for (Vec3 point : points) {
        if (grid.is_2d()) point.y = grid.origin.y;
        const Vec3 q = mapping.to_grid(point);
        if (!grid.contains(q)) continue;  // refused elsewhere
        const double lift = mapping.to_user(grid.clamp(q)).z - point.z;
        if (lift <= least) continue;
        ++above;
        most = std::max(most, lift);
    }
    if (above == 0) return;
    notes.add(fmt::format(
        "{} of {} {} lie above the model's ground, by up to {:.3g}, and count as on it (it is "
        "straight between nodes: finer `spacing` follows it closer)",
        above, points.size(), what, most));
}

}  // namespace fermat
