#include <cmath>
#include <optional>

#include "core/device.hpp"
#include "core/parallel.hpp"
#include "eikonal/adjoint/adjoint_cuda.hpp"
#include "eikonal/adjoint/adjoint_state.cuh"
#include "eikonal/adjoint/field_adjoint.hpp"

namespace fermat {
namespace {

using namespace adjoint_kernels;

constexpr unsigned wide = 1024;  ///< blocks of the simple kernels: enough to fill any device

std::size_t batch_that_fits(const Grid& grid, std::size_t sources) {
    if (device_count() == 0) {
        throw InputError("this machine has no CUDA device (use `device=cpu`)");
    }
    const std::size_t nodes = grid.node_count();
    // tau, weights of each axis and of the slowness, what is asked, lambda, what passes through the
    // faces of tiles, and the lists of tiles, of which some lie outside; beside them the model and
    // the sum.
    const std::size_t each = nodes * sizeof(float) * (grid.is_2d() ? 9U : 11U);
    const std::size_t once = nodes * (sizeof(float) + 2 * sizeof(double));
    const auto usable = static_cast<std::size_t>(0.9 * static_cast<double>(device_memory().free));
    const std::size_t most = usable > once ? (usable - once) / each : 0;
    return std::clamp(std::min({sources, filling_batch(grid), most}), std::size_t{1},
                      std::size_t{4096});
}

/// Blocks that sum over the nodes of one source: the same for every batch, so that sums are too.
unsigned blocks_of_shot(std::size_t nodes) {
    return static_cast<unsigned>(std::clamp<std::size_t>(nodes / (32 * threads), 1, wide));
}

cudaStream_t on_stream() { return cuda_stream(); }

}  // namespace

struct CudaAdjoint::State {
    using BoxOf = std::function<SourceBox(Vec3)>;

    State(const Grid& of, int of_order, std::vector<PointSource> all, const ReceiverHats& hats,
          CudaFim solver, BoxOf boxes_of, int host_threads)
        : grid(of),
          order(of_order),
          all_sources(std::move(all)),
          receivers(hats),
          fim(std::move(solver)),
          box_of(std::move(boxes_of)),
          cores(host_threads),
          nodes(grid.node_count()),
          dimensions(grid.is_2d() ? 2 : 3),
          unit(smallest_spacing(grid)),
          blocks(blocks_of_shot(nodes)),
          by_slowness(nodes),
          by_receivers(hats.receivers()),
          shot_sums(fim.batch()),
          heard_shots(fim.batch()),
          counters(3) {
        clear();
    }

    Grid grid;
    int order;
    std::vector<PointSource> all_sources;
    ReceiversOnCuda receivers;
    CudaFim fim;
    BoxOf box_of;
    int cores;
    std::size_t nodes;
    int dimensions;
    double unit;
    unsigned blocks;
    std::size_t first = 0;  ///< source of the last solve
    std::size_t count = 0;
    std::vector<std::optional<SourceBox>> boxes;  ///< of the last solve
    std::optional<BackMemory> back;
    bool asking = false;  ///< something was asked since the last solve or substitution
    bool everywhere = false;
    CudaArray<double> by_slowness;
    CudaArray<Vec3> by_receivers;
    CudaArray<NodeSums> shot_sums;
    CudaArray<HeardShot> heard_shots;
    CudaArray<unsigned> counters;  ///< passes, tiles given up, a node whose dJ/dT is not finite
    CudaArray<double> from_host;
    CudaArray<double> shares;
    SparseSum beside_sources;
    AdjointGradient out;
    int last_passes = 0;
    std::size_t last_entries = 0;

    std::size_t receiver_count() const { return receivers.heard().receivers; }

