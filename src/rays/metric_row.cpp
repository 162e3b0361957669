#include "rays/metric_row.hpp"

#include <array>
#include <cmath>

#include "eikonal/metric/factor.hpp"
#include "rays/segments.hpp"
#include "survey/mapped_points.hpp"

namespace fermat {
namespace {

/// Sums of the corners of one cell, entered when a path leaves it.
class CornerSums {
  public:
    CornerSums(const Model& model, std::vector<RowEntry>& row) : model_(model), row_(row) {}

    /// Spreads `value` over the corners of rock of the point's cell. Below a row of jumps the upper
    /// corners' slowness is that of the row over its jump.
    void add(Vec3 q, double value) {
        const Index3 cell = locate(model_.grid(), q).cell;
        if (!(cell == cell_)) {
            enter();
            cell_ = cell;
        }
        std::array<double, 8> weights{};
        double sum = 0;
        std::size_t corner = 0;
        const auto& jumps = model_.coordinates().jumps;
        const double top = jumps.empty() ? 1 : 1 / jumps[static_cast<std::size_t>(cell.z)];
        for_each_corner(model_.grid(), q, [&](Index3 node, double weight) {
            if (weight > 0 && !model_.is_air(node)) {
                sum += weight;
                weights[corner] = node.z == cell.z ? top * weight : weight;
            }
            ++corner;
        });
        if (!(sum > 0)) return;
        for (std::size_t n = 0; n < corner; ++n) sums_[n] += value * weights[n] / sum;
    }
    void enter() {
        if (cell_.x < 0) return;
        std::size_t corner = 0;
        const Grid& grid = model_.grid();
        for_each_corner(grid, grid.position(cell_), [&](Index3 node, double) {
            double& value = sums_[corner++];
            if (value == 0) return;
            row_.push_back({static_cast<std::int64_t>(grid.shape.offset(node)), value});
            value = 0;
        });
    }

  private:
    const Model& model_;
    std::vector<RowEntry>& row_;
    Index3 cell_{-1, -1, -1};
    std::array<double, 8> sums_{};
};

}  // namespace

void append_metric_nodes(const Model& model, std::span<const Vec3> path,
                         std::vector<RowEntry>& row) {
    CornerSums sums(model, row);
    for (std::size_t p = 0; p + 1 < path.size(); ++p) {
        for_each_time_sample(model, model.place().nearest(path[p]),
                             model.place().nearest(path[p + 1]),
                             [&](Vec3 q, Vec3 d, double weight) {
                                 const double slowness = metric_slowness(model, q);
                                 if (!std::isfinite(slowness)) return;
                                 sums.add(q, weight * line_time(model, q, d) / slowness);
                             });
    }
    sums.enter();
}

void append_metric_cells(const Model& model, std::span<const Vec3> path,
                         std::vector<RowEntry>& row) {
    const Grid& grid = model.grid();
    const Shape shape = grid.cell_shape();
    const Mapping& mapping = model.mapping();
    for (std::size_t p = 0; p + 1 < path.size(); ++p) {
        const Vec3 from = model.place().nearest(path[p]);
        const Vec3 to = model.place().nearest(path[p + 1]);
        const double whole = norm(to - from);
        if (!(whole > 0)) continue;
        const double length = distance(mapping.place(from), mapping.place(to));
        for_each_piece(grid, from, to, [&](const Piece& piece) {
            row.push_back({static_cast<std::int64_t>(shape.offset(piece.cell)),
                           length * piece.length / whole});
        });
    }
}

}  // namespace fermat
