#include <algorithm>
#include <cub/device/device_radix_sort.cuh>
#include <limits>
#include <numeric>
#include <vector>

#include "core/device.hpp"
#include "core/error.hpp"
#include "core/memory_cuda.hpp"
#include "core/occupancy_cuda.hpp"
#include "eikonal/adjoint/metric_adjoint_cuda.hpp"
#include "eikonal/adjoint/metric_kernels.cuh"

namespace fermat {
namespace {

constexpr const char* forward_work = "solving equations in double precision";
constexpr const char* backward_work = "the adjoint in double precision";

template <class T>
void set_zero(const CudaArray<T>& array) {
    check_cuda(cudaMemsetAsync(array.data(), 0, array.bytes(), cuda_stream()), backward_work);
}

std::size_t values_of(Anisotropy kind) {
    return kind == Anisotropy::none ? 0 : kind == Anisotropy::thomsen ? 5 : 6;
}

}  // namespace

struct CudaMetricAdjoint::State {
    MetricNodes nodes;  ///< in the memory of the device
    std::size_t count = 0;
    CudaArray<double> slowness;
    std::vector<CudaArray<float>> anisotropy;
    CudaArray<NodeColumn> columns;
    CudaArray<NodeRow> rows;
    std::vector<CudaArray<float>> at_ground;
    CudaArray<float> share;

    // Of the present field.
    std::uint64_t number = 0;
    std::uint64_t solves = 0;  ///< so far
    CudaArray<double> t0;
    CudaArray<Vec3> gamma;
    CudaArray<double> tau;
    CudaArray<unsigned char> branch;
    CudaArray<std::uint32_t> order;
    CudaArray<std::uint32_t> begin;
    CudaArray<std::uint16_t> band;
    std::uint32_t solved = 0;  ///< nodes that have equations
    MetricBands bands;

    // Work space.
    CudaArray<double> next;
    CudaArray<unsigned char> stale;
    CudaArray<unsigned char> fresh;
    CudaArray<std::uint16_t> visits;
    CudaArray<unsigned> least;
    CudaArray<int> passes;
    CudaArray<unsigned long long> counter;
    CudaArray<Start> starts;
    CudaArray<double> pull[3];  ///< later dJ by gamma
    CudaArray<double> asked;
    CudaArray<double> by_tau;
    CudaArray<double> by_t0;
    CudaArray<double> partial;
    CudaArray<double> sum_slowness;
    std::vector<CudaArray<double>> sum_anisotropy;
    Work work;

    MetricSource source() const { return {t0.data(), gamma.data()}; }
    MetricMarks marks() const {
        return {stale.data(), fresh.data(), visits.data(), next.data(), least.data()};
    }
    MetricForward forward() const {
        return {nodes, source(), bands, marks(), tau.data(), branch.data()};
    }
    MetricBackward backward() const {
        return {nodes,
                bands,
                marks(),
                branch.data(),
                {pull[0].data(), pull[1].data(), pull[2].data()},
                asked.data(),
                by_tau.data()};
    }
    PullSums sums() const {
        PullSums out{sum_slowness.data(),
                     {},
                     by_t0.data(),
                     {pull[0].data(), pull[1].data(), pull[2].data()}};
        for (std::size_t k = 0; k < sum_anisotropy.size(); ++k) {
            out.anisotropy[k] = sum_anisotropy[k].data();
        }
        return out;
    }

