#include "tomography/hole/cell_sums_cuda.hpp"

#include <cub/device/device_radix_sort.cuh>

#include <bit>
#include <limits>

#include "core/launch_cuda.hpp"

namespace fermat {
namespace {

constexpr int threads = 256;
constexpr int warp = 32;

/// Says of each entry which ray it belongs to and under which key it is sorted; a warp a row.
__global__ void label_entries(DeviceRows rows, std::uint32_t cells, std::uint32_t* ray_of_entry,
                              std::uint32_t* keys, std::uint32_t* numbers) {
    const std::size_t thread = thread_number();
    const std::size_t ray = thread / warp;
    if (ray >= rows.rays) return;
    for (std::int64_t e = rows.row_start[ray] + static_cast<std::int64_t>(thread % warp);
         e < rows.row_start[ray + 1]; e += warp) {
        ray_of_entry[e] = static_cast<std::uint32_t>(ray);
        keys[e] = rows.cell[e] == no_cell ? cells : rows.cell[e];
        numbers[e] = static_cast<std::uint32_t>(e);
    }
}

struct Sums {
    double* perturbation;
    double* weight;
    float* count;
};

/// The thread of a cell's first entry adds up all of them, ray after ray.
__global__ void add_entries(std::size_t entries, std::uint32_t cells, const std::uint32_t* keys,
                            const std::uint32_t* order, const std::uint32_t* ray_of_entry,
                            const double* lengths, const RayProjection* projections, Sums sums) {
    std::size_t p = thread_number();
    if (p >= entries) return;
    const std::uint32_t cell = keys[p];
    if (cell >= cells || (p > 0 && keys[p - 1] == cell)) return;
    double perturbation = sums.perturbation[cell];
    double weight = sums.weight[cell];
    float count = sums.count[cell];
    while (p < entries && keys[p] == cell) {
        const std::uint32_t ray = ray_of_entry[order[p]];
        double length = 0;
        for (; p < entries && keys[p] == cell && ray_of_entry[order[p]] == ray; ++p) {
            if (lengths != nullptr) length += lengths[order[p]];
        }
        const RayProjection projection = projections[ray];
        if (projection.weight < 0) continue;
        const double share = lengths != nullptr ? projection.weight * length : projection.weight;
        perturbation += share * projection.perturbation;
        weight += share;
        count += 1;
    }
    sums.perturbation[cell] = perturbation;
    sums.weight[cell] = weight;
    sums.count[cell] = count;
}

}  // namespace

DeviceCellSums::DeviceCellSums(Shape cells)
    : shape_(cells),
      cells_(cells.count()),
      perturbation_(cells_),
      weight_(cells_),
      count_(cells_) {}

void DeviceCellSums::clear() {
    check_cuda(cudaMemset(perturbation_.data(), 0, perturbation_.bytes()), "clearing sums");
    check_cuda(cudaMemset(weight_.data(), 0, weight_.bytes()), "clearing sums");
    check_cuda(cudaMemset(count_.data(), 0, count_.bytes()), "clearing sums");
}

CellSums DeviceCellSums::download() const {
    CellSums sums{Field<double>(shape_), Field<double>(shape_), Field<float>(shape_)};
    perturbation_.download(std::span(sums.perturbation.data(), cells_));
    weight_.download(std::span(sums.weight.data(), cells_));
    count_.download(std::span(sums.count.data(), cells_));
    return sums;
}

void DeviceCellSums::add(const DeviceRows& rows, std::span<const RayProjection> projections,
                         RayShare share) {
    if (rows.entries == 0) return;
    if (rows.entries > std::numeric_limits<std::uint32_t>::max()) {
        throw ComputeError(std::to_string(rows.entries) +
                           " crossings of cells at once are more than a CUDA device can number "
                           "(use fewer picks per source, or `device=cpu`)");
    }
    projections_.reserve(rows.rays);
    for (CudaArray<std::uint32_t>* array :
         {&ray_of_entry_, &keys_, &sorted_keys_, &numbers_, &order_}) {
        array->reserve(rows.entries);
    }
    projections_.upload(projections);
    const auto cells = static_cast<std::uint32_t>(cells_);
    label_entries<<<blocks_for(rows.rays * warp, threads), threads>>>(
        rows, cells, ray_of_entry_.data(), keys_.data(), numbers_.data());
    const auto sort = [&](void* scratch, std::size_t& bytes) {
        check_cuda(cub::DeviceRadixSort::SortPairs(
                       scratch, bytes, keys_.data(), sorted_keys_.data(), numbers_.data(),
                       order_.data(), rows.entries, 0, static_cast<int>(std::bit_width(cells))),
                   "sorting the cells of rays");
    };
    std::size_t bytes = 0;
    sort(nullptr, bytes);
    scratch_.reserve(bytes);
    sort(scratch_.data(), bytes);
    add_entries<<<blocks_for(rows.entries, threads), threads>>>(
        rows.entries, cells, sorted_keys_.data(), order_.data(), ray_of_entry_.data(),
        share == RayShare::length ? rows.length : nullptr, projections_.data(),
        {perturbation_.data(), weight_.data(), count_.data()});
    check_cuda(cudaGetLastError(), "adding up rays");
}

DeviceRows UploadedRows::upload(std::span<const std::int64_t> row_start,
                                std::span<const std::uint32_t> cell,
                                std::span<const double> length) {
    row_start_.reserve(row_start.size());
    cell_.reserve(cell.size());
    length_.reserve(length.size());
    row_start_.upload(row_start);
    cell_.upload(cell);
    if (!length.empty()) length_.upload(length);
    return {row_start.size() - 1, cell.size(), row_start_.data(), cell_.data(), length_.data()};
}

}  // namespace fermat
