#include "rays/sensitivity.hpp"

#include <algorithm>
#include <numeric>

#include "core/error.hpp"
#include "core/huge_pages.hpp"
#include "core/parallel.hpp"
#include "rays/sensitivity_row.hpp"

namespace fermat {
namespace {

/// Rows of successive rays.
struct RowLot {
    std::vector<std::int64_t> row_end;
    std::vector<std::int64_t> column;
    std::vector<double> value;
};

/// Makes batches of rows in parallel. Batches do not depend on the number of threads.
std::vector<RowLot> make_lots(const Model& model, const RaySet& rays, std::size_t first,
                              std::size_t count, Basis basis, int threads) {
    constexpr std::size_t lot_size = 32;
    std::vector<RowLot> lots((count + lot_size - 1) / lot_size);
    parallel_for(static_cast<std::int64_t>(lots.size()), threads, [&](std::int64_t i) {
        RowLot& lot = lots[static_cast<std::size_t>(i)];
        RowMaker maker(model);
        const std::size_t begin = static_cast<std::size_t>(i) * lot_size;
        const std::size_t end = std::min(begin + lot_size, count);
        for (std::size_t r = first + begin; r < first + end; ++r) {
            if (has_arrived(rays.rays[r].status)) {
                const auto row =
                    basis == Basis::cells ? maker.cells(rays.path(r)) : maker.nodes(rays.path(r));
                for (const RowEntry& entry : row) {
                    lot.column.push_back(entry.column);
                    lot.value.push_back(entry.value);
                }
            }
            lot.row_end.push_back(static_cast<std::int64_t>(lot.column.size()));
        }
    });
    return lots;
}

}  // namespace

SparseRows sensitivity(const Model& model, const RaySet& rays, Basis basis, int threads) {
    if (model.cells() && basis == Basis::nodes) {
        throw InputError(
            "basis of the sensitivity is 'nodes', and this model has velocity in cells (use "
            "'cells')");
    }
    SparseRows matrix;
    const Grid& grid = model.grid();
    matrix.columns = static_cast<std::int64_t>(basis == Basis::cells ? grid.cell_shape().count()
                                                                     : grid.node_count());
    std::vector<RowLot> lots =
        make_lots(model, rays, 0, rays.size(), basis, resolve_threads(threads));
    const std::size_t entries =
        std::accumulate(lots.begin(), lots.end(), std::size_t{0},
                        [](std::size_t sum, const RowLot& lot) { return sum + lot.value.size(); });
    matrix.row_start.reserve(rays.size() + 1);
    matrix.column.reserve(entries);
    matrix.value.reserve(entries);
    advise_huge_pages(matrix.column.data(), entries * sizeof(std::int64_t));
    advise_huge_pages(matrix.value.data(), entries * sizeof(double));
    for (RowLot& lot : lots) {
        const auto before = static_cast<std::int64_t>(matrix.column.size());
        for (const std::int64_t end : lot.row_end) matrix.row_start.push_back(before + end);
        matrix.column.insert(matrix.column.end(), lot.column.begin(), lot.column.end());
        matrix.value.insert(matrix.value.end(), lot.value.begin(), lot.value.end());
        lot = {};
    }
    return matrix;
}

CoverageSum::CoverageSum(const Model& model, int threads)
    : model_(model),
      threads_(resolve_threads(threads)),
      count_(model.grid().cell_shape(), 0),
      length_(model.grid().cell_shape(), 0) {}

void CoverageSum::add(const RaySet& rays) {
    constexpr std::size_t batch = 4096;
    for (std::size_t first = 0; first < rays.size(); first += batch) {
        const std::size_t count = std::min(batch, rays.size() - first);
        for (const RowLot& lot : make_lots(model_, rays, first, count, Basis::cells, threads_)) {
            for (std::size_t n = 0; n < lot.column.size(); ++n) {
                const auto cell = static_cast<std::size_t>(lot.column[n]);
                count_[cell] += 1;
                length_[cell] += lot.value[n];
            }
        }
    }
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