    void clear() {
        out.sources.assign(all_sources.size(), {});
        out.start_times.assign(all_sources.size(), 0.0);
        out.unsettled = 0;
        beside_sources.clear();
        check_cuda(cudaMemsetAsync(by_slowness.data(), 0, by_slowness.bytes(), on_stream()),
                   "setting up the adjoint");
        if (by_receivers.size() == 0) return;
        check_cuda(cudaMemsetAsync(by_receivers.data(), 0, by_receivers.bytes(), on_stream()),
                   "setting up the adjoint");
    }
    /// The fields of the last solve, for kernels.
    std::vector<BackShot<float>> shots() const {
        std::vector<BackShot<float>> all;
        for (std::size_t n = 0; n < count; ++n) {
            const auto axes = static_cast<std::size_t>(dimensions);
            const std::size_t first_value = n * back->tile_values;
            all.push_back({fim.tau(n).data(), boxes[n]->factored().slowness,
                           back->weights.data() + axes * first_value,
                           back->by_slowness.data() + first_value, back->asked.data() + n * nodes,
                           back->lambda.data() + first_value,
                           back->incoming.data() + n * back->face_values, 0});
        }
        return all;
    }
    void send_heard_shots() {
        std::vector<HeardShot> all;
        for (std::size_t n = 0; n < count; ++n) {
            all.push_back({boxes[n]->factored(), all_sources[first + n].start_time,
                           fim.tau(n).data(), back ? back->asked.data() + n * nodes : nullptr});
        }
        heard_shots.upload(all);
    }
    void begin_asking() {
        if (asking) return;
        asking = true;
        everywhere = false;
        if (!back) {
            const auto tiles = static_cast<std::size_t>(fim.tiles().problem.tile_count());
            back.emplace(nodes, tiles, dimensions, fim.batch(), blocks);
        }
        check_cuda(
            cudaMemsetAsync(back->asked.data(), 0, count * nodes * sizeof(float), on_stream()),
            "asking nodes");
        constexpr unsigned none = std::numeric_limits<unsigned>::max();
        check_cuda(cudaMemsetAsync(counters.data() + 2, 0xff, sizeof none, on_stream()),
                   "asking nodes");
    }
    /// Throws InputError if a kernel met a derivative that is not finite.
    void require_finite(const char* where) {
        unsigned number = 0;
        copy_and_wait(&number, counters.data() + 2, sizeof number, cudaMemcpyDeviceToHost,
                      "asking nodes");
        if (number == std::numeric_limits<unsigned>::max()) return;
        asking = false;
        require_derivative(NAN, where, number);
    }
    /// From the axes of a tile to those of the grid.
    Vec3 turned(const double (&of_tile)[3]) const {
        return dimensions == 2 ? Vec3{of_tile[1], 0, of_tile[2]}
                               : Vec3{of_tile[0], of_tile[1], of_tile[2]};
    }
    /// Adds sums of single sources, beginning with source `number` of the last solve.
    template <class SlopeOf>
    void add_sums(std::size_t number, std::size_t of_sources, SlopeOf slope_of) {
        std::vector<NodeSums> found(of_sources);
        shot_sums.download(found);
        for (std::size_t n = 0; n < of_sources; ++n) {
            const std::size_t s = first + number + n;
            out.sources[s] = out.sources[s] + slope_of(found[n]);
            out.start_times[s] += found[n].start_time;
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
        check_cuda(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                                        cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        static_cast<int>(shared)),
                   "starting the adjoint");
        const unsigned groups = blocks_for(tiles.entries, weigh_warps);
        kernel<<<groups, weigh_warps * CudaWarp::lanes, shared, on_stream()>>>(
            tiles.problem, back->fields.data(), back_order, everywhere);
    }
    void run_passes(TileBatch& tiles, BackOrder& back_order) {
        adjoint_kernels::clear<<<1, threads, 0, on_stream()>>>(tiles.queue);
        BackProblem<float> problem;
        problem.tiles = tiles.problem;
        problem.fields = back->fields.data();
        problem.everywhere = everywhere;
        problem.unsettled = counters.data() + 1;
        auto* passes = reinterpret_cast<int*>(counters.data());
        void* arguments[] = {&problem, &back_order, &tiles.queue, &passes};
        dimensions == 2 ? launch_passes<2>(tiles.entries, arguments)
                        : launch_passes<3>(tiles.entries, arguments);
    }
    template <int Dim>
    static void launch_passes(std::size_t entries, void** arguments) {
        const void* const kernel = reinterpret_cast<const void*>(&run_back<Dim>);
        const std::size_t shared = warps * sizeof(BackStorage<Dim, float>);
        int device = 0;
        int processors = 0;
        int resident = 0;
        check_cuda(cudaGetDevice(&device), "asking for the device");
        check_cuda(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device),
                   "asking for the device");
        check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        static_cast<int>(shared)),
                   "starting the adjoint");
        check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel,
                                                                 substitution_threads, shared),
                   "starting the adjoint");
        // A pass visits the tiles of one parity. Warps without one would only make all others wait
        // longer for each other.
        const std::size_t busy = (entries + 2 * warps - 1) / (2 * warps);
        const auto blocks = static_cast<unsigned>(std::min<std::size_t>(
            static_cast<std::size_t>(std::max(1, resident) * processors), busy));
        check_cuda(cudaLaunchCooperativeKernel(kernel, dim3(blocks), dim3(substitution_threads),
                                               arguments, shared, on_stream()),
                   "starting the adjoint");
    }
    /// Adds what start nodes say of the sources of the last solve and of the slownesses round them.
    void add_starts() {
        std::vector<std::size_t> at;
        for (std::size_t n = 0; n < count; ++n) {
            for (const std::size_t node : boxes[n]->nodes()) at.push_back(n * nodes + node);
        }
        CudaArray<std::size_t> places(at.size());
        CudaArray<float> values(at.size());
        places.upload(at);
        const unsigned groups = blocks_for(at.size(), threads);
        const TileProblem problem = fim.tiles().problem;
        with_scheme([&]<int Dim, int Order>() {
            pick<Dim><<<groups, threads, 0, on_stream()>>>(problem, back->fields.data(),
                                                           places.data(), at.size(), values.data());
        });
        std::vector<float> by_w(at.size());
        values.download(by_w);
        std::vector<std::vector<std::pair<std::size_t, double>>> beside(count);
        std::vector<std::size_t> begin(1, 0);
        for (const auto& box : boxes) begin.push_back(begin.back() + box->nodes().size());
        parallel_for(static_cast<std::int64_t>(count), cores, [&](std::int64_t i) {
            const auto n = static_cast<std::size_t>(i);
            for (std::size_t m = 0; m < boxes[n]->nodes().size(); ++m) {
                const double by = by_w[begin[n] + m];
                if (by == 0) continue;
                const Vec3 slope = boxes[n]->derivative(m, [&](std::size_t node, double part) {
                    beside[n].emplace_back(node, by * part);
                });
                out.sources[first + n] = out.sources[first + n] + by * slope;
            }
        });
        for (const auto& of_source : beside) {
            for (const auto& [node, value] : of_source) beside_sources.add(node, value);
        }
    }
    template <class Number>
    void ask_on_device(std::size_t number, const Number* by_times) {
        begin_asking();
        everywhere = true;
        ask<<<blocks, threads, 0, on_stream()>>>(
            fim.tiles().problem, static_cast<int>(number), by_times, unit,
            boxes[number]->factored().slowness, fim.tau(number).data(),
            back->asked.data() + number * nodes, back->sums.data(), counters.data() + 2);
        add_blocks<<<1, threads, 0, on_stream()>>>(back->sums.data(), static_cast<int>(blocks),
                                                   shot_sums.data());
        require_finite("node");
        add_sums(number, 1, [&](const NodeSums& sum) { return turned(sum.slope); });
    }
    template <class Number>
    void ask_receivers_on_device(const Number* by_times) {
        const HeardReceivers& heard = receivers.heard();
        begin_asking();
        if (heard.receivers == 0) return;
        send_heard_shots();
        shares.reserve(count * heard.receivers);
        const auto rows = static_cast<unsigned>(count);
        pull_sources<<<rows, threads, 0, on_stream()>>>(heard, heard_shots.data(), by_times,
                                                        shares.data(), shot_sums.data(),
                                                        counters.data() + 2);
        ask_slots<<<dim3(blocks_for(heard.slots, threads), rows), threads, 0, on_stream()>>>(
            heard, heard_shots.data(), shares.data());
        require_finite("receiver");
        pull_receivers<<<blocks_for(heard.receivers, threads), threads, 0, on_stream()>>>(
            heard, heard_shots.data(), static_cast<int>(count), by_times, by_receivers.data());
        add_sums(0, count, [](const NodeSums& sum) {
            return Vec3{sum.slope[0], sum.slope[1], sum.slope[2]};
        });
    }
    template <class Number>
    void hear_on_device(Number* times) {
        const HeardReceivers& heard = receivers.heard();
        if (heard.receivers == 0) return;
        send_heard_shots();
        const dim3 rows(blocks_for(heard.receivers, threads), static_cast<unsigned>(count));
        hear<<<rows, threads, 0, on_stream()>>>(heard, heard_shots.data(), times);
        check_cuda(cudaStreamSynchronize(on_stream()), "hearing times");
    }
    AdjointGradient all_but_slowness() {
        beside_sources.flush(by_slowness.data());
        AdjointGradient found = {{}, out.sources, out.start_times, {}, out.unsettled};
        found.receivers.resize(receiver_count());
        if (receiver_count() > 0) by_receivers.download(found.receivers);
        if (dimensions == 2) {
            for (Vec3& source : found.sources) source.y = 0;
            for (Vec3& receiver : found.receivers) receiver.y = 0;
        }
        return found;
    }
};

