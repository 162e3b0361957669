#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "core/device.hpp"
#include "core/memory_cuda.hpp"
#include "core/parallel.hpp"
#include "eikonal/adjoint/adjoint_cuda.hpp"
#include "eikonal/adjoint/adjoint_kernels.cuh"
#include "eikonal/adjoint/field_adjoint.hpp"
#include "eikonal/adjoint/source_starts.hpp"
#include "eikonal/fim/fim_cuda.hpp"

namespace fermat {
namespace {

using namespace adjoint_kernels;

constexpr unsigned wide = 1024;  ///< blocks of the simple kernels: enough to fill any device

std::size_t batch_that_fits(const AdjointSurvey& survey) {
    const Grid& grid = survey.model().grid();
    const std::size_t nodes = grid.node_count();
    // tau, weights of each axis, what is asked, lambda, and the lists of tiles; beside them the
    // model and the sum.
    const std::size_t each =
        nodes * sizeof(float) * (4 + static_cast<std::size_t>(grid.dimensions()));
    const std::size_t once = nodes * (sizeof(float) + 2 * sizeof(double));
    const auto usable = static_cast<std::size_t>(0.9 * static_cast<double>(device_memory().free));
    const std::size_t most = usable > once ? (usable - once) / each : 0;
    return std::clamp(std::min({survey.sources().size(), filling_batch(grid), most}),
                      std::size_t{1}, std::size_t{4096});
}

CudaFim make_fim(const AdjointSurvey& survey) {
    if (device_count() == 0) {
        throw InputError("this machine has no CUDA device (use `device=cpu`)");
    }
    return {survey.model(), survey.options().order, batch_that_fits(survey)};
}

}  // namespace

struct CudaAdjoint::State {
    State(const AdjointSurvey& of, int host_threads)
        : survey(of),
          cores(resolve_threads(host_threads)),
          fim(make_fim(of)),
          nodes(of.model().grid().node_count()),
          dimensions(of.model().grid().is_2d() ? 2 : 3),
          unit(smallest_spacing(of.model().grid())),
          weights(static_cast<std::size_t>(dimensions) * nodes * fim.batch()),
          asked(nodes * fim.batch()),
          lambda(nodes * fim.batch()),
          fields(fim.batch()),
          by_slowness(nodes),
          sums(wide * fim.batch()),
          counters(3) {
        const std::size_t sources = survey.sources().size();
        out.sources.resize(sources);
        out.start_times.resize(sources);
        out.receivers.resize(survey.receivers().size());
        check_cuda(cudaMemset(by_slowness.data(), 0, by_slowness.bytes()),
                   "setting up the adjoint");
        const std::span<const std::size_t> heard = survey.hats().nodes();
        heard_nodes = CudaArray<std::uint32_t>(heard.size());
        const std::vector<std::uint32_t> offsets(heard.begin(), heard.end());
        heard_nodes.upload(offsets);
        heard_values = CudaArray<float>(heard.size() * fim.batch());
        heard_tau.resize(heard.size() * fim.batch());
    }

    const AdjointSurvey& survey;
    int cores;
    CudaFim fim;
    std::size_t nodes;
    int dimensions;
    double unit;
    std::size_t first = 0;  ///< source of the last solve
    std::size_t count = 0;
    std::vector<FactoredSource> sources;
    std::vector<BackShot<float>> shots;
    CudaArray<AxisWeight<float>> weights;
    CudaArray<float> asked;
    CudaArray<float> lambda;
    CudaArray<BackShot<float>> fields;
    CudaArray<double> by_slowness;
    CudaArray<NodeSums> sums;
    CudaArray<unsigned> counters;  ///< passes, tiles given up, a node whose dJ/dT is not finite
    CudaArray<double> by_nodes;
    CudaArray<std::uint32_t> heard_nodes;
    CudaArray<float> heard_values;
    std::vector<float> heard_tau;
    bool everywhere = false;
    int last_passes = 0;
    std::size_t last_entries = 0;
    AdjointGradient out;
    /// What start nodes say of the slownesses round the sources, in the order of sources.
    std::vector<std::pair<std::size_t, double>> beside_sources;

