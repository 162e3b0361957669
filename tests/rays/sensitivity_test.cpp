// Rows of the sensitivity matrix against sums over the pieces of their paths.
#include "rays/sensitivity.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

#include "random_case.hpp"
#include "rays/segments.hpp"

namespace fermat {
namespace {

using Row = std::map<std::int64_t, double>;

template <int Dim>
Row row_by_pieces(const Model& model, std::span<const Vec3> path, Basis basis) {
    const Grid& grid = model.grid();
    Row row;
    for (std::size_t p = 0; p + 1 < path.size(); ++p) {
        for_each_piece(grid, path[p], path[p + 1], [&](const Piece& piece) {
            if (basis == Basis::cells) {
                row[static_cast<std::int64_t>(grid.cell_shape().offset(piece.cell))] +=
                    piece.length;
                return;
            }
            double weights[CellWeights<Dim>::corners];
            CellWeights<Dim>(model.velocity(), piece.cell).piece_weights(piece, weights);
            for (int n = 0; n < CellWeights<Dim>::corners; ++n) {
                const Index3 node{piece.cell.x + (Dim == 2 ? n / 2 : n / 4),
                                  piece.cell.y + (Dim == 2 ? 0 : n / 2 % 2), piece.cell.z + n % 2};
                if (weights[n] != 0) {
                    row[static_cast<std::int64_t>(grid.shape.offset(node))] += weights[n];
                }
            }
        });
    }
    return row;
}

/// Paths back and forth through the box, some along planes of the grid, that return to cells and
/// nodes they have left.
RaySet wandering_paths(const Grid& grid, unsigned seed) {
    std::mt19937 random(seed);
    const Vec3 size = grid.far_corner() - grid.origin;
    RaySet rays;
    for (std::int32_t r = 0; r < 70; ++r) {
        std::vector<Vec3> path;
        for (int p = 0; p < 1 + r % 9; ++p) {
            Vec3 point = grid.origin;
            for (int axis = 0; axis < 3; ++axis) {
                const double part = static_cast<double>(random() % 1001) / 1000;
                point[axis] += r % 3 == 0 && axis == 2 ? 2 * grid.spacing.z : part * size[axis];
            }
            path.push_back(grid.clamp(point));
        }
        const RayStatus status = r % 10 == 9 ? RayStatus::unreachable : RayStatus::ok;
        rays.append({0, r, 0, 0, 0, status}, path);
    }
    return rays;
}

template <int Dim>
void expect_rows_of_pieces(const Model& model, Basis basis, unsigned seed) {
    const RaySet rays = wandering_paths(model.grid(), seed);
    const SparseRows matrix = sensitivity(model, rays, basis, 1);
    ASSERT_EQ(matrix.row_start.size(), rays.size() + 1);
    for (std::size_t r = 0; r < rays.size(); ++r) {
        const bool arrived = rays.rays[r].status == RayStatus::ok;
        const Row right = arrived ? row_by_pieces<Dim>(model, rays.path(r), basis) : Row();
        auto at = static_cast<std::size_t>(matrix.row_start[r]);
        ASSERT_EQ(matrix.row_start[r + 1] - matrix.row_start[r], std::ssize(right)) << r;
        for (const auto& [column, value] : right) {
            EXPECT_EQ(matrix.column[at], column) << r;
            EXPECT_NEAR(matrix.value[at], value, 1e-12) << r;
            ++at;
        }
    }
    const SparseRows threaded = sensitivity(model, rays, basis, 3);
    EXPECT_EQ(threaded.row_start, matrix.row_start);
    EXPECT_EQ(threaded.column, matrix.column);
    EXPECT_EQ(threaded.value, matrix.value);
}

TEST(Sensitivity, RowsAreThePiecesAddedUp) {
    for (unsigned seed = 1; seed <= 8; ++seed) {
        for (const int one_in_air : {0, 6}) {
            for (const Basis basis : {Basis::cells, Basis::nodes}) {
                const test::CaseKind kind{4, 12, 9, one_in_air};
                expect_rows_of_pieces<2>(test::random_case(seed, 2, kind).model, basis, seed);
                expect_rows_of_pieces<3>(test::random_case(seed, 3, kind).model, basis, seed);
            }
        }
    }
}

TEST(Sensitivity, OfNoRaysIsEmpty) {
    const Model model = test::random_case(1, 2, {5, 9, 9, 0}).model;
    const SparseRows matrix = sensitivity(model, {}, Basis::nodes);
    EXPECT_EQ(matrix.row_start, std::vector<std::int64_t>{0});
    EXPECT_EQ(matrix.columns, static_cast<std::int64_t>(model.grid().node_count()));
}

}  // namespace
}  // namespace fermat
