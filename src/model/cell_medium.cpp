#include "model/cell_medium.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "model/velocity_check.hpp"

namespace fermat {
namespace {

/// One bit per axis: set if a cell and the next one along the axis belong to different bodies.
using UnlikeBits = std::uint8_t;

Field<UnlikeBits> compare_neighbours(FieldView<const float> cells, int threads) {
    const Shape shape = cells.shape();
    Field<UnlikeBits> unlike(shape);
    parallel_for(shape.x, threads, [&](std::int64_t slab) {
        const int i = static_cast<int>(slab);
        for (int j = 0; j < shape.y; ++j) {
            for (int k = 0; k < shape.z; ++k) {
                unsigned bits = 0;
                for (int axis = 0; axis < 3; ++axis) {
                    const Index3 cell{i, j, k};
                    if (cell[axis] + 1 == shape[axis]) continue;
                    if (!of_one_body(cells, cell, axis, 1)) bits |= 1U << axis;
                }
                unlike(i, j, k) = static_cast<UnlikeBits>(bits);
            }
        }
    });
    return unlike;
}

template <int Dim>
Field<float> node_velocity(const Grid& grid, FieldView<const float> cells) {
    Field<float> velocity(grid.shape);
    parallel_for(grid.shape.x, resolve_threads(0), [&](std::int64_t slab) {
        const int i = static_cast<int>(slab);
        for (int j = 0; j < grid.shape.y; ++j) {
            for (int k = 0; k < grid.shape.z; ++k) {
                double slowness = 0;
                int count = 0;
                for (unsigned octant = 0; octant < 8; ++octant) {
                    if (Dim == 2 && (octant & 2U)) continue;
                    const float v = octant_velocity<Dim>(cells, {i, j, k}, octant);
                    if (!(v > 0)) continue;
                    slowness += 1 / static_cast<double>(v);
                    ++count;
                }
                velocity(i, j, k) = count > 0 ? static_cast<float>(count / slowness) : 0.0F;
            }
        }
    });
    return velocity;
}

}  // namespace

void require_cell_velocity(const Grid& grid, FieldView<const float> cells) {
    if (cells.shape() != grid.cell_shape()) {
        throw InputError(fmt::format(
            "velocity has shape {} (must be {} cells, one less than the "
            "grid's {} nodes)",
            to_string(cells.shape()), to_string(grid.cell_shape()), to_string(grid.shape)));
    }
    require_velocity(cells.shape(), check_velocity(cells), "cell");
}

Field<std::uint8_t> find_jumps(const Grid& grid, FieldView<const float> cells) {
    const int threads = resolve_threads(0);
    const Field<UnlikeBits> unlike = compare_neighbours(cells, threads);
    if (std::all_of(unlike.begin(), unlike.end(), [](UnlikeBits bits) { return bits == 0; })) {
        return {};
    }
    const Shape shape = cells.shape();
    const bool flat = grid.is_2d();
    Field<std::uint8_t> jumps(grid.shape);
    parallel_for(grid.shape.x, threads, [&](std::int64_t slab) {
        const int i = static_cast<int>(slab);
        // Collects, for a line of nodes, the jumps in x and y between cells that touch it, and the
        // jumps in z of those cells and the cells before them.
        std::vector<UnlikeBits> seen(static_cast<std::size_t>(shape.z));
        for (int j = 0; j < grid.shape.y; ++j) {
            std::fill(seen.begin(), seen.end(), UnlikeBits{0});
            const auto look = [&](int ci, int cj, UnlikeBits axes) {
                if (ci < 0 || cj < 0 || ci >= shape.x || cj >= shape.y) return;
                const UnlikeBits* const bits = &unlike(ci, cj, 0);
                for (std::size_t k = 0; k < seen.size(); ++k) seen[k] |= bits[k] & axes;
            };
            for (int dx = -2; dx <= 0; ++dx) {
                for (int dy = flat ? 0 : -2; dy <= 0; ++dy) {
                    const bool beside_x = dx >= -1;
                    const bool beside_y = dy >= -1;
                    look(i + dx, flat ? 0 : j + dy,
                         static_cast<UnlikeBits>(beside_y | beside_x << 1 |
                                                 (beside_x && beside_y) << 2));
                }
            }
            for (int k = 0; k < grid.shape.z; ++k) {
                const auto seen_at = [&](int cell) -> UnlikeBits {
                    return cell < 0 || cell >= shape.z ? UnlikeBits{0}
                                                       : seen[static_cast<std::size_t>(cell)];
                };
                const int touching = seen_at(k - 1) | seen_at(k);
                jumps(i, j, k) = (touching | (seen_at(k - 2) & 4)) != 0;
            }
        }
    });
    return jumps;
}

Field<float> node_velocity(const Grid& grid, FieldView<const float> cells) {
    return grid.is_2d() ? node_velocity<2>(grid, cells) : node_velocity<3>(grid, cells);
}

}  // namespace fermat
