#include "rays/integrate.hpp"

#include "rays/segments.hpp"

namespace fermat {

namespace {

/// Asks for the velocities of a point's cell ahead of their use.
[[gnu::always_inline]] inline void prefetch_cell(const Grid& grid, FieldView<const float> velocity,
                                                 Vec3 point) {
    const Index3 cell = locate(grid, point).cell;
    const int corners_y = grid.is_2d() ? 1 : 2;
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < corners_y; ++j) {
            __builtin_prefetch(&velocity(cell.x + i, cell.y + j, cell.z));
        }
    }
}

}  // namespace

PathIntegral integrate_path(const Model& model, std::span<const Vec3> path) {
    const Grid& grid = model.grid();
    const auto velocity = model.velocity();
    PathIntegral sum;
    for (std::size_t p = 0; p + 1 < path.size(); ++p) {
        // From cell to cell a ray reads far apart in memory, but where it leads is known.
        constexpr std::size_t ahead = 3;
        if (p + ahead + 1 < path.size()) {
            const Vec3 from = path[p + ahead];
            const Vec3 to = path[p + ahead + 1];
            for (const double part : {0.25, 0.5, 0.75, 1.0}) {
                prefetch_cell(grid, velocity, from + part * (to - from));
            }
        }
        sum.length += distance(path[p], path[p + 1]);
        for_each_piece(grid, path[p], path[p + 1], [&](const Piece& piece) {
            sum.time += CellSlowness(grid, velocity, piece.cell).piece_time(piece);
        });
    }
    return sum;
}

std::vector<double> times_along(const Model& model, const RaySet& rays) {
    std::vector<double> times;
    times.reserve(rays.points.size());
    for (std::size_t r = 0; r < rays.size(); ++r) {
        const auto path = rays.path(r);
        double time = rays.rays[r].time;
        for (std::size_t p = 0; p < path.size(); ++p) {
            times.push_back(time);
            if (p + 1 < path.size()) time -= integrate_path(model, path.subspan(p, 2)).time;
        }
    }
    return times;
}

}  // namespace fermat