    void put_starts_down(std::span<const Start> of) {
        starts.reserve(std::max<std::size_t>(of.size(), 1));
        starts.upload(of);
        put_starts<<<blocks_for(of.size() + 1, threads), threads, 0, cuda_stream()>>>(
            starts.data(), static_cast<unsigned>(of.size()), tau.data());
    }
    void make_source(const MetricFactor& factor) {
        make_factors<<<wide, threads, 0, cuda_stream()>>>(nodes, factor, t0.data(), gamma.data());
    }
    /// Bands of the times of tau and T0.
    void make_bands(std::size_t start_count) {
        bands.count = MetricBands::count_for(nodes.shape);
        begin.reserve(static_cast<std::size_t>(bands.count) + 1);
        set_zero(counter);
        find_latest<<<wide, threads, 0, cuda_stream()>>>(t0.data(), tau.data(), count,
                                                         counter.data());
        const CudaArray<std::uint32_t> numbers(count);
        const CudaArray<std::uint16_t> sorted(count);
        put_bands<<<wide, threads, 0, cuda_stream()>>>(t0.data(), tau.data(), count, counter.data(),
                                                       bands.count, band.data(), numbers.data());
        leave_starts_out<<<blocks_for(start_count + 1, threads), threads, 0, cuda_stream()>>>(
            starts.data(), static_cast<unsigned>(start_count), band.data());
        const auto sort = [&](void* scratch, std::size_t& bytes) {
            check_cuda(cub::DeviceRadixSort::SortPairs(
                           scratch, bytes, band.data(), sorted.data(), numbers.data(), order.data(),
                           static_cast<int>(count), 0, 16, cuda_stream()),
                       "sorting nodes");
        };
        std::size_t bytes = 0;
        sort(nullptr, bytes);
        const CudaArray<unsigned char> scratch(bytes);
        sort(scratch.data(), bytes);
        find_begins<<<wide, threads, 0, cuda_stream()>>>(sorted.data(), count, bands.count,
                                                         begin.data());
        bands.nodes = order.data();
        bands.begin = begin.data();
        bands.band = band.data();
        copy_and_wait(&solved, begin.data() + bands.count, sizeof solved, cudaMemcpyDeviceToHost,
                      "sorting nodes");
    }
    /// Returns the device's seconds.
    template <class Task>
    double run(const Task& task, const char* what, int& ran) {
        const std::vector<unsigned> none(3, static_cast<unsigned>(bands.count));
        least.upload(none);
        set_zero(visits);
        set_zero(fresh);
        const auto* const kernel = reinterpret_cast<const void*>(&run_passes<Task>);
        const Occupancy there = occupancy_of(kernel, threads, 0, what);
        const auto wanted = blocks_for(std::max<std::size_t>(count / 8, 1), threads);
        const unsigned blocks = std::min(static_cast<unsigned>(there.blocks), wanted);
        int most = std::numeric_limits<int>::max();
        int* out = passes.data();
        Task copy = task;
        void* arguments[] = {&copy, &most, &out};
        CudaTimer timer;
        timer.start();
        check_cuda(cudaLaunchCooperativeKernel(kernel, dim3(blocks), dim3(threads), arguments, 0,
                                               cuda_stream()),
                   what);
        const double seconds = timer.stop(what);
        passes.download(std::span(&ran, 1));
        return seconds;
    }
    /// What a node's tau hangs on. Returns how many do not solve their equations.
    std::int64_t weigh_nodes() {
        set_zero(counter);
        weigh<<<wide, threads, 0, cuda_stream()>>>(forward(), solved, pull[0].data(),
                                                   pull[1].data(), pull[2].data(), counter.data());
        return counted();
    }
    std::int64_t counted() {
        unsigned long long number_of = 0;
        counter.download(std::span(&number_of, 1));
        return static_cast<std::int64_t>(number_of);
    }
    /// Makes a field that was solved before the present one again.
    void take_up(const MetricFactor& factor, const Held& field, std::span<const Start> of) {
        if (number == field.number) return;
        tau.upload(field.tau);
        branch.upload(field.branch);
        put_starts_down(of);
        make_source(factor);
        make_bands(of.size());
        number = field.number;
    }
};

CudaMetricAdjoint::CudaMetricAdjoint(const MetricNodes& nodes, const NodeFrames& frames)
    : state_(std::make_unique<State>()) {
    if (device_count() == 0) {
        throw InputError("this machine has no CUDA device (use `device=cpu`)");
    }
    State& s = *state_;
    s.nodes = nodes;
    s.count = nodes.shape.count();
    if (s.count > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
        throw InputError("a model of " + std::to_string(s.count) +
                         " nodes is too large for the adjoint on a device (must have fewer than "
                         "2.1e9: use `device=cpu`)");
    }
    const auto sent = [](auto& to, const auto* from, std::size_t count) {
        to = std::remove_reference_t<decltype(to)>(count);
        to.upload(std::span(from, count));
        return to.data();
    };
    s.nodes.slowness = sent(s.slowness, nodes.slowness, s.count);
    s.nodes.steps = nullptr;
    s.anisotropy.resize(6);
    for (std::size_t k = 0; k < 6; ++k) {
        if (nodes.anisotropy.values[k] == nullptr) continue;
        s.nodes.anisotropy.values[k] = sent(s.anisotropy[k], nodes.anisotropy.values[k], s.count);
    }
    s.nodes.columns = sent(s.columns, frames.columns.data(), frames.columns.size());
    s.nodes.rows = sent(s.rows, frames.rows.data(), frames.rows.size());
    if (nodes.share != nullptr) {
        s.nodes.share = sent(s.share, nodes.share, static_cast<std::size_t>(nodes.shape.z));
        s.at_ground.resize(4);
        for (std::size_t k = 0; k < 4; ++k) {
            s.nodes.at_ground[k] = sent(s.at_ground[k], nodes.at_ground[k], frames.columns.size());
        }
    }
    for (CudaArray<double>* const array :
         {&s.t0, &s.tau, &s.next, &s.pull[0], &s.pull[1], &s.pull[2], &s.asked, &s.by_tau, &s.by_t0,
          &s.sum_slowness}) {
        *array = CudaArray<double>(s.count);
    }
    s.gamma = CudaArray<Vec3>(s.count);
    s.branch = CudaArray<unsigned char>(s.count);
    s.stale = CudaArray<unsigned char>(s.count);
    s.fresh = CudaArray<unsigned char>(s.count);
    s.visits = CudaArray<std::uint16_t>(s.count);
    s.band = CudaArray<std::uint16_t>(s.count);
    s.order = CudaArray<std::uint32_t>(s.count);
    s.least = CudaArray<unsigned>(3);
    s.passes = CudaArray<int>(1);
    s.counter = CudaArray<unsigned long long>(1);
    s.partial = CudaArray<double>(partial_sums);
    for (std::size_t k = 0; k < values_of(nodes.anisotropy.kind); ++k) {
        s.sum_anisotropy.emplace_back(s.count);
    }
    check_cuda(cudaStreamSynchronize(cuda_stream()), "sending a model");
}

CudaMetricAdjoint::~CudaMetricAdjoint() = default;

CudaMetricAdjoint::Carried CudaMetricAdjoint::carry_on(const MetricFactor& factor,
                                                       FieldView<const float> first,
                                                       std::span<const Start> starts) {
    State& s = *state_;
    Carried out;
    out.number = ++s.solves;
    s.number = 0;
    {
        // The memory of what passes hand on serves the field of single precision first.
        auto* const narrow = reinterpret_cast<float*>(s.next.data());
        check_cuda(cudaMemcpyAsync(narrow, first.data(), s.count * sizeof(float),
                                   cudaMemcpyHostToDevice, cuda_stream()),
                   forward_work);
        widen<<<wide, threads, 0, cuda_stream()>>>(narrow, s.count, s.tau.data());
    }
    s.put_starts_down(starts);
    s.make_source(factor);
    s.make_bands(starts.size());
    set_zero(s.branch);
    check_cuda(cudaMemsetAsync(s.stale.data(), 1, s.stale.bytes(), cuda_stream()), forward_work);
    s.work = {};
    s.work.seconds = s.run(s.forward(), forward_work, s.work.passes);
    // By the final times, as take_up() makes them: the adjoint's last bits hang on the bands.
    s.make_bands(starts.size());
    set_zero(s.counter);
    count_visits<<<wide, threads, 0, cuda_stream()>>>(s.visits.data(), s.count, s.counter.data());
    s.work.visits = static_cast<double>(s.counted()) / static_cast<double>(s.count);
    out.unsettled = s.weigh_nodes();
    out.tau.resize(s.count);
    out.t0.resize(s.count);
    out.branch.resize(s.count);
    s.tau.download(out.tau);
    s.t0.download(out.t0);
    s.branch.download(out.branch);
    s.number = out.number;
    return out;
}

std::vector<double> CudaMetricAdjoint::substitute(const MetricFactor& factor, const Held& field,
                                                  std::span<const Start> starts,
                                                  FieldView<const double> by_times,
                                                  const Asked& asked) {
    State& s = *state_;
    s.take_up(factor, field, starts);
    // In place of what the last substitution left there.
    for (const CudaArray<double>& pull : s.pull) set_zero(pull);
    s.weigh_nodes();
    if (by_times.data() != nullptr) {
        s.next.upload(std::span(by_times.data(), s.count));
        ask_nodes<<<wide, threads, 0, cuda_stream()>>>(s.next.data(), s.t0.data(), s.tau.data(),
                                                       s.count, s.asked.data(), s.by_t0.data());
    } else {
        set_zero(s.asked);
        set_zero(s.by_t0);
    }
    CudaArray<std::pair<std::size_t, double>> more(std::max<std::size_t>(asked.size(), 1));
    more.upload(asked);
    ask_more<<<blocks_for(asked.size() + 1, threads), threads, 0, cuda_stream()>>>(
        more.data(), static_cast<unsigned>(asked.size()), s.asked.data());
    set_zero(s.by_tau);
    wake_asked<<<wide, threads, 0, cuda_stream()>>>(s.asked.data(), s.band.data(), s.count,
                                                    s.stale.data());
    s.work.back_seconds = s.run(s.backward(), backward_work, s.work.back_passes);
    CudaArray<double> at_starts(std::max<std::size_t>(starts.size(), 1));
    ask_starts<<<blocks_for(starts.size() + 1, threads), threads, 0, cuda_stream()>>>(
        s.backward(), s.starts.data(), static_cast<unsigned>(starts.size()), s.t0.data(),
        s.by_t0.data(), at_starts.data());
    conclude<<<wide, threads, 0, cuda_stream()>>>(s.forward(), s.by_tau.data(), s.solved, s.sums());
    std::vector<double> out(starts.size());
    at_starts.download(out);
    return out;
}

double CudaMetricAdjoint::between(const MetricFactor& low, const MetricFactor& high) const {
    const State& s = *state_;
    sum_between<<<partial_sums, threads, 0, cuda_stream()>>>(s.nodes, low, high, s.sums(),
                                                             s.partial.data());
    std::vector<double> parts(partial_sums);
    s.partial.download(parts);
    return std::accumulate(parts.begin(), parts.end(), 0.0);
}

void CudaMetricAdjoint::clear_sums() {
    set_zero(state_->sum_slowness);
    for (const CudaArray<double>& sum : state_->sum_anisotropy) set_zero(sum);
}

void CudaMetricAdjoint::add_sums(AdjointGradient& to) const {
    const State& s = *state_;
    std::vector<double> part(s.count);
    const auto add = [&](const CudaArray<double>& from, Field<double>& sum) {
        from.download(part);
        for (std::size_t n = 0; n < part.size(); ++n) sum[n] += part[n];
    };
    add(s.sum_slowness, to.slowness);
    for (std::size_t k = 0; k < s.sum_anisotropy.size(); ++k) {
        add(s.sum_anisotropy[k], to.anisotropy[k]);
    }
}

CudaMetricAdjoint::Work CudaMetricAdjoint::work() const { return state_->work; }

}  // namespace fermat
