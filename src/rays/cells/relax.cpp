#include "rays/cells/relax.hpp"

#include <span>

#include "eikonal/cells/path.hpp"
#include "rays/cells/line.hpp"
#include "rays/integrate.hpp"
#include "rays/segments.hpp"

namespace fermat {
namespace {

/// Cuts the line into pieces by the cells whose velocity counts along them. Successive pieces of
/// one cell are merged.
CellPath cut_by_cells(const Grid& grid, const CellsView<>& cells, std::span<const Vec3> line) {
    CellPath path;
    path.points.push_back(line.front());
    for (std::size_t n = 0; n + 1 < line.size(); ++n) {
        for_each_piece(grid, line[n], line[n + 1], [&](const Piece& piece) {
            const Index3 cell = cell_taken(grid, cells, piece);
            Vec3 end = grid.point_in_cell(piece.cell, piece.to);
            if (grid.is_2d()) end.y = line[n].y;
            if (!path.cells.empty() && path.cells.back() == cell) {
                path.points.back() = end;
            } else {
                path.cells.push_back(cell);
                path.points.push_back(end);
            }
        });
    }
    path.points.back() = line.back();
    return path;
}

/// Where the ray stays near the source, replaces its end by the shortest path if that is earlier.
void take_shortest_end(const Model& model, const SourcePaths& near, std::vector<Vec3>& points,
                       std::size_t first) {
    std::size_t n = points.size();
    while (n > first && near.reaches(points[n - 1])) --n;
    if (n == points.size()) return;
    std::vector<Vec3> way = near.way_from(points[n]);
    if (way.empty()) return;
    way.insert(way.begin(), points[n]);
    const auto end = std::span(points).subspan(n);
    if (!(integrate_path(model, way).time < integrate_path(model, end).time)) return;
    points.resize(n);
    points.insert(points.end(), way.begin(), way.end());
}

}  // namespace

void settle_in_cells(const Model& model, const SourcePaths& near, std::vector<Vec3>& points,
                     std::size_t first) {
    const Grid& grid = model.grid();
    const CellsView<> cells = model.jumping_cells();
    take_shortest_end(model, near, points, first);
    if (points.size() < first + 2) return;
    CellPath path = cut_by_cells(grid, cells, std::span(points).subspan(first));
    for (const Index3 cell : path.cells) {
        if (!(cells.velocity(cell) > 0)) return;
    }
    relax(grid, cells.velocity, path);
    points.resize(first);
    points.insert(points.end(), path.points.begin(), path.points.end());
}

}  // namespace fermat
