#include <cub/block/block_reduce.cuh>

#include <algorithm>
#include <bit>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "core/deal.hpp"
#include "core/device.hpp"
#include "core/launch_cuda.hpp"
#include "eikonal/fim/fim_cuda.hpp"
#include "tomography/hole/cell_sums_cuda.hpp"
#include "tomography/hole/spread_cuda.hpp"
#include "tomography/hole/step.hpp"
#include "tomography/hole/traced_batch_cuda.hpp"
#include "tomography/hole/update_formula.hpp"
#include "tomography/smoothing/smoother_cuda.hpp"

namespace fermat {
namespace {

constexpr int threads = 256;

__global__ void find_rock(const float* velocity, std::size_t count, std::uint8_t* mask) {
    const std::size_t n = thread_number();
    if (n < count) mask[n] = velocity[n] > 0 ? 1 : 0;
}

/// Positive doubles are in the order of their bits: the largest is found whatever comes first.
__global__ void apply(const float* velocity, const double* perturbation, std::size_t count,
                      UpdateLimits limits, float* updated, unsigned long long* largest) {
    const std::size_t n = thread_number();
    double change = 0;
    if (n < count) {
        const double v = velocity[n];
        updated[n] = v > 0 ? updated_velocity(v, perturbation[n], limits) : 0;
        if (v > 0) change = relative_change(v, updated[n]);
    }
    using Reduce = cub::BlockReduce<double, threads>;
    __shared__ typename Reduce::TempStorage storage;
    const double most =
        Reduce(storage).Reduce(change, [](double a, double b) { return a > b ? a : b; });
    if (threadIdx.x == 0) atomicMax(largest, __double_as_longlong(most));
}

class CudaHoleStep : public HoleStep {
  public:
    CudaHoleStep(const Grid& grid, const Survey& picks, const InversionOptions& options)
        : grid_(grid),
          picks_(picks),
          options_(options),
          lists_(by_event(picks)),
          smoother_(options.smoother) {}

    PassReport predict(const Model& model, const BackprojectionOptions& options,
                       const Execution& execution) override;
    ModelUpdate step(const Model& model, const Stage& stage, Monitor& monitor,
                     KeptIteration* kept) override;
    CellSums sums() override { return sums_->download(); }
    Field<float> coverage() override;

  private:
    using Clock = std::chrono::steady_clock;

    TracedBatch trace(const Model& model, const SourceBatch& batch,
                      const BackprojectionOptions& options, const Execution& execution);

    Field<double> download_nodes() const {
        Field<double> nodes(grid_.shape);
        nodes_.download(std::span(nodes.data(), nodes.size()));
        return nodes;
    }

