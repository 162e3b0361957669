#include <algorithm>
#include <mutex>
#include <string>

#include "core/device.hpp"
#include "core/memory_cuda.hpp"
#include "core/page_locked_cuda.hpp"
#include "graph/jacobi_cuda.hpp"
#include "graph/work_group_setup.hpp"

namespace fermat {
namespace {

/// The device's most threads per block; lanes of a larger group take turns.
constexpr int most_threads = 1024;
constexpr unsigned wide = 1024;

__global__ void relaxation(const __grid_constant__ WorkGroups groups,
                           const __grid_constant__ JacobiState state, unsigned* visits) {
    extern __shared__ float shared[];
    const bool active =
        relax_group(CudaBlock(), groups, state, blockIdx.x, room_in(groups, shared));
    if (active && threadIdx.x == 0) ++visits[blockIdx.x];
}

/// `go_on` is the paper's `stop`, turned round.
__global__ void write_back_all(const __grid_constant__ WorkGroups groups,
                               const __grid_constant__ JacobiState state, int* go_on) {
    extern __shared__ float shared[];
    const bool updated =
        write_back(CudaBlock(), groups, state, blockIdx.x, room_in(groups, shared));
    if (updated && threadIdx.x == 0) *go_on = 1;
}

__global__ void precalculate(const __grid_constant__ WorkGroups groups, float* weights) {
    extern __shared__ float shared[];
    precalculate_weights(CudaBlock(), groups, blockIdx.x, room_in(groups, shared), weights);
}

template <class T>
__global__ void fill_with(T* values, std::size_t count, T value) {
    const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t n = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; n < count;
         n += stride) {
        values[n] = value;
    }
}

__global__ void enter_links(const __grid_constant__ WorkGroups groups, const Link* links,
                            unsigned count, float* tt, std::uint16_t* pr, std::uint8_t* marks) {
    const unsigned n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n >= count) return;
    const std::size_t place = links[n].place;
    tt[place] = links[n].time;
    pr[place] = from_source;
    marks[groups.group_of(groups.graph.node(place))] = 1;
}

std::size_t most_shared() {
    int device = 0;
    int value = 0;
    check_cuda(cudaGetDevice(&device), "asking for the device");
    check_cuda(cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
               "asking for the device");
    return static_cast<std::size_t>(value);
}

std::string gigabytes(std::size_t bytes) {
    const auto tenths = static_cast<long long>(static_cast<double>(bytes) * 1e-8 + 0.5);
    return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " GB";
}

}  // namespace

std::string jacobi_cuda_obstacle(const GraphView& graph, const StarTable& star, TileVisits visits) {
    if (device_count() == 0) return {};
    const std::size_t needed = room_bytes(make_work_groups(graph, star, visits).groups);
    if (needed <= most_shared()) return {};
    const Index3 r = graph.border;
    return "a work group of radius (" + std::to_string(r.x) + ", " + std::to_string(r.y) + ", " +
           std::to_string(r.z) + ") takes " + std::to_string(needed / 1024) +
           " KB and a multiprocessor has " + std::to_string(most_shared() / 1024);
}

struct CudaJacobi::State {
    std::mutex one_at_a_time;
    WorkGroups groups;
    CudaArray<float> slowness;
    CudaArray<std::int32_t> memory_step;
    CudaArray<std::int32_t> first_term;
    CudaArray<float> length;
    CudaArray<Index3> offset;
    CudaArray<std::int32_t> step;
    CudaArray<EdgeTerm> terms;
    CudaArray<float> weights;
    std::unique_ptr<PageLocked<float>> swapped;  ///< the same in the host's memory
    CudaArray<float> tt;
    CudaArray<float> auxtt;
    CudaArray<std::uint16_t> pr;
    CudaArray<std::uint16_t> auxpr;
    CudaArray<std::uint8_t> marks[2];
    CudaArray<unsigned> visits;
    CudaArray<int> go_on;
    CudaArray<Link> links;
    std::int64_t passes = 0;
    std::vector<unsigned> last_visits;