CudaAdjoint::CudaAdjoint(const AdjointSurvey& survey, int threads) {
    const Model& model = survey.model();
    const std::size_t batch = batch_that_fits(model.grid(), survey.sources().size());
    const int order = survey.options().order;
    state_ = std::make_unique<State>(
        model.grid(), order,
        std::vector<PointSource>(survey.sources().begin(), survey.sources().end()), survey.hats(),
        CudaFim(model, order, batch),
        [&survey](Vec3 p) { return SourceBox(survey.model(), survey.slowness(), p); },
        resolve_threads(threads));
}

CudaAdjoint::CudaAdjoint(const CudaModel& model, std::vector<PointSource> sources,
                         std::vector<Vec3> receivers, int order) {
    const Grid& grid = model.grid();
    place_receivers(grid, receivers);
    const std::size_t batch = batch_that_fits(grid, sources.size());
    // A thread of its own would compute on another stream.
    state_ = std::make_unique<State>(
        grid, order, std::move(sources), ReceiverHats(grid, receivers),
        CudaFim(model, order, batch), [&model](Vec3 p) { return SourceBox(model, p); }, 1);
}

CudaAdjoint::~CudaAdjoint() = default;

std::size_t CudaAdjoint::batch() const { return state_->fim.batch(); }

double CudaAdjoint::solve(std::size_t first, std::size_t count) {
    State& s = *state_;
    s.first = first;
    s.count = count;
    s.asking = false;
    s.boxes.clear();
    s.boxes.resize(count);
    parallel_for(static_cast<std::int64_t>(count), s.cores, [&](std::int64_t i) {
        const auto n = static_cast<std::size_t>(i);
        s.boxes[n].emplace(s.box_of(s.all_sources[first + n].position));
    });
    std::vector<FactoredSource> sources;
    for (const auto& box : s.boxes) sources.push_back(box->factored());
    return s.fim.solve(sources);
}

