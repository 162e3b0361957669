#include "rays/points_cuda.hpp"

#include <limits>

#include "core/launch_cuda.hpp"
#include "core/scan_cuda.hpp"
#include "rays/segments.hpp"

namespace fermat {
namespace {

__global__ void __launch_bounds__(ray_threads)
    integrate_rays(Grid grid, FieldView<const float, Space::device> velocity, int count,
                   const std::int64_t* first_point, const Vec3* points, double* times,
                   double* lengths) {
    const int n = static_cast<int>(thread_number());
    if (n >= count) return;
    double time = 0;
    double length = 0;
    for (std::int64_t p = first_point[n]; p + 1 < first_point[n + 1]; ++p) {
        const Vec3 from = points[p];
        const Vec3 to = points[p + 1];
        length += distance(from, to);
        time += line_time(grid, velocity, from, to);
    }
    times[n] = time;
    lengths[n] = length;
}

/// Lists the cells of a ray's pieces. Successive pieces in one cell make one entry.
class RowWriter {
  public:
    __device__ RowWriter(std::uint32_t* cell, double* length, std::int64_t room)
        : cell_(cell), length_(length), room_(room) {}

    __device__ void add(std::uint32_t cell, double length) {
        if (count_ > 0 && cell == last_) {
            sum_ += length;
        } else {
            close();
            ++count_;
            last_ = cell;
            sum_ = length;
        }
    }
    __device__ void close() const {
        if (count_ == 0 || count_ > room_) return;
        cell_[count_ - 1] = last_;
        length_[count_ - 1] = sum_;
    }
    __device__ std::int64_t count() const { return count_; }

  private:
    std::uint32_t* cell_;
    double* length_;
    std::int64_t room_;
    std::int64_t count_ = 0;
    std::uint32_t last_ = 0;
    double sum_ = 0;
};

/// Counts the entries of each row or, if `row_start` is given, writes them. The two runs may round
/// differently: a row takes at most the entries that were counted, and entries that remain unused
/// are marked.
__global__ void __launch_bounds__(ray_threads)
    make_rows(Grid grid, int count, const WalkedRay* walked, const std::int64_t* first_point,
              const Vec3* points, std::int64_t* counts, double* lengths,
              const std::int64_t* row_start, std::uint32_t* cell, double* length_in_cell) {
    const int n = static_cast<int>(thread_number());
    if (n >= count) return;
    const std::int64_t start = row_start != nullptr ? row_start[n] : 0;
    const std::int64_t room = row_start != nullptr ? row_start[n + 1] - start : 0;
    RowWriter row(cell + start, length_in_cell + start, room);
    double length = 0;
    const Shape cells = grid.cell_shape();
    const bool arrived = has_arrived(walked[n].status);
    for (std::int64_t p = first_point[n]; p + 1 < first_point[n + 1]; ++p) {
        const Vec3 from = points[p];
        const Vec3 to = points[p + 1];
        length += distance(from, to);
        if (!arrived) continue;
        for_each_piece(grid, from, to, [&](const Piece& piece) {
            row.add(static_cast<std::uint32_t>(cells.offset(piece.cell)), piece.length);
        });
    }
    row.close();
    if (row_start == nullptr) {
        counts[n] = row.count();
        lengths[n] = length;
    }
    for (std::int64_t e = row.count(); e < room; ++e) {
        cell[start + e] = no_cell;
        length_in_cell[start + e] = 0;
    }
}

}  // namespace

void WalkedRays::reserve(std::size_t count) {
    host.resize(count);
    starts.assign(count + 1, 0);
    device.reserve(count);
    first_point.reserve(count + 1);
    lengths.reserve(count);
    times.reserve(count);
}

void WalkedRays::place(const CudaArray<std::int64_t>& counts) {
    exclusive_sums(counts, first_point, rays.size() + 1, scratch_, "placing the points of rays");
}

void WalkedRays::fetch() {
    device.download(std::span(host));
    for (std::size_t n = 0; n < rays.size(); ++n) {
        rays[n].field_time = host[n].field_time;
        rays[n].status = host[n].status;
    }
}

void WalkedRays::replace(std::span<const std::size_t> which, const RaySet& others) {
    RaySet old;
    old.rays.swap(rays);
    old.first_point = starts;
    old.points.resize(static_cast<std::size_t>(starts.back()));
    points.download(std::span(old.points));
    RaySet whole;
    std::size_t next = 0;
    for (std::size_t n = 0; n < old.size(); ++n) {
        const bool replaced = next < which.size() && which[next] == n;
        const RaySet& from = replaced ? others : old;
        const std::size_t at = replaced ? next++ : n;
        whole.append(from.rays[at], from.path(at));
        host[n] = {from.rays[at].field_time, from.rays[at].status, false};
    }
    rays = std::move(whole.rays);
    starts = std::move(whole.first_point);
    points.reserve(whole.points.size());
    points.upload(whole.points);
    first_point.upload(starts);
    device.upload(host);
    check_cuda(cudaDeviceSynchronize(), "replacing rays");
}

double WalkedRays::integrate(const Grid& grid, FieldView<const float, Space::device> velocity) {
    const std::size_t count = rays.size();
    CudaTimer timer;
    timer.start();
    integrate_rays<<<blocks_for(count, ray_threads), ray_threads>>>(
        grid, velocity, static_cast<int>(count), first_point.data(), points.data(), times.data(),
        lengths.data());
    const double seconds = timer.stop("integrating along rays");
    std::vector<double> time(count);
    std::vector<double> length(count);
    times.download(std::span(time));
    lengths.download(std::span(length));
    for (std::size_t n = 0; n < count; ++n) {
        const bool arrived = has_arrived(rays[n].status);
        rays[n].time = arrived ? time[n] : std::numeric_limits<double>::infinity();
        rays[n].length = length[n];
    }
    return seconds;
}

DeviceRows DeviceRowMaker::make(const Grid& grid, WalkedRays& rays) {
    const std::size_t count = rays.rays.size();
    if (grid.cell_shape().count() >= no_cell) {
        throw InputError("a grid of " + std::to_string(grid.cell_shape().count()) +
                         " cells is more than rows on a CUDA device can number (use `device=cpu`)");
    }
    counts_.reserve(count + 1);
    row_start_.reserve(count + 1);
    const auto run = [&](const std::int64_t* row_start) {
        make_rows<<<blocks_for(count, ray_threads), ray_threads>>>(
            grid, static_cast<int>(count), rays.device.data(), rays.first_point.data(),
            rays.points.data(), counts_.data(), rays.lengths.data(), row_start, cell_.data(),
            length_.data());
        check_cuda(cudaGetLastError(), "listing the cells of rays");
    };
    run(nullptr);
    exclusive_sums(counts_, row_start_, count + 1, scratch_, "listing the cells of rays");
    std::int64_t entries = 0;
    check_cuda(
        cudaMemcpy(&entries, row_start_.data() + count, sizeof entries, cudaMemcpyDeviceToHost),
        "listing the cells of rays");
    cell_.reserve(static_cast<std::size_t>(entries));
    length_.reserve(static_cast<std::size_t>(entries));
    if (entries > 0) run(row_start_.data());
    std::vector<double> length(count);
    rays.lengths.download(std::span(length));
    for (std::size_t n = 0; n < count; ++n) rays.rays[n].length = length[n];
    return {count, static_cast<std::size_t>(entries), row_start_.data(), cell_.data(),
            length_.data()};
}

}  // namespace fermat
