#include "rays/sensitivity_row.hpp"

#include <algorithm>
#include <utility>

#include "rays/cells/line.hpp"
#include "rays/metric_row.hpp"

namespace fermat {
namespace {

/// Stable radix sort by column. A row has some hundred entries whose columns have few digits, so
/// this is several times faster than sorting by comparisons.
void sort_by_column(std::vector<RowEntry>& row, std::vector<RowEntry>& spare) {
    if (row.empty()) return;
    constexpr int digit_bits = 8;
    constexpr std::uint64_t digit_mask = (1U << digit_bits) - 1;
    const auto by_column = [](const RowEntry& a, const RowEntry& b) { return a.column < b.column; };
    const auto [least, most] = std::minmax_element(row.begin(), row.end(), by_column);
    const std::int64_t first = least->column;
    const auto range = static_cast<std::uint64_t>(most->column - first);
    spare.resize(row.size());
    for (int shift = 0; shift < 64 && range >> shift != 0; shift += digit_bits) {
        const auto digit = [&](const RowEntry& entry) {
            return (static_cast<std::uint64_t>(entry.column - first) >> shift) & digit_mask;
        };
        std::array<std::uint32_t, digit_mask + 1> next{};
        for (const RowEntry& entry : row) ++next[digit(entry)];
        std::uint32_t sum = 0;
        for (std::uint32_t& n : next) sum += std::exchange(n, sum);
        for (const RowEntry& entry : row) spare[next[digit(entry)]++] = entry;
        row.swap(spare);
    }
}

}  // namespace

/// Enters the corners that the path leaves. Corners that both cells share keep their sums.
template <int Dim>
void RowMaker::move_to(Index3 cell) {
    constexpr int corners_y = Dim == 2 ? 1 : 2;
    const Shape shape = model_.grid().shape;
    const std::array<double, 8> before = std::exchange(weights_, {});
    const Index3 move{cell_.x - cell.x, cell_.y - cell.y, cell_.z - cell.z};
    for (int i = 0, n = 0; i < 2; ++i) {
        for (int j = 0; j < corners_y; ++j) {
            for (int k = 0; k < 2; ++k, ++n) {
                const double weight = before[static_cast<std::size_t>(n)];
                const Index3 to{i + move.x, j + move.y, k + move.z};
                const bool stays = (to.x | to.y | to.z | 1) == 1;
                if (stays) {
                    weights_[static_cast<std::size_t>((to.x * corners_y + to.y) * 2 + to.z)] =
                        weight;
                } else if (weight != 0) {
                    const std::size_t node = shape.offset(cell_.x + i, cell_.y + j, cell_.z + k);
                    row_.push_back({static_cast<std::int64_t>(node), weight});
                }
            }
        }
    }
    cell_ = cell;
}

/// Sorts the entries by column and adds up those of one column.
std::span<const RowEntry> RowMaker::ordered() {
    sort_by_column(row_, spare_);
    std::size_t kept = 0;
    for (const RowEntry entry : row_) {
        if (kept > 0 && row_[kept - 1].column == entry.column) {
            row_[kept - 1].value += entry.value;
        } else {
            row_[kept++] = entry;
        }
    }
    return std::span(row_).first(kept);
}

std::span<const RowEntry> RowMaker::cells(std::span<const Vec3> path) {
    const Grid& grid = model_.grid();
    const Shape shape = grid.cell_shape();
    const CellsView<> jumping = model_.jumping_cells();
    row_.clear();
    if (!model_.is_plain()) {
        append_metric_cells(model_, path, row_);
        return ordered();
    }
    for (std::size_t p = 0; p + 1 < path.size(); ++p) {
        for_each_piece(grid, path[p], path[p + 1], [&](const Piece& piece) {
            const auto cell =
                static_cast<std::int64_t>(shape.offset(cell_taken(grid, jumping, piece)));
            if (!row_.empty() && row_.back().column == cell) {
                row_.back().value += piece.length;
            } else {
                row_.push_back({cell, piece.length});
            }
        });
    }
    return ordered();
}

template <int Dim>
void RowMaker::enter_nodes(std::span<const Vec3> path) {
    const auto velocity = model_.velocity();
    const Shape cells = model_.grid().cell_shape();
    cell_ = {};
    weights_ = {};
    for (std::size_t p = 0; p + 1 < path.size(); ++p) {
        for_each_piece_in<Dim>(model_.grid(), path[p], path[p + 1], [&](const Piece& piece) {
            using Cell = CellWeights<Dim>;
            const Cell cell = model_.has_air() ? Cell(velocity, piece.cell) : Cell();
            double weights[Cell::corners];
            cell.piece_weights(piece, weights);
            const bool moves = !(piece.cell == cell_);
            if (moves || crossed_.empty()) {
                crossed_.push_back(static_cast<std::int64_t>(cells.offset(piece.cell)));
            }
            if (moves) move_to<Dim>(piece.cell);
            for (std::size_t n = 0; n < Cell::corners; ++n) weights_[n] += weights[n];
        });
    }
    // Move far from every cell, so that all corners are entered.
    move_to<Dim>({-2, -2, -2});
}

std::span<const RowEntry> RowMaker::nodes(std::span<const Vec3> path) {
    node_parts(path);
    return ordered();
}

std::span<const RowEntry> RowMaker::node_parts(std::span<const Vec3> path) {
    row_.clear();
    crossed_.clear();
    if (!model_.is_plain()) {
        append_metric_nodes(model_, path, row_);
    } else if (model_.grid().is_2d()) {
        enter_nodes<2>(path);
    } else {
        enter_nodes<3>(path);
    }
    return row_;
}

}  // namespace fermat
