#pragma once

// The state of CudaAdjoint: a survey on the device, the last solve and what was asked of it.

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/device.hpp"
#include "core/occupancy_cuda.hpp"
#include "core/parallel.hpp"
#include "eikonal/adjoint/adjoint_cuda.hpp"
#include "eikonal/adjoint/adjoint_state.cuh"

namespace fermat {
namespace {

using namespace adjoint_kernels;

constexpr unsigned wide = 1024;  ///< blocks of the simple kernels: enough to fill any device

/// Blocks that sum over the nodes of one source: the same for every batch, so that sums are too.
unsigned blocks_of_shot(std::size_t nodes) {
    return static_cast<unsigned>(std::clamp<std::size_t>(nodes / (32 * threads), 1, wide));
}

cudaStream_t on_stream() { return cuda_stream(); }

/// A point source has at most three start nodes along each axis.
constexpr std::size_t most_starts = 27;

}  // namespace

struct CudaAdjoint::State {
    using BoxesOf = std::function<std::vector<SourceBox>(std::span<const PointSource>)>;

    State(const Grid& of, int of_order, std::vector<PointSource> all, CudaFim solver,
          BoxesOf boxes_of_sources, int host_threads)
        : grid(of),
          order(of_order),
          all_sources(std::move(all)),
          fim(std::move(solver)),
          boxes_of(std::move(boxes_of_sources)),
          cores(host_threads),
          nodes(grid.node_count()),
          dimensions(grid.is_2d() ? 2 : 3),
          unit(smallest_spacing(grid)),
          blocks(blocks_of_shot(nodes)),
          device(device_in_use()) {
        clear();
    }

    Grid grid;
    int order;
    std::vector<PointSource> all_sources;
    CudaFim fim;
    BoxesOf boxes_of;
    int cores;
    std::size_t nodes;
    int dimensions;
    double unit;
    unsigned blocks;
    int device;
    std::function<ReceiverHats()> hats;         ///< known from the first solve on
    std::optional<ReceiversOnCuda> receivers_;  ///< made of them when they are needed
    std::size_t first = 0;                      ///< source of the last solve
    std::size_t count = 0;
    std::vector<SourceBox> boxes;                 ///< of the last solve
    std::vector<std::vector<StartParts>> starts;  ///< of the last substitution, by source
    std::optional<BackMemory> back;
    bool asking = false;  ///< something was asked since the last solve or substitution
    bool everywhere = false;
    bool by_position = true;         ///< dJ/d(source position) is wanted
    const void* heard_by = nullptr;  ///< dJ/dT at the receivers, if they were asked
    bool heard_by_double = false;
    CudaArray<double> by_slowness;
    bool fresh = true;  ///< by_slowness holds nothing yet
    CudaArray<Vec3> by_receivers;
    CudaArray<HeardShot> heard_shots;
    CudaArray<double> from_host;
    CudaArray<double> shares;
    SparseSum beside_sources;
    AdjointGradient out;
    int last_passes = 0;
    std::size_t last_entries = 0;
    std::optional<CudaTimer> timer;  ///< of the last substitution

