#pragma once

#include "eikonal/adjoint/adjoint_kernels.cuh"
#include "eikonal/adjoint/receiver_hats.hpp"

namespace fermat::adjoint_kernels {

/// What receivers hear of one source of a batch.
struct HeardShot {
    SourceFactor factor;
    double start_time = 0;
    const float* tau = nullptr;
    float* asked = nullptr;
};

/// The receivers of a survey, in memory of the device.
struct HeardReceivers {
    HatsView hats;
    const std::uint32_t* nodes = nullptr;  ///< of each slot
    std::size_t slots = 0;
    std::size_t receivers = 0;
    const std::size_t* slot_begin = nullptr;            ///< ReceiverHats::BySlot
    const ReceiverHats::Beside* slot_beside = nullptr;  ///< likewise

    __device__ auto tau_of(const HeardShot& shot) const {
        return [nodes = nodes, tau = shot.tau](std::size_t slot) { return tau[nodes[slot]]; };
    }
};

/// times[shot][receiver]; infinite where no wave arrives.
template <class Number>
__global__ void hear(HeardReceivers heard, const HeardShot* shots, Number* times) {
    const std::size_t r = thread_number();
    if (r >= heard.receivers) return;
    const HeardShot shot = shots[blockIdx.y];
    times[blockIdx.y * heard.receivers + r] =
        static_cast<Number>(shot.start_time + heard.hats.time(r, shot.factor, heard.tau_of(shot)));
}

/// shares[shot][receiver] (ReceiverPull), and what receivers say of each source. One block per
/// source.
template <class Number>
__global__ void pull_sources(HeardReceivers heard, const HeardShot* shots, const Number* by_times,
                             double* shares, NodeSums* of_shots, unsigned* not_finite) {
    const HeardShot shot = shots[blockIdx.x];
    NodeSums mine;
    for (std::size_t r = threadIdx.x; r < heard.receivers; r += blockDim.x) {
        const std::size_t n = blockIdx.x * heard.receivers + r;
        const auto by = static_cast<double>(by_times[n]);
        shares[n] = 0;
        if (by == 0) continue;
        const ReceiverPull pull = heard.hats.pull(r, by, shot.factor, heard.tau_of(shot));
        if (!pull.arrives) continue;
        if (!isfinite(by)) {
            tell_number(not_finite, r);
            continue;
        }
        shares[n] = pull.share;
        mine.start_time += by;
        for (int axis = 0; axis < 3; ++axis) mine.slope[axis] += pull.source[axis];
    }
    keep_sums(mine, of_shots[blockIdx.x]);
}

/// Adds what receivers ask of the nodes beside them.
__global__ inline void ask_slots(HeardReceivers heard, const HeardShot* shots,
                                 const double* shares) {
    const std::size_t slot = thread_number();
    if (slot >= heard.slots) return;
    const HeardShot shot = shots[blockIdx.y];
    const std::uint32_t node = heard.nodes[slot];
    if (!isfinite(shot.tau[node])) return;
    double sum = 0;
    for (std::size_t n = heard.slot_begin[slot]; n < heard.slot_begin[slot + 1]; ++n) {
        const ReceiverHats::Beside beside = heard.slot_beside[n];
        sum += shares[blockIdx.y * heard.receivers + beside.receiver] * beside.weight;
    }
    shot.asked[node] += static_cast<float>(sum);
}

/// Adds what the sources of a batch say of the position of each receiver, in their order.
template <class Number>
__global__ void pull_receivers(HeardReceivers heard, const HeardShot* shots, int count,
                               const Number* by_times, Vec3* by_receivers) {
    const std::size_t r = thread_number();
    if (r >= heard.receivers) return;
    Vec3 sum = by_receivers[r];
    for (int number = 0; number < count; ++number) {
        const auto by = static_cast<double>(by_times[number * heard.receivers + r]);
        if (by == 0) continue;
        const HeardShot shot = shots[number];
        const ReceiverPull pull = heard.hats.pull(r, by, shot.factor, heard.tau_of(shot));
        if (pull.arrives) sum = sum + pull.receiver;
    }
    by_receivers[r] = sum;
}

}  // namespace fermat::adjoint_kernels