    int device_ = device_in_use();
    Grid grid_;
    const Survey& picks_;
    const InversionOptions& options_;
    std::vector<std::vector<std::int32_t>> lists_;
    std::optional<CudaFim> fim_;
    CudaTracer tracer_;
    bool velocity_is_there_ = false;  ///< the last update left the model's on the device
    std::optional<DeviceCellSums> sums_;
    UploadedRows uploaded_;
    DeviceSmoother smoother_;
    CudaArray<double> nodes_;
    CudaArray<std::uint8_t> mask_;
    CudaArray<float> updated_;
    CudaArray<unsigned long long> largest_{1};
    CudaTimer timer_;
};

/// Fields and rays of some sources; the cells that rays cross stay on the device.
TracedBatch CudaHoleStep::trace(const Model& model, const SourceBatch& batch,
                                const BackprojectionOptions& options, const Execution& execution) {
    use_device(device_);  // ranks deal to threads of their own
    TracedBatch traced;
    if (batch.alive.empty()) return traced;
    std::vector<FactoredSource> sources;
    std::vector<ShotRays> shots;
    for (const std::int32_t s : batch.alive) {
        const auto event = static_cast<std::size_t>(s);
        shots.push_back(shot_rays(model, picks_, event, lists_[event]));
        sources.push_back(shots.back().source);
    }
    traced.field_seconds = fim_->solve(sources);
    CudaTracer::Crossed crossed = tracer_.cross_cells(model, *fim_, shots, options.rays, execution);
    traced.rays = std::move(crossed.rays);
    traced.rows = crossed.rows;
    traced.ray_seconds = tracer_.seconds();
    return traced;
}

PassReport CudaHoleStep::predict(const Model& model, const BackprojectionOptions& options,
                                 const Execution& execution) {
    Ranks& ranks = execution.ranks;
    Monitor& monitor = execution.monitor;
    const auto start = Clock::now();
    const auto rank_count = static_cast<std::size_t>(ranks.size());
    const std::size_t share = (lists_.size() + rank_count - 1) / rank_count;
    std::size_t most = 0;
    together(ranks, [&] {
        if (!fim_) {
            fim_.emplace(model, options_.eikonal.order, std::min(share, filling_batch(grid_)));
        } else if (!velocity_is_there_) {
            fim_->set_velocity(model);
        }
        velocity_is_there_ = false;
        most = std::min(share, fim_->batch());
    });
    // All ranks cut the sources into the same batches.
    most = broadcast_value(ranks, most);
    together(ranks, [&] {
        if (most <= fim_->batch()) return;
        throw ComputeError("the CUDA device of a rank has memory for " +
                           std::to_string(fim_->batch()) + " shots at a time and that of rank 0 " +
                           "for " + std::to_string(most) + " (give ranks equal devices)");
    });
    const auto batches = batches_of(model, picks_, lists_, most);

    std::optional<PickLedger> ledger;
    if (ranks.is_root()) {
        ledger.emplace(picks_, options.picks);
        if (!sums_) sums_.emplace(grid_.cell_shape());
        sums_->clear();
    }
    double field_seconds = 0;
    double ray_seconds = 0;
    const auto take = [&](const SourceBatch& batch, const TracedBatch& traced) {
        sums_->add(traced.rows, book(*ledger, batch, lists_, traced), options.share);
        field_seconds += traced.field_seconds;
        ray_seconds += traced.ray_seconds;
        monitor.advance(static_cast<std::int64_t>(batch.picks));
    };
    monitor.begin("times and rays", static_cast<std::int64_t>(picks_.arrivals.size()));
    if (ranks.size() == 1) {
        for (const SourceBatch& batch : batches) {
            monitor.check();
            take(batch, trace(model, batch, options, execution));
        }
    } else {
        deal_in_order(
            ranks, static_cast<std::int64_t>(batches.size()), 1,
            [&](std::int64_t b) {
                return pack(trace(model, batches[static_cast<std::size_t>(b)], options, execution),
                            options.share);
            },
            [&](std::int64_t b, const Bytes& bytes) {
                take(batches[static_cast<std::size_t>(b)], unpack(bytes, uploaded_));
            },
            monitor);
    }
    monitor.end();
    PassReport report;
    if (ledger) report.picks = ledger->take();
    const double both = field_seconds + ray_seconds;
    report.ray_fraction = both > 0 ? ray_seconds / both : 0;
    report.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return report;
}

ModelUpdate CudaHoleStep::step(const Model& model, const Stage& stage, Monitor& monitor,
                               KeptIteration* kept) {
    monitor.check();
    const auto start = Clock::now();
    const std::size_t count = grid_.node_count();
    const Shape cells = grid_.cell_shape();
    const float* const velocity = fim_->velocity().data();
    nodes_.reserve(count);
    updated_.reserve(count);
    timer_.start();
    smoother_.cells(sums_->perturbation(), sums_->weight(), cells, stage.cell, stage.cell_passes);
    const double cell_smoothing = timer_.stop("smoothing cells");
    if (kept != nullptr) kept->cells = sums_->download().perturbation;

    spread_to_nodes<<<blocks_for(count, threads), threads>>>(
        {sums_->perturbation(), cells}, stage.cell, {nodes_.data(), grid_.shape});
    if (kept != nullptr) kept->nodes = download_nodes();
    if (model.has_air()) {
        mask_.reserve(count);
        find_rock<<<blocks_for(count, threads), threads>>>(velocity, count, mask_.data());
    }
    timer_.start();
    smoother_.vertices(nodes_.data(), model.has_air() ? mask_.data() : nullptr, grid_.shape,
                       stage.vertex, stage.vertex_passes);
    const double vertex_smoothing = timer_.stop("smoothing vertices");
    if (kept != nullptr) kept->smooth_nodes = download_nodes();

    check_cuda(cudaMemset(largest_.data(), 0, largest_.bytes()), "updating the model");
    apply<<<blocks_for(count, threads), threads>>>(velocity, nodes_.data(), count, options_.update,
                                                   updated_.data(), largest_.data());
    check_cuda(cudaGetLastError(), "updating the model");
    fim_->set_velocity(FieldView<const float, Space::device>(updated_.data(), grid_.shape));
    velocity_is_there_ = true;
    Field<float> next(grid_.shape);
    updated_.download(std::span(next.data(), next.size()));
    unsigned long long bits = 0;
    largest_.download(std::span(&bits, 1));
    Model made(grid_, std::move(next));
    const double all = std::chrono::duration<double>(Clock::now() - start).count();
    return {std::move(made), std::bit_cast<double>(bits), cell_smoothing, vertex_smoothing,
            all - cell_smoothing - vertex_smoothing};
}

Field<float> CudaHoleStep::coverage() {
    Field<float> count(grid_.cell_shape());
    sums_->count().download(std::span(count.data(), count.size()));
    return count;
}

}  // namespace

std::unique_ptr<HoleStep> make_cuda_step(const Grid& grid, const Survey& picks,
                                         const InversionOptions& options, const Ranks& ranks) {
    const int devices = device_count();
    if (ranks.size() > 1 && devices > 1) use_device(ranks.local_rank() % devices);
    return std::make_unique<CudaHoleStep>(grid, picks, options);
}

}  // namespace fermat
