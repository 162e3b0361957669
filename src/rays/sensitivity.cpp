#include "rays/sensitivity.hpp"

#include <algorithm>
#include <utility>

#include "core/parallel.hpp"
#include "rays/segments.hpp"

namespace fermat {
namespace {

using Entry = std::pair<std::int64_t, double>;

/// Sorts by column and adds up what falls on the same one.
void merge(std::vector<Entry>& row) {
    std::stable_sort(row.begin(), row.end(),
                     [](const Entry& a, const Entry& b) { return a.first < b.first; });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
        if (kept > 0 && row[kept - 1].first == row[i].first) {
            row[kept - 1].second += row[i].second;
        } else {
            row[kept++] = row[i];
        }
    }
    row.resize(kept);
}

std::vector<Entry> row_of(const Model& model, std::span<const Vec3> path, Basis basis) {
    const Grid& grid = model.grid();
    const Shape cells = grid.cell_shape();
    const auto velocity = model.velocity();
    std::vector<Entry> row;
    for (std::size_t p = 0; p + 1 < path.size(); ++p) {
        for_each_piece(grid, path[p], path[p + 1], [&](const Piece& piece) {
            if (basis == Basis::cells) {
                row.emplace_back(static_cast<std::int64_t>(cells.offset(piece.cell)), piece.length);
                return;
            }
            const CellSlowness slowness(grid, velocity, piece.cell);
            double weights[8];
            slowness.piece_weights(piece, weights);
            for (int n = 0; n < slowness.corner_count(); ++n) {
                if (weights[n] == 0) continue;
                row.emplace_back(static_cast<std::int64_t>(grid.shape.offset(slowness.corner(n))),
                                 weights[n]);
            }
        });
    }
    merge(row);
    return row;
}

/// Rows are made in parallel, some thousand rays at a time, and taken in order.
template <class Take>
void for_each_row(const Model& model, const RaySet& rays, Basis basis, int threads, Take take) {
    constexpr std::size_t batch = 4096;
    std::vector<std::vector<Entry>> rows;
    for (std::size_t first = 0; first < rays.size(); first += batch) {
        const std::size_t count = std::min(batch, rays.size() - first);
        rows.assign(count, {});
        parallel_for(static_cast<std::int64_t>(count), threads, [&](std::int64_t i) {
            const auto n = static_cast<std::size_t>(i);
            if (rays.rays[first + n].status == RayStatus::ok) {
                rows[n] = row_of(model, rays.path(first + n), basis);
            }
        });
        for (const auto& row : rows) take(row);
    }
}

}  // namespace

SparseRows sensitivity(const Model& model, const RaySet& rays, Basis basis, int threads) {
    SparseRows matrix;
    const Grid& grid = model.grid();
    matrix.columns = static_cast<std::int64_t>(basis == Basis::cells ? grid.cell_shape().count()
                                                                     : grid.node_count());
    for_each_row(model, rays, basis, resolve_threads(threads), [&](const std::vector<Entry>& row) {
        for (const auto& [column, value] : row) {
            matrix.column.push_back(column);
            matrix.value.push_back(value);
        }
        matrix.row_start.push_back(static_cast<std::int64_t>(matrix.column.size()));
    });
    return matrix;
}

CoverageSum::CoverageSum(const Model& model, int threads)
    : model_(model),
      threads_(resolve_threads(threads)),
      count_(model.grid().cell_shape(), 0),
      length_(model.grid().cell_shape(), 0) {}

void CoverageSum::add(const RaySet& rays) {
    for_each_row(model_, rays, Basis::cells, threads_, [&](const std::vector<Entry>& row) {
        for (const auto& [cell, value] : row) {
            count_[static_cast<std::size_t>(cell)] += 1;
            length_[static_cast<std::size_t>(cell)] += value;
        }
    });
}

Coverage CoverageSum::result() const {
    const auto to_single = [](const Field<double>& sums) {
        Field<float> single(sums.shape());
        std::transform(sums.begin(), sums.end(), single.begin(),
                       [](double sum) { return static_cast<float>(sum); });
        return single;
    };
    return {to_single(count_), to_single(length_)};
}

Coverage coverage(const Model& model, const RaySet& rays, int threads) {
    CoverageSum sum(model, threads);
    sum.add(rays);
    return sum.result();
}

}  // namespace fermat