    std::span<float> all_weights() const {
        return swapped ? swapped->values() : std::span(weights.data(), weights.size());
    }
    int threads() const { return std::min(groups.lanes(), most_threads); }
    std::size_t nodes() const { return groups.graph.memory.count(); }

    template <class Kernel>
    void allow_shared(Kernel kernel) const {
        check_cuda(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                                        cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        static_cast<int>(room_bytes(groups))),
                   "setting up the shortest paths");
    }

    void start(const std::vector<Link>& from) {
        const cudaStream_t stream = cuda_stream();
        const auto count = static_cast<unsigned>(from.size());
        links.reserve(from.size());
        links.upload(from);
        fill_with<<<wide, 256, 0, stream>>>(tt.data(), nodes(), INFINITY);
        fill_with<<<wide, 256, 0, stream>>>(auxtt.data(), nodes(), INFINITY);
        fill_with<<<wide, 256, 0, stream>>>(pr.data(), nodes(), from_nowhere);
        fill_with<<<wide, 256, 0, stream>>>(auxpr.data(), nodes(), from_nowhere);
        for (const auto& side : marks) {
            check_cuda(cudaMemsetAsync(side.data(), 0, side.bytes(), stream),
                       "starting the shortest paths");
        }
        check_cuda(cudaMemsetAsync(visits.data(), 0, visits.bytes(), stream),
                   "starting the shortest paths");
        enter_links<<<(count + 255) / 256, 256, 0, stream>>>(groups, links.data(), count, tt.data(),
                                                             pr.data(), marks[0].data());
        check_cuda(cudaGetLastError(), "starting the shortest paths");
    }

    void run(Monitor& monitor) {
        const cudaStream_t stream = cuda_stream();
        const unsigned blocks = groups.group_count();
        const auto lanes = static_cast<unsigned>(threads());
        const std::size_t shared = room_bytes(groups);
        passes = 0;
        int changed = 1;
        while (changed != 0) {
            monitor.check();
            const int side = static_cast<int>(passes % 2);
            const JacobiState state{tt.data(),    auxtt.data(),       pr.data(),
                                    auxpr.data(), marks[side].data(), marks[1 - side].data()};
            check_cuda(cudaMemsetAsync(go_on.data(), 0, go_on.bytes(), stream),
                       "finding shortest paths");
            relaxation<<<blocks, lanes, shared, stream>>>(groups, state, visits.data());
            write_back_all<<<blocks, lanes, shared, stream>>>(groups, state, go_on.data());
            check_cuda(cudaGetLastError(), "finding shortest paths");
            go_on.download(std::span(&changed, 1));
            ++passes;
        }
    }
};

