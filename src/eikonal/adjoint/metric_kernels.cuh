#pragma once

// Kernels of metric_adjoint_cuda.cu.

#include <cooperative_groups.h>

#include <cstdint>
#include <utility>

#include "core/launch_cuda.hpp"
#include "eikonal/adjoint/metric_adjoint_cuda.hpp"
#include "eikonal/adjoint/metric_bands.hpp"

namespace fermat {
namespace {

constexpr int threads = 128;
constexpr int wide = 2048;         ///< blocks of kernels over all nodes
constexpr int partial_sums = 512;  ///< of which a sum over nodes is made

/// All threads of a cooperative grid, as a Block (core/block.hpp).
class GridBlock {
  public:
    template <class Phase>
    __device__ void for_each(int count, Phase phase) const {
        const int step = static_cast<int>(gridDim.x * blockDim.x);
        for (int n = static_cast<int>(thread_number()); n < count; n += step) phase(n);
        cooperative_groups::this_grid().sync();
    }
};

template <class Task>
__global__ void __launch_bounds__(threads) run_passes(Task task, int most, int* passes) {
    const int ran = relax_in_bands(GridBlock(), task, most);
    if (blockIdx.x == 0 && threadIdx.x == 0) *passes = ran;
}

__device__ std::size_t thread_count() { return static_cast<std::size_t>(gridDim.x) * blockDim.x; }

__global__ void make_factors(MetricNodes nodes, MetricFactor factor, double* t0, Vec3* gamma) {
    const Vec3 h{nodes.spacing.x, nodes.is_2d() ? 0.0 : nodes.spacing.y, nodes.spacing.z};
    const std::size_t count = nodes.shape.count();
    for (std::size_t n = thread_number(); n < count; n += thread_count()) {
        const NodeFrame frame = nodes.frame(nodes.index_of(n));
        const MetricNodeFactor found = node_factor(factor, frame.place, jacobian_of(frame), h);
        t0[n] = found.t0;
        gamma[n] = found.gamma;
    }
}

__global__ void widen(const float* first, std::size_t count, double* tau) {
    for (std::size_t n = thread_number(); n < count; n += thread_count()) {
        tau[n] = first[n] < reached_limit<float> ? static_cast<double>(first[n]) : INFINITY;
    }
}

__global__ void put_starts(const CudaMetricAdjoint::Start* starts, unsigned count, double* tau) {
    const std::size_t n = thread_number();
    if (n < count) tau[starts[n].node] = starts[n].tau;
}

/// The latest time, whose bits have the order of its values.
__global__ void find_latest(const double* t0, const double* tau, std::size_t count,
                            unsigned long long* latest) {
    double mine = 0;
    for (std::size_t n = thread_number(); n < count; n += thread_count()) {
        const double time = t0[n] * tau[n];
        if (time < INFINITY && time > mine) mine = time;
    }
    atomicMax(latest, static_cast<unsigned long long>(__double_as_longlong(mine)));
}

__global__ void put_bands(const double* t0, const double* tau, std::size_t count,
                          const unsigned long long* latest, int bands, std::uint16_t* band,
                          std::uint32_t* number) {
    const double most = __longlong_as_double(static_cast<long long>(*latest));
    for (std::size_t n = thread_number(); n < count; n += thread_count()) {
        const bool solves = t0[n] > 0 && tau[n] < INFINITY;
        const int of = solves ? MetricBands::of(t0[n] * tau[n] / most, bands)
                              : static_cast<int>(MetricBands::no_band);
        band[n] = static_cast<std::uint16_t>(of);
        number[n] = static_cast<std::uint32_t>(n);
    }
}

__global__ void leave_starts_out(const CudaMetricAdjoint::Start* starts, unsigned count,
                                 std::uint16_t* band) {
    const std::size_t n = thread_number();
    if (n < count) band[starts[n].node] = MetricBands::no_band;
}

/// Where each band begins among sorted ones.
__global__ void find_begins(const std::uint16_t* sorted, std::size_t count, int bands,
                            std::uint32_t* begin) {
    for (std::size_t n = thread_number(); n <= count; n += thread_count()) {
        const int before = n == 0 ? -1 : sorted[n - 1];
        const int here = n == count ? bands : sorted[n] < bands ? sorted[n] : bands;
        for (int b = before + 1; b <= here; ++b) begin[b] = static_cast<std::uint32_t>(n);
    }
}

__global__ void weigh(MetricForward field, std::uint32_t count, double* x, double* y, double* z,
                      unsigned long long* unsettled) {
    double* const pull[3] = {x, y, z};
    for (std::size_t n = thread_number(); n < count; n += thread_count()) {
        if (!weigh_metric_node(field, field.bands.nodes[n], pull)) atomicAdd(unsettled, 1ULL);
    }
}

__global__ void ask_nodes(const double* by_times, const double* t0, const double* tau,
                          std::size_t count, double* asked, double* by_t0) {
    for (std::size_t n = thread_number(); n < count; n += thread_count()) {
        const bool counts = by_times[n] != 0 && tau[n] < INFINITY;
        asked[n] = counts ? by_times[n] * t0[n] : 0;
        by_t0[n] = counts ? by_times[n] * tau[n] : 0;
    }
}

__global__ void ask_more(const std::pair<std::size_t, double>* more, unsigned count,
                         double* asked) {
    const std::size_t n = thread_number();
    if (n < count) asked[more[n].first] += more[n].second;
}

__global__ void wake_asked(const double* asked, const std::uint16_t* band, std::size_t count,
                           unsigned char* stale) {
    for (std::size_t n = thread_number(); n < count; n += thread_count()) {
        stale[n] = asked[n] != 0 && band[n] != MetricBands::no_band ? 1 : 0;
    }
}

struct PullSums {
    double* slowness;
    double* anisotropy[6];  ///< null where there is none
    double* by_t0;
    double* by_gamma[3];
};

__global__ void conclude(MetricForward field, const double* by_tau, std::uint32_t count,
                         PullSums sums) {
    for (std::size_t i = thread_number(); i < count; i += thread_count()) {
        const std::uint32_t n = field.bands.nodes[i];
        const OctantBranch held = OctantBranch::unpacked(field.branch[n]);
        NodePull pull;
        if (by_tau[n] != 0) {
            const MetricSolution found = solve_metric_node(field.nodes, field.source, field.tau,
                                                           field.nodes.index_of(n), &held);
            if (found.octant.per > 0) {
                pull = pull_of_node(field.nodes, field.source, found, n, by_tau[n]);
            }
        }
        sums.slowness[n] += pull.slowness;
        for (int k = 0; k < 6; ++k) {
            if (sums.anisotropy[k] != nullptr) sums.anisotropy[k][n] += pull.anisotropy[k];
        }
        sums.by_t0[n] += pull.t0;
        for (int axis = 0; axis < 3; ++axis) sums.by_gamma[axis][n] = pull.gamma[axis];
    }
}

__global__ void ask_starts(MetricBackward back, const CudaMetricAdjoint::Start* starts,
                           unsigned count, const double* t0, double* by_t0, double* by_tau) {
    const std::size_t n = thread_number();
    if (n >= count) return;
    const std::size_t node = starts[n].node;
    by_tau[n] = back.gathered(node).sum;
    if (t0[node] > 0) by_t0[node] -= by_tau[n] / t0[node] * starts[n].tau;
}

__global__ void __launch_bounds__(threads)
    sum_between(MetricNodes nodes, MetricFactor low, MetricFactor high, PullSums by,
                double* partial) {
    __shared__ double shared[threads];
    const Vec3 h{nodes.spacing.x, nodes.is_2d() ? 0.0 : nodes.spacing.y, nodes.spacing.z};
    const std::size_t count = nodes.shape.count();
    double mine = 0;
    for (std::size_t n = thread_number(); n < count; n += thread_count()) {
        const double by_t0 = by.by_t0[n];
        const Vec3 by_gamma{by.by_gamma[0][n], by.by_gamma[1][n], by.by_gamma[2][n]};
        if (by_t0 == 0 && by_gamma == Vec3{}) continue;
        const NodeFrame frame = nodes.frame(nodes.index_of(n));
        const Mat3 jacobian = jacobian_of(frame);
        const MetricNodeFactor a = node_factor(low, frame.place, jacobian, h);
        const MetricNodeFactor b = node_factor(high, frame.place, jacobian, h);
        mine += by_t0 * (b.t0 - a.t0) + dot(by_gamma, b.gamma - a.gamma);
    }
    shared[threadIdx.x] = mine;
    for (unsigned step = threads / 2; step > 0; step /= 2) {
        __syncthreads();
        if (threadIdx.x < step) shared[threadIdx.x] += shared[threadIdx.x + step];
    }
    if (threadIdx.x == 0) partial[blockIdx.x] = shared[0];
}

__global__ void count_visits(const std::uint16_t* visits, std::size_t count,
                             unsigned long long* sum) {
    unsigned long long mine = 0;
    for (std::size_t n = thread_number(); n < count; n += thread_count()) mine += visits[n];
    if (mine != 0) atomicAdd(sum, mine);
}

}  // namespace
}  // namespace fermat