    /// The sources of a solve that begins.
    std::vector<FactoredSource> sources_of(std::size_t from, std::size_t how_many) {
        first = from;
        count = how_many;
        asking = false;
        fim.clear(count);
        boxes = boxes_of(std::span(all_sources).subspan(first, count));
        std::vector<FactoredSource> sources;
        for (const SourceBox& box : boxes) sources.push_back(box.factored());
        return sources;
    }
    const HeardReceivers& heard() {
        if (!receivers_) receivers_.emplace(hats());
        return receivers_->heard();
    }
    void clear() {
        out.sources.assign(all_sources.size(), {});
        out.start_times.assign(all_sources.size(), 0.0);
        out.unsettled = 0;
        beside_sources.clear();
        fresh = true;
        by_receivers = {};
    }
    /// The sum over receivers, 0 at first.
    Vec3* receiver_sums() {
        if (by_receivers.size() > 0) return by_receivers.data();
        by_receivers = CudaArray<Vec3>(heard().receivers);
        check_cuda(cudaMemsetAsync(by_receivers.data(), 0, by_receivers.bytes(), on_stream()),
                   "setting up the adjoint");
        return by_receivers.data();
    }
    /// The fields of the last solve, for kernels.
    std::vector<BackShot<float>> shots() const {
        std::vector<BackShot<float>> all;
        for (std::size_t n = 0; n < count; ++n) {
            const auto axes = static_cast<std::size_t>(dimensions);
            const std::size_t first_value = n * back->tile_values;
            all.push_back({fim.tau(n).data(), boxes[n].factored().slowness,
                           back->weights + axes * first_value, back->by_slowness + first_value,
                           back->asked + n * nodes, back->lambda + first_value,
                           back->incoming + n * back->face_values, 0});
        }
        return all;
    }
    void send_fields() {
        std::vector<std::size_t> at;
        for (std::size_t n = 0; n < count; ++n) {
            for (const std::size_t node : boxes[n].nodes()) at.push_back(n * nodes + node);
        }
        Parcel parcel;
        parcel.add(shots());
        const std::size_t places = parcel.add(at);
        parcel.send(back->sent);
        back->fields = reinterpret_cast<BackShot<float>*>(back->sent);
        back->start_places = reinterpret_cast<const std::size_t*>(back->sent + places);
    }
    std::size_t start_count() const {
        std::size_t sum = 0;
        for (const SourceBox& box : boxes) sum += box.nodes().size();
        return sum;
    }
    void send_heard_shots() {
        std::vector<HeardShot> all;
        for (std::size_t n = 0; n < count; ++n) {
            all.push_back({boxes[n].factored(), all_sources[first + n].start_time,
                           fim.tau(n).data(), back ? back->asked + n * nodes : nullptr});
        }
        heard_shots.reserve(fim.batch());
        heard_shots.upload(all);
    }
    void begin_asking() {
        if (asking) return;
        asking = true;
        everywhere = false;
        heard_by = nullptr;
        const std::size_t places = start_count();
        if (!back || back->starts < places) {
            back.reset();
            const auto tiles = static_cast<std::size_t>(fim.tiles().problem.tile_count());
            back.emplace(nodes, tiles, dimensions, fim.batch(),
                         std::max(places, most_starts * fim.batch()), blocks);
        }
        back->clear(count * nodes);
    }
    /// From the axes of a tile to those of the grid.
    Vec3 turned(const double (&of_tile)[3]) const {
        return dimensions == 2 ? Vec3{of_tile[1], 0, of_tile[2]}
                               : Vec3{of_tile[0], of_tile[1], of_tile[2]};
    }
    /// Adds sums of the sources of the last solve.
    template <class SlopeOf>
    void add_sums(const NodeSums* found, SlopeOf slope_of) {
        for (std::size_t n = 0; n < count; ++n) {
            out.sources[first + n] = out.sources[first + n] + slope_of(found[n]);
            out.start_times[first + n] += found[n].start_time;
            out.unsettled += static_cast<std::int64_t>(found[n].unsettled);
        }
    }
    /// Calls run<Dim, Order>().
    template <class Run>
    void with_scheme(Run run) const {
        if (dimensions == 2) {
            order == 1 ? run.template operator()<2, 1>() : run.template operator()<2, 2>();
        } else {
            order == 1 ? run.template operator()<3, 1>() : run.template operator()<3, 2>();
        }
    }
    template <int Dim, int Order>
    void weigh_tiles(const TileBatch& tiles, const BackOrder& back_order) {
        const auto kernel = &weigh<Dim, Order>;
        const std::size_t shared = weigh_warps * sizeof(WeighStorage<Dim, float>);
        occupancy_of(reinterpret_cast<const void*>(kernel), weigh_warps * CudaWarp::lanes, shared,
                     "starting the adjoint");
        const unsigned groups = blocks_for(tiles.entries, weigh_warps);
        kernel<<<groups, weigh_warps * CudaWarp::lanes, shared, on_stream()>>>(
            tiles.problem, back->fields, back_order, everywhere);
    }
    void run_passes(TileBatch& tiles, BackOrder& back_order) {
        adjoint_kernels::clear<<<1, threads, 0, on_stream()>>>(tiles.queue);
        BackProblem<float> problem;
        problem.tiles = tiles.problem;
        problem.fields = back->fields;
        problem.everywhere = everywhere;
        problem.unsettled = &back->report.counts->given_up;
        int* passes = &back->report.counts->passes;
        void* arguments[] = {&problem, &back_order, &tiles.queue, &passes};
        dimensions == 2 ? launch_passes<2>(tiles.entries, arguments)
                        : launch_passes<3>(tiles.entries, arguments);
    }
    template <int Dim>
    static void launch_passes(std::size_t entries, void** arguments) {
        const void* const kernel = reinterpret_cast<const void*>(&run_back<Dim>);
        const std::size_t shared = warps * sizeof(BackStorage<Dim, float>);
        const Occupancy found =
            occupancy_of(kernel, substitution_threads, shared, "starting the adjoint");
        // A pass visits the tiles of one parity. Warps without one would only make all others wait
        // longer for each other.
        const std::size_t busy = (entries + 2 * warps - 1) / (2 * warps);
        const auto blocks = static_cast<unsigned>(
            std::min<std::size_t>(static_cast<std::size_t>(found.blocks), busy));
        check_cuda(cudaLaunchCooperativeKernel(kernel, dim3(blocks), dim3(substitution_threads),
                                               arguments, shared, on_stream()),
                   "starting the adjoint");
    }
    void find_start_parts() {
        starts.resize(count);
        parallel_for(static_cast<std::int64_t>(count), cores, [&](std::int64_t i) {
            const auto n = static_cast<std::size_t>(i);
            starts[n] = start_parts(boxes[n]);
        });
    }
    void give_slots() {
        for (auto& of_source : starts) {
            for (StartParts& start : of_source) {
                for (auto& beside : start.beside) beside.slot = beside_sources.slot_of(beside.node);
            }
        }
    }
    /// Adds what lambda of start nodes says of the sources of the last solve and of the slownesses
    /// round them.
    void add_starts(const float* lambda) {
        for (std::size_t n = 0; n < count; ++n) {
            Vec3& source = out.sources[first + n];
            for (const StartParts& start : starts[n]) {
                const double by = *lambda++;
                if (by == 0) continue;
                for (const auto& beside : start.beside) {
                    beside_sources.add(beside.slot, by * beside.part);
                }
                source = source + by * start.slope;
            }
        }
    }
    template <class Number>
    void ask_on_device(std::size_t number, const Number* by_times) {
        begin_asking();
        everywhere = true;
        ask<<<blocks, threads, 0, on_stream()>>>(
            fim.tiles().problem, static_cast<int>(number), by_times, unit,
            boxes[number].factored().slowness, fim.tau(number).data(), back->asked + number * nodes,
            back->asked_sums + number * blocks, &back->report.counts->bad_node);
        check_cuda(cudaGetLastError(), "asking nodes");
    }
    template <class Number>
    void ask_receivers_on_device(const Number* by_times) {
        begin_asking();
        if (heard().receivers == 0) return;
        send_heard_shots();
        shares.reserve(count * heard().receivers);
        const auto rows = static_cast<unsigned>(count);
        pull_sources<<<rows, threads, 0, on_stream()>>>(heard(), heard_shots.data(), by_times,
                                                        shares.data(), back->report.of_receivers,
                                                        &back->report.counts->bad_receiver);
        ask_slots<<<dim3(blocks_for(heard().slots, threads), rows), threads, 0, on_stream()>>>(
            heard(), heard_shots.data(), shares.data());
        check_cuda(cudaGetLastError(), "asking receivers");
        heard_by = by_times;
        heard_by_double = std::is_same_v<Number, double>;
    }
    template <class Number>
    void add_receivers(const Number* by_times) {
        Vec3* const sums = receiver_sums();
        pull_receivers<<<blocks_for(heard().receivers, threads), threads, 0, on_stream()>>>(
            heard(), heard_shots.data(), static_cast<int>(count), by_times, sums);
    }
    template <class Number>
    void hear_on_device(Number* times) {
        if (heard().receivers == 0) return;
        send_heard_shots();
        const dim3 rows(blocks_for(heard().receivers, threads), static_cast<unsigned>(count));
        hear<<<rows, threads, 0, on_stream()>>>(heard(), heard_shots.data(), times);
        check_cuda(cudaGetLastError(), "hearing times");
    }
    double* slowness_sums() {
        if (by_slowness.size() == 0) by_slowness = CudaArray<double>(nodes);
        if (fresh) {
            check_cuda(cudaMemsetAsync(by_slowness.data(), 0, by_slowness.bytes(), on_stream()),
                       "setting up the adjoint");
            fresh = false;
        }
        return by_slowness.data();
    }
    AdjointGradient all_but_slowness() {
        beside_sources.flush(slowness_sums());
        AdjointGradient found = {{}, out.sources, out.start_times, {}, out.unsettled};
        if (by_receivers.size() > 0) {
            found.receivers.resize(by_receivers.size());
            fetch_small(found.receivers.data(), by_receivers.data(), by_receivers.bytes(),
                        "handing on the gradient");
        } else {
            found.receivers.assign(hats ? heard().receivers : 0, {});
        }
        if (!by_position) {
            std::fill(found.sources.begin(), found.sources.end(), Vec3{NAN, NAN, NAN});
        }
        if (dimensions == 2) {
            for (Vec3& source : found.sources) source.y = 0;
            for (Vec3& receiver : found.receivers) receiver.y = 0;
        }
        return found;
    }
};

}  // namespace fermat