void CudaAdjoint::receiver_times(std::span<double> times) {
    State& s = *state_;
    s.from_host.reserve(times.size());
    s.hear_on_device(s.from_host.data());
    if (!times.empty()) s.from_host.download(times);
}

void CudaAdjoint::receiver_times(float* on_device) { state_->hear_on_device(on_device); }

void CudaAdjoint::write_times(std::size_t number, FieldView<float, Space::device> times) const {
    const State& s = *state_;
    s.fim.write_times(number, s.boxes[number]->factored(),
                      s.all_sources[s.first + number].start_time, CudaFim::Keep::all, times);
}

void CudaAdjoint::ask_nodes(std::size_t number, FieldView<const double> by_times) {
    State& s = *state_;
    s.from_host.reserve(s.nodes);
    s.from_host.upload(std::span(by_times.data(), by_times.size()));
    s.ask_on_device(number, s.from_host.data());
}

void CudaAdjoint::ask_nodes(std::size_t number, FieldView<const float, Space::device> by_times) {
    state_->ask_on_device(number, by_times.data());
}

void CudaAdjoint::ask_receivers(std::span<const double> by_times) {
    State& s = *state_;
    s.from_host.reserve(by_times.size());
    if (!by_times.empty()) s.from_host.upload(by_times);
    s.ask_receivers_on_device(s.from_host.data());
}