    /// From the axes of a tile to those of the grid.
    Vec3 turned(const double (&of_tile)[3]) const {
        return dimensions == 2 ? Vec3{of_tile[1], 0, of_tile[2]}
                               : Vec3{of_tile[0], of_tile[1], of_tile[2]};
    }
    /// Adds the sums of the first blocks of a source.
    void add_sums(std::size_t number, std::span<const NodeSums> of_blocks) {
        NodeSums all;
        for (const NodeSums& sum : of_blocks) all.add(sum);
        out.sources[first + number] = out.sources[first + number] + turned(all.slope);
        out.start_times[first + number] += all.start_time;
    }
    /// Calls run<Dim, Order>().
    template <class Run>
    void with_scheme(Run run) const {
        const bool first_order = survey.options().order == 1;
        if (dimensions == 2) {
            first_order ? run.template operator()<2, 1>() : run.template operator()<2, 2>();
        } else {
            first_order ? run.template operator()<3, 1>() : run.template operator()<3, 2>();
        }
    }
    /// lambda at the start nodes of each source of the last solve.
    std::vector<std::vector<float>> at_starts(
        std::span<const std::optional<SourceStarts>> starts) const {
        std::vector<std::size_t> at;
        for (std::size_t n = 0; n < starts.size(); ++n) {
            for (const std::size_t node : starts[n]->nodes()) at.push_back(n * nodes + node);
        }
        CudaArray<std::size_t> places(at.size());
        CudaArray<float> values(at.size());
        places.upload(at);
        pick<<<blocks_for(at.size(), threads), threads>>>(lambda.data(), places.data(), at.size(),
                                                          values.data());
        std::vector<float> all(at.size());
        values.download(all);
        std::vector<std::vector<float>> found;
        auto next = all.cbegin();
        for (const auto& of_source : starts) {
            const auto end = next + static_cast<std::ptrdiff_t>(of_source->nodes().size());
            found.emplace_back(next, end);
            next = end;
        }
        return found;
    }
    void run_passes(TileBatch& tiles) {
        clear<<<1, threads>>>(tiles.queue);
        BackProblem<float> problem;
        problem.tiles = tiles.problem;
        problem.fields = fields.data();
        problem.everywhere = everywhere;
        problem.unsettled = counters.data() + 1;
        auto entries = static_cast<unsigned>(tiles.entries);
        auto* passes = reinterpret_cast<int*>(counters.data());
        void* arguments[] = {&problem, &tiles.queue, &entries, &passes};
        const void* const kernel = dimensions == 2 ? reinterpret_cast<const void*>(&run_back<2>)
                                                   : reinterpret_cast<const void*>(&run_back<3>);
        const std::size_t shared = warps * (dimensions == 2 ? sizeof(BackStorage<2, float>)
                                                            : sizeof(BackStorage<3, float>));
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
        const auto blocks = static_cast<unsigned>(std::max(1, resident) * processors);
        check_cuda(cudaLaunchCooperativeKernel(kernel, dim3(blocks), dim3(substitution_threads),
                                               arguments, shared, nullptr),
                   "starting the adjoint");
    }
    /// Adds what the nodes of each source of the last solve say of it, start nodes included.
    void add_sources() {
        std::vector<NodeSums> found(wide * count);
        sums.download(found);
        std::vector<std::optional<SourceStarts>> starts(count);
        const auto for_each_source = [&](auto visit) {
            parallel_for(static_cast<std::int64_t>(count), cores,
                         [&](std::int64_t n) { visit(static_cast<std::size_t>(n)); });
        };
        for_each_source([&](std::size_t n) {
            starts[n].emplace(survey.model(), survey.slowness(), sources[n].position);
        });
        const std::vector<std::vector<float>> by_w = at_starts(starts);
        std::vector<std::vector<std::pair<std::size_t, double>>> beside(count);
        for_each_source([&](std::size_t n) {
            add_sums(n, std::span(found).subspan(n * wide, wide));
            for (std::size_t m = 0; m < by_w[n].size(); ++m) {
                const double by = by_w[n][m];
                if (by == 0) continue;
                const auto keep = [&](std::size_t node, double part) {
                    beside[n].emplace_back(node, by * part);
                };
                const Vec3 slope = starts[n]->derivative(starts[n]->nodes()[m], keep);
                out.sources[first + n] = out.sources[first + n] + by * slope;
            }
        });
        for (std::size_t n = 0; n < count; ++n) {
            beside_sources.insert(beside_sources.end(), beside[n].begin(), beside[n].end());
            for (const NodeSums& sum : std::span(found).subspan(n * wide, wide)) {
                out.unsettled += static_cast<std::int64_t>(sum.unsettled);
            }
        }
    }
    template <class Number>
    void ask_on_device(std::size_t number, const Number* by_times) {
        everywhere = true;
        constexpr unsigned none = std::numeric_limits<unsigned>::max();
        unsigned not_finite = none;
        check_cuda(
            cudaMemcpy(counters.data() + 2, &not_finite, sizeof not_finite, cudaMemcpyHostToDevice),
            "asking nodes");
        ask<<<wide, threads>>>(fim.tiles().problem, static_cast<int>(number), by_times, unit,
                               shots[number].slowness, shots[number].tau,
                               asked.data() + number * nodes, sums.data(), counters.data() + 2);
        std::vector<NodeSums> found(wide);
        sums.download(found);
        check_cuda(
            cudaMemcpy(&not_finite, counters.data() + 2, sizeof not_finite, cudaMemcpyDeviceToHost),
            "asking nodes");
        if (not_finite != none) require_derivative(NAN, "node", not_finite);
        add_sums(number, found);
    }
};

CudaAdjoint::CudaAdjoint(const AdjointSurvey& survey, int threads)
    : state_(std::make_unique<State>(survey, threads)) {}
CudaAdjoint::~CudaAdjoint() = default;

std::size_t CudaAdjoint::batch() const { return state_->fim.batch(); }

double CudaAdjoint::solve(std::size_t first, std::size_t count) {
    State& s = *state_;
    s.first = first;
    s.count = count;
    s.sources.resize(count);
    parallel_for(static_cast<std::int64_t>(count), s.cores, [&](std::int64_t i) {
        const auto n = static_cast<std::size_t>(i);
        s.sources[n] = factor_source(s.survey.model(), s.survey.sources()[first + n].position);
    });
    const double seconds = s.fim.solve(s.sources);
    s.shots.clear();
    for (std::size_t n = 0; n < count; ++n) {
        s.shots.push_back({s.fim.tau(n).data(), s.sources[n].slowness,
                           s.weights.data() + n * static_cast<std::size_t>(s.dimensions) * s.nodes,
                           s.asked.data() + n * s.nodes, s.lambda.data() + n * s.nodes, 0});
    }
    s.everywhere = false;
    check_cuda(cudaMemset(s.asked.data(), 0, count * s.nodes * sizeof(float)), "asking nodes");
    const std::size_t heard = s.heard_nodes.size();
    if (heard > 0) {
        const dim3 blocks(blocks_for(heard, threads), static_cast<unsigned>(count));
        gather<<<blocks, threads>>>(s.fim.tau(0).data(), s.nodes, s.heard_nodes.data(), heard,
                                    s.heard_values.data());
        s.heard_values.download(std::span(s.heard_tau).first(heard * count));
    }
    return seconds;
}

void CudaAdjoint::receiver_times(std::span<double> times) {
    const State& s = *state_;
    const ReceiverHats& hats = s.survey.hats();
    parallel_for(static_cast<std::int64_t>(s.count), s.cores, [&](std::int64_t i) {
        const auto n = static_cast<std::size_t>(i);
        const float* const tau = s.heard_tau.data() + n * hats.nodes().size();
        const double start = s.survey.sources()[s.first + n].start_time;
        for (std::size_t r = 0; r < hats.receivers(); ++r) {
            times[n * hats.receivers() + r] =
                start + hats.time(r, s.sources[n], [&](std::size_t slot) { return tau[slot]; });
        }
    });
}

void CudaAdjoint::ask_nodes(std::size_t number, FieldView<const double> by_times) {
    State& s = *state_;
    s.by_nodes.reserve(s.nodes);
    s.by_nodes.upload(std::span(by_times.data(), by_times.size()));
    s.ask_on_device(number, s.by_nodes.data());
}

void CudaAdjoint::ask_nodes(std::size_t number, FieldView<const float, Space::device> by_times) {
    state_->ask_on_device(number, by_times.data());
}

void CudaAdjoint::ask_receivers(std::span<const double> by_times) {
    State& s = *state_;
    const ReceiverHats& hats = s.survey.hats();
    const std::size_t heard = hats.nodes().size();
    const std::size_t receivers = hats.receivers();
    if (heard == 0) return;
    std::vector<float> values(heard * s.count);
    std::vector<ReceiverPull> pulls(receivers * s.count);
    parallel_for(static_cast<std::int64_t>(s.count), s.cores, [&](std::int64_t i) {
        const auto n = static_cast<std::size_t>(i);
        const float* const tau = s.heard_tau.data() + n * heard;
        std::vector<double> by_w(heard, 0.0);
        for (std::size_t r = 0; r < receivers; ++r) {
            const double by = by_times[n * receivers + r];
            if (by == 0) continue;
            pulls[n * receivers + r] = hats.pull(
                r, by, s.sources[n], [&](std::size_t slot) { return tau[slot]; },
                [&](std::size_t slot, double value) { by_w[slot] += value; });
        }
        std::transform(by_w.begin(), by_w.end(),
                       values.begin() + static_cast<std::ptrdiff_t>(n * heard),
                       [](double value) { return static_cast<float>(value); });
    });
    for (std::size_t n = 0; n < s.count; ++n) {
        for (std::size_t r = 0; r < receivers; ++r) {
            const ReceiverPull& pull = pulls[n * receivers + r];
            const double by = by_times[n * receivers + r];
            if (by == 0 || !pull.arrives) continue;
            require_derivative(by, "receiver", r);
            s.out.start_times[s.first + n] += by;
            s.out.sources[s.first + n] = s.out.sources[s.first + n] + pull.source;
            s.out.receivers[r] = s.out.receivers[r] + pull.receiver;
        }
    }
    s.heard_values.upload(values);
    const dim3 blocks(blocks_for(heard, threads), static_cast<unsigned>(s.count));
    scatter<<<blocks, threads>>>(s.heard_values.data(), s.nodes, s.heard_nodes.data(), heard,
                                 s.asked.data());
    check_cuda(cudaGetLastError(), "asking nodes beside receivers");
    check_cuda(cudaStreamSynchronize(nullptr), "asking nodes beside receivers");
}

double CudaAdjoint::substitute() {
    State& s = *state_;
    TileBatch tiles = s.fim.tiles();
    s.last_entries = tiles.entries;
    s.fields.upload(s.shots);
    const unsigned zero[2] = {0, 0};
    check_cuda(cudaMemcpy(s.counters.data(), zero, sizeof zero, cudaMemcpyHostToDevice),
               "starting the adjoint");
    const auto count = static_cast<unsigned>(s.count);
    const dim3 rows(std::max(1U, wide * 4 / count), count);
    CudaTimer timer;
    timer.start();
    check_cuda(cudaMemsetAsync(s.lambda.data(), 0, s.count * s.nodes * sizeof(float)),
               "starting the adjoint");
    s.with_scheme([&]<int Dim, int Order>() {
        weigh<Dim, Order><<<rows, threads>>>(tiles.problem, s.fields.data(), s.weights.data());
    });
    s.run_passes(tiles);
    s.with_scheme([&]<int Dim, int Order>() {
        conclude<Dim, Order><<<wide, threads>>>(tiles.problem, s.fields.data(),
                                                static_cast<int>(count), s.unit,
                                                s.by_slowness.data(), s.sums.data());
    });
    const double seconds = timer.stop("the adjoint");
    unsigned counted[2] = {};
    check_cuda(cudaMemcpy(counted, s.counters.data(), sizeof counted, cudaMemcpyDeviceToHost),
               "the adjoint");
    s.last_passes = static_cast<int>(counted[0]);
    if (counted[1] > 0) {
        throw ComputeError(
            "the adjoint of the times does not settle (the model's times hardly do either; try "
            "order 1)");
    }
    s.add_sources();
    return seconds;
}

AdjointGradient CudaAdjoint::gradient() const {
    const State& s = *state_;
    AdjointGradient out = {Field<double>(s.survey.model().grid().shape), s.out.sources,
                           s.out.start_times, s.out.receivers, s.out.unsettled};
    s.by_slowness.download(std::span(out.slowness.data(), out.slowness.size()));
    for (const auto& [node, value] : s.beside_sources) out.slowness[node] += value;
    return out;
}

CudaAdjoint::Work CudaAdjoint::work() const {
    const State& s = *state_;
    unsigned visits = 0;
    check_cuda(cudaMemset(s.counters.data(), 0, sizeof visits), "counting visits");
    count_visits<<<wide, threads>>>(s.fim.tiles().queue.states, s.last_entries, s.counters.data());
    check_cuda(cudaMemcpy(&visits, s.counters.data(), sizeof visits, cudaMemcpyDeviceToHost),
               "counting visits");
    return {
        static_cast<double>(visits) / static_cast<double>(std::max<std::size_t>(s.last_entries, 1)),
        s.last_passes};
}

}  // namespace fermat
