#include <cmath>
#include <optional>

#include "core/device.hpp"
#include "core/parallel.hpp"
#include "eikonal/adjoint/adjoint_batch.cuh"
#include "eikonal/adjoint/adjoint_cuda.hpp"
#include "eikonal/adjoint/field_adjoint.hpp"
#include "eikonal/adjoint/hats_cuda.hpp"

namespace fermat {
namespace {

using namespace adjoint_kernels;

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
    const std::size_t wanted = std::clamp<std::size_t>(sources, 1, filling_batch(grid));
    if (wanted == 1) return 1;
    constexpr double part = 0.9;  // the rest is for what is not counted here
    const double needed = static_cast<double>(wanted * each + once) / part + 1;
    const std::size_t free = free_device_memory(static_cast<std::size_t>(needed));
    const auto usable = static_cast<std::size_t>(part * static_cast<double>(free));
    const std::size_t most = usable > once ? (usable - once) / each : 0;
    return std::clamp(std::min(wanted, most), std::size_t{1}, std::size_t{4096});
}

std::vector<SourceBox> each_of(std::vector<std::optional<SourceBox>> found) {
    std::vector<SourceBox> boxes;
    for (auto& box : found) boxes.push_back(std::move(*box));
    return boxes;
}

}  // namespace

CudaAdjoint::CudaAdjoint(const AdjointSurvey& survey, int threads, std::size_t most_sources) {
    const Model& model = survey.model();
    const std::size_t batch =
        batch_that_fits(model.grid(), std::min(survey.sources().size(), most_sources));
    const int order = survey.options().order;
    const int cores = resolve_threads(threads);
    const auto boxes_of = [&survey, cores](std::span<const PointSource> sources) {
        std::vector<std::optional<SourceBox>> found(sources.size());
        parallel_for(static_cast<std::int64_t>(sources.size()), cores, [&](std::int64_t i) {
            const auto n = static_cast<std::size_t>(i);
            found[n].emplace(survey.model(), survey.slowness(), sources[n].position);
        });
        return each_of(std::move(found));
    };
    state_ = std::make_unique<State>(
        model.grid(), order,
        std::vector<PointSource>(survey.sources().begin(), survey.sources().end()),
        CudaFim(model, order, batch), boxes_of, cores);
    state_->hats = [&survey] { return survey.hats(); };
}

CudaAdjoint::CudaAdjoint(const CudaModel& model, std::vector<PointSource> sources,
                         std::vector<Vec3> receivers, int order) {
    const Grid& grid = model.grid();
    place_receivers(grid, receivers);
    const std::size_t batch = batch_that_fits(grid, sources.size());
    // Few sources are done before other threads have begun.
    constexpr std::size_t sources_of_thread = 8;
    const int cores = static_cast<int>(std::clamp<std::size_t>(
        batch / sources_of_thread, 1, static_cast<std::size_t>(resolve_threads(0))));
    const auto boxes_of = [&model, cores](std::span<const PointSource> some) {
        std::vector<Vec3> positions;
        for (const PointSource& source : some) positions.push_back(source.position);
        std::vector<PartOfModel> parts = round_sources(model, positions);
        std::vector<std::optional<SourceBox>> found(some.size());
        parallel_for(static_cast<std::int64_t>(some.size()), cores, [&](std::int64_t i) {
            const auto n = static_cast<std::size_t>(i);
            found[n].emplace(model.grid().shape, std::move(parts[n]));
        });
        return each_of(std::move(found));
    };
    state_ = std::make_unique<State>(grid, order, std::move(sources), CudaFim(model, order, batch),
                                     boxes_of, cores);
    state_->hats = [&model, receivers = std::move(receivers)] { return hats_in(model, receivers); };
}

CudaAdjoint::~CudaAdjoint() = default;

std::size_t CudaAdjoint::batch() const { return state_->fim.batch(); }

void CudaAdjoint::want_positions(bool wanted) { state_->by_position = wanted; }

void CudaAdjoint::solve(std::size_t first, std::size_t count) {
    State& s = *state_;
    s.fim.start(s.sources_of(first, count));
}