void CudaAdjoint::ask_receivers(const float* on_device) {
    state_->ask_receivers_on_device(on_device);
}

double CudaAdjoint::substitute() {
    State& s = *state_;
    s.begin_asking();
    s.asking = false;
    TileBatch tiles = s.fim.tiles();
    s.last_entries = tiles.entries;
    BackMemory& back = *s.back;
    back.fields.upload(s.shots());
    check_cuda(cudaMemsetAsync(s.counters.data(), 0, 2 * sizeof(unsigned), on_stream()),
               "starting the adjoint");
    const auto count = static_cast<unsigned>(s.count);
    CudaTimer timer;
    timer.start();
    check_cuda(cudaMemsetAsync(back.lambda.data(), 0, s.count * back.tile_values * sizeof(float),
                               on_stream()),
               "starting the adjoint");
    BackOrder order = back.order(tiles);
    s.with_scheme([&]<int Dim, int Order>() { s.weigh_tiles<Dim, Order>(tiles, order); });
    s.run_passes(tiles, order);
    s.with_scheme([&]<int Dim, int Order>() {
        add_slowness<Dim><<<2 * wide, threads, 0, on_stream()>>>(
            tiles.problem, back.fields.data(), static_cast<int>(count), s.by_slowness.data());
        add_slopes<Dim, Order><<<dim3(s.blocks, count), threads, 0, on_stream()>>>(
            tiles.problem, back.fields.data(), order, s.unit, back.sums.data());
    });
    add_blocks<<<count, threads, 0, on_stream()>>>(back.sums.data(), static_cast<int>(s.blocks),
                                                   s.shot_sums.data());
    const double seconds = timer.stop("the adjoint");
    unsigned counted[2] = {};
    copy_and_wait(counted, s.counters.data(), sizeof counted, cudaMemcpyDeviceToHost,
                  "the adjoint");
    s.last_passes = static_cast<int>(counted[0]);
    if (counted[1] > 0) {
        throw ComputeError(
            "the adjoint of the times does not settle (the model's times hardly do either; try "
            "order 1)");
    }
    s.add_sums(0, s.count, [&](const NodeSums& sum) { return s.turned(sum.slope); });
    s.add_starts();
    return seconds;
}

AdjointGradient CudaAdjoint::gradient() const {
    State& s = *state_;
    AdjointGradient found = s.all_but_slowness();
    found.slowness = Field<double>(s.grid.shape);
    s.by_slowness.download(std::span(found.slowness.data(), found.slowness.size()));
    return found;
}

AdjointGradient CudaAdjoint::gradient(FieldView<float, Space::device> by_slowness) const {
    State& s = *state_;
    AdjointGradient found = s.all_but_slowness();
    round_to_single<<<wide, threads, 0, on_stream()>>>(s.by_slowness.data(), s.nodes,
                                                       by_slowness.data());
    check_cuda(cudaStreamSynchronize(on_stream()), "handing on the gradient");
    return found;
}

void CudaAdjoint::clear() { state_->clear(); }

void CudaAdjoint::release() {
    state_->back.reset();
    state_->asking = false;
}

CudaAdjoint::Work CudaAdjoint::work() const {
    const State& s = *state_;
    unsigned visits = 0;
    check_cuda(cudaMemsetAsync(s.counters.data(), 0, sizeof visits, on_stream()),
               "counting visits");
    count_visits<<<wide, threads, 0, on_stream()>>>(s.fim.tiles().queue.states, s.last_entries,
                                                    s.counters.data());
    copy_and_wait(&visits, s.counters.data(), sizeof visits, cudaMemcpyDeviceToHost,
                  "counting visits");
    return {
        static_cast<double>(visits) / static_cast<double>(std::max<std::size_t>(s.last_entries, 1)),
        s.last_passes};
}

}  // namespace fermat
