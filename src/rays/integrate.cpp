#include "rays/integrate.hpp"

#include "rays/segments.hpp"

namespace fermat {

PathIntegral integrate_path(const Model& model, std::span<const Vec3> path) {
    const Grid& grid = model.grid();
    const auto velocity = model.velocity();
    PathIntegral sum;
    for (std::size_t p = 0; p + 1 < path.size(); ++p) {
        sum.length += distance(path[p], path[p + 1]);
        for_each_piece(grid, path[p], path[p + 1], [&](const Piece& piece) {
            sum.time += CellSlowness(grid, velocity, piece.cell).piece_time(piece);
        });
    }
    return sum;
}

}  // namespace fermat