CudaJacobi::CudaJacobi(const GraphView& host, const StarTable& star, EdgeWeights weights,
                       TileVisits visits)
    : state_(std::make_unique<State>()) {
    if (device_count() == 0) {
        throw InputError("this machine has no CUDA device (use `device=cpu`)");
    }
    if (const std::string obstacle = jacobi_cuda_obstacle(host, star, visits); !obstacle.empty()) {
        throw InputError(obstacle);
    }
    State& s = *state_;
    const WorkGroupSetup setup = make_work_groups(host, star, visits);
    s.groups = setup.groups;
    const auto send = [](auto& array, const auto& values) {
        array.reserve(values.size());
        array.upload(values);
    };
    send(s.memory_step, star.step);
    send(s.first_term, star.first_term);
    send(s.length, star.length);
    send(s.offset, setup.offset);
    send(s.step, setup.step);
    send(s.terms, setup.terms);
    s.slowness = CudaArray<float>(host.memory.count());
    GraphView& graph = s.groups.graph;
    graph.slowness = s.slowness.data();
    graph.step = s.memory_step.data();
    graph.length = s.length.data();
    graph.first_term = s.first_term.data();
    graph.terms = nullptr;
    graph.stored = nullptr;
    s.groups.offset = s.offset.data();
    s.groups.step = s.step.data();
    s.groups.terms = s.terms.data();
    s.allow_shared(&relaxation);
    s.allow_shared(&write_back_all);
    s.allow_shared(&precalculate);

    const std::size_t count = static_cast<std::size_t>(graph.edges / 2) * s.nodes();
    const std::size_t bytes = count * sizeof(float);
    const std::size_t fields = s.nodes() * 2 * (sizeof(float) + sizeof(std::uint16_t));
    const std::size_t free = device_memory().free;
    if (weights == EdgeWeights::stored && bytes + fields > free) {
        throw ComputeError(
            "the times of the graph's edges take " + gigabytes(bytes) +
            " of the CUDA device's memory (" + gigabytes(free) +
            " are free: use weights 'swapped' or 'computed', a smaller radius, or cpu)");
    }
    if (weights == EdgeWeights::stored ||
        (weights == EdgeWeights::automatic && bytes + fields < free / 2)) {
        s.weights = CudaArray<float>(count);
    } else if (weights == EdgeWeights::swapped) {
        s.swapped = std::make_unique<PageLocked<float>>(count);
    }
    s.tt = CudaArray<float>(s.nodes());
    s.auxtt = CudaArray<float>(s.nodes());
    s.pr = CudaArray<std::uint16_t>(s.nodes());
    s.auxpr = CudaArray<std::uint16_t>(s.nodes());
    for (auto& side : s.marks) side = CudaArray<std::uint8_t>(s.groups.group_count());
    s.visits = CudaArray<unsigned>(s.groups.group_count());
    s.go_on = CudaArray<int>(1);
    set_slowness({host.slowness, host.memory.count()});
}

CudaJacobi::~CudaJacobi() = default;

bool CudaJacobi::stores_weights() const { return !state_->all_weights().empty(); }

std::size_t CudaJacobi::batch(std::size_t) const { return 1; }

double CudaJacobi::set_slowness(std::span<const float> slowness) {
    State& s = *state_;
    const std::lock_guard lock(s.one_at_a_time);
    s.slowness.upload(slowness);
    CudaTimer timer;
    timer.start();
    if (const std::span<float> all = s.all_weights(); !all.empty()) {
        const cudaStream_t stream = cuda_stream();
        fill_with<<<wide, 256, 0, stream>>>(all.data(), all.size(), INFINITY);
        precalculate<<<s.groups.group_count(), static_cast<unsigned>(s.threads()),
                       room_bytes(s.groups), stream>>>(s.groups, all.data());
        s.groups.graph.stored = all.data();
    }
    return timer.stop("making weights");
}

double CudaJacobi::solve(std::span<const std::vector<Link>> sources, Monitor& monitor,
                         const std::function<void(std::size_t)>& consume) {
    State& s = *state_;
    const std::lock_guard lock(s.one_at_a_time);
    double seconds = 0;
    for (std::size_t n = 0; n < sources.size(); ++n) {
        CudaTimer timer;
        timer.start();
        s.start(sources[n]);
        s.run(monitor);
        seconds += timer.stop("finding shortest paths");
        s.last_visits.resize(s.visits.size());
        s.visits.download(s.last_visits);
        consume(n);
    }
    return seconds;
}

void CudaJacobi::fetch(std::size_t, GraphField& field) const {
    const State& s = *state_;
    s.tt.download(std::span(field.times.data(), s.nodes()));
    s.pr.download(std::span(field.predecessor.data(), s.nodes()));
    field.passes = s.passes;
    field.relaxations = 0;
    for (unsigned group = 0; group < s.groups.group_count(); ++group) {
        field.relaxations += static_cast<std::int64_t>(s.last_visits[group]) *
                             s.groups.nodes_in(group) * s.groups.graph.edges;
    }
}

}  // namespace fermat