double CudaAdjoint::timed_solve(std::size_t first, std::size_t count) {
    State& s = *state_;
    return s.fim.solve(s.sources_of(first, count));
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
    s.fim.write_times(number, s.boxes[number].factored(),
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

void CudaAdjoint::propagate() {
    State& s = *state_;
    s.begin_asking();
    s.asking = false;
    TileBatch tiles = s.fim.tiles();
    s.last_entries = tiles.entries;
    s.send_fields();
    BackMemory& back = *s.back;
    const auto count = static_cast<unsigned>(s.count);
    if (!s.timer) s.timer.emplace();
    s.timer->start();
    check_cuda(
        cudaMemsetAsync(back.lambda, 0, s.count * back.tile_values * sizeof(float), on_stream()),
        "starting the adjoint");
    BackOrder order = back.order(tiles);
    s.with_scheme([&]<int Dim, int Order>() { s.weigh_tiles<Dim, Order>(tiles, order); });
    s.run_passes(tiles, order);
    s.with_scheme([&]<int Dim, int Order>() {
        add_slopes<Dim, Order><<<dim3(s.blocks, count), threads, 0, on_stream()>>>(
            tiles.problem, back.fields, order, s.unit, s.by_position, back.sums);
    });
    add_blocks<<<count, threads, 0, on_stream()>>>(back.sums, static_cast<int>(s.blocks),
                                                   back.report.of_lambda);
    if (s.everywhere) {
        add_blocks<<<count, threads, 0, on_stream()>>>(back.asked_sums, static_cast<int>(s.blocks),
                                                       back.report.of_nodes);
    }
    const std::size_t starts = s.start_count();
    s.with_scheme([&]<int Dim, int Order>() {
        pick<Dim><<<blocks_for(starts, threads), threads, 0, on_stream()>>>(
            tiles.problem, back.fields, back.start_places, starts, back.report.at_starts);
    });
    check_cuda(cudaGetLastError(), "the adjoint");
    // The host computes while the device does.
    s.find_start_parts();
}

double CudaAdjoint::add_up() {
    State& s = *state_;
    BackMemory& back = *s.back;
    if (s.by_slowness.size() == 0) s.by_slowness = CudaArray<double>(s.nodes);
    s.with_scheme([&]<int Dim, int Order>() {
        add_slowness<Dim><<<2 * wide, threads, 0, on_stream()>>>(s.fim.tiles().problem, back.fields,
                                                                 static_cast<int>(s.count), s.fresh,
                                                                 s.by_slowness.data());
    });
    s.fresh = false;
    if (s.heard_by != nullptr) {
        s.heard_by_double ? s.add_receivers(static_cast<const double*>(s.heard_by))
                          : s.add_receivers(static_cast<const float*>(s.heard_by));
    }
    s.timer->mark_end();
    s.give_slots();
    std::vector<std::byte> fetched(back.report_bytes());
    fetch_small(fetched.data(), back.memory.data(), fetched.size(), "the adjoint");
    PieceCutter cutter(fetched.data());
    BackReport report;
    report.cut(cutter, back.shots, back.starts);
    const double seconds = s.timer->seconds("the adjoint");
    if (report.counts->bad_node != 0) {
        require_derivative(NAN, "node", told_number(report.counts->bad_node));
    }
    if (report.counts->bad_receiver != 0) {
        require_derivative(NAN, "receiver", told_number(report.counts->bad_receiver));
    }
    s.last_passes = report.counts->passes;
    if (report.counts->given_up > 0) {
        throw ComputeError(
            "the adjoint of the times does not settle (the model's times hardly do either; try "
            "order 1)");
    }
    const auto in_tiles = [&](const NodeSums& sum) { return s.turned(sum.slope); };
    s.add_sums(report.of_nodes, in_tiles);
    s.add_sums(report.of_receivers, [](const NodeSums& sum) {
        return Vec3{sum.slope[0], sum.slope[1], sum.slope[2]};
    });
    s.add_sums(report.of_lambda, in_tiles);
    s.add_starts(report.at_starts);
    return seconds;
}

void CudaAdjoint::take_over(const CudaAdjoint& other) {
    State& s = *state_;
    const State& from = *other.state_;
    s.out = {{}, from.out.sources, from.out.start_times, {}, from.out.unsettled};
    s.beside_sources = from.beside_sources;
    s.fresh = from.fresh;
    const auto copy = [&](auto& to, const auto& of) {
        to.reserve(of.size());
        check_cuda(cudaMemcpyPeerAsync(to.data(), s.device, of.data(), from.device, of.bytes(),
                                       on_stream()),
                   "passing sums from device to device");
    };
    if (!from.fresh) copy(s.by_slowness, from.by_slowness);
    if (from.by_receivers.size() > 0) copy(s.by_receivers, from.by_receivers);
    check_cuda(cudaStreamSynchronize(on_stream()), "passing sums from device to device");
}

double CudaAdjoint::substitute() {
    propagate();
    return add_up();
}

AdjointGradient CudaAdjoint::gradient() const {
    State& s = *state_;
    AdjointGradient found = s.all_but_slowness();
    found.slowness = Field<double>(s.grid.shape);
    s.by_slowness.download(std::span(found.slowness.data(), found.slowness.size()));
    return found;
}

AdjointGradient CudaAdjoint::gradient(FieldView<float, Space::device> to, By by) const {
    State& s = *state_;
    AdjointGradient found = s.all_but_slowness();
    hand_on<<<wide, threads, 0, on_stream()>>>(
        s.by_slowness.data(), s.nodes, by == By::velocity ? s.fim.velocity().data() : nullptr,
        to.data());
    check_cuda(cudaGetLastError(), "handing on the gradient");
    return found;
}

void CudaAdjoint::clear() { state_->clear(); }

void CudaAdjoint::release() {
    state_->back.reset();
    state_->asking = false;
}

CudaAdjoint::Work CudaAdjoint::work() const {
    const State& s = *state_;
    const CudaArray<unsigned> counted(1);
    unsigned visits = 0;
    check_cuda(cudaMemsetAsync(counted.data(), 0, sizeof visits, on_stream()), "counting visits");
    count_visits<<<wide, threads, 0, on_stream()>>>(s.fim.tiles().queue.states, s.last_entries,
                                                    counted.data());
    counted.download(std::span(&visits, 1));
    return {
        static_cast<double>(visits) / static_cast<double>(std::max<std::size_t>(s.last_entries, 1)),
        s.last_passes};
}

}  // namespace fermat
