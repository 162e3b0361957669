#include "survey/above_ground.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace fermat {

void note_above_ground(const Model& model, std::span<const Vec3> points, std::string_view what,
                       Notes& notes) {
    const Mapping& mapping = model.mapping();
    if (!mapping.follows_ground()) return;
    const Grid& grid = model.grid();
    const double least = 1e-6 * grid.spacing.z;  // rounding
    std::size_t above = 0;
    double most = 0;
    for (const Vec3 point : points) {
        const Vec3 q = model.place().grid_point(point);
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
