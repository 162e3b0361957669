#pragma once

// For .cu files only: predecessors from final times on the device.

#include <cmath>
#include <span>

#include "core/block.hpp"
#include "core/memory_cuda.hpp"
#include "graph/node_tile_queue.hpp"
#include "graph/shortest_tree.hpp"

namespace fermat {
namespace {

constexpr int wide = 1024;  ///< blocks of the simple kernels: enough to fill any device
constexpr int threads = 256;

template <class T>
__global__ void fill(T* values, std::size_t count, T value) {
    const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t n = blockIdx.x * blockDim.x + threadIdx.x; n < count; n += step) {
        values[n] = value;
    }
}

__global__ void mark_sources(const ShotLink* links, std::size_t count, const float* times,
                             std::uint16_t* predecessor, std::size_t stride) {
    const std::size_t n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n >= count) return;
    const std::size_t at = static_cast<std::size_t>(links[n].shot) * stride + links[n].place;
    if (times[at] == links[n].time) predecessor[at] = from_source;
}

/// Calls visit(place, offset of the shot, weight) for every node of every shot; one block per tile.
template <class Visit>
__device__ void for_each_node(const NodeTiles& tiles, unsigned shots, Visit visit) {
    const auto lane = static_cast<int>(threadIdx.x);
    for (unsigned n = blockIdx.x; n < tiles.tile_count() * shots; n += gridDim.x) {
        const unsigned tile = n % tiles.tile_count();
        const Index3 first = tiles.first_node(tile);
        const Index3 inner = tiles.node_of(lane);
        if (!tiles.inside({first.x + inner.x, first.y + inner.y, first.z + inner.z})) continue;
        const std::size_t place = tiles.place_of(first, lane);
        const std::size_t shot = n / tiles.tile_count() * tiles.graph.memory.count();
        if (tiles.weights != nullptr) {
            const float* const weights = tiles.weights + tile * tiles.tile_weights() + lane;
            visit(place, shot, [&](int e) { return weights[e * tile_lanes]; });
        } else {
            visit(place, shot, [&](int e) { return computed_weight(tiles.graph, place, e); });
        }
    }
}

__global__ void __launch_bounds__(tile_lanes)
    grow_tree(const __grid_constant__ NodeTiles tiles, unsigned shots, const float* times,
              std::uint16_t* predecessor, unsigned* left) {
    for_each_node(tiles, shots, [&](std::size_t place, std::size_t shot, auto weight) {
        std::uint16_t& mine = predecessor[shot + place];
        if (mine == from_source) return;
        mine = earlier_neighbour(tiles.graph, times + shot, place, weight);
        if (mine == from_nowhere && times[shot + place] < INFINITY) atomicAdd(left, 1U);
    });
}

/// Finds predecessors of the nodes that grow_tree left. `before` contains the predecessors of the
/// previous round.
__global__ void __launch_bounds__(tile_lanes)
    grow_level(const __grid_constant__ NodeTiles tiles, unsigned shots, const float* times,
               const std::uint16_t* before, std::uint16_t* predecessor, unsigned* left) {
    for_each_node(tiles, shots, [&](std::size_t place, std::size_t shot, auto weight) {
        std::uint16_t& mine = predecessor[shot + place];
        if (mine != from_nowhere || !(times[shot + place] < INFINITY)) return;
        mine = equal_neighbour(tiles.graph, times + shot, before + shot, place, weight);
        if (mine == from_nowhere) atomicAdd(left, 1U);
    });
}

/// Finds the predecessors of `shots` fields, which lie one after another in `times`. `left` is a
/// counter that must be 0 before the call.
void find_predecessors(const NodeTiles& tiles, unsigned shots, std::span<const ShotLink> links,
                       const float* times, std::uint16_t* predecessor, unsigned* left) {
    const std::size_t stride = tiles.graph.memory.count();
    const auto blocks_of_links = static_cast<unsigned>((links.size() + threads - 1) / threads);
    fill<<<wide, threads>>>(predecessor, shots * stride, from_nowhere);
    mark_sources<<<blocks_of_links, threads>>>(links.data(), links.size(), times, predecessor,
                                               stride);
    grow_tree<<<8 * wide, tile_lanes>>>(tiles, shots, times, predecessor, left);
    unsigned remaining = 0;
    const auto ask = [&] {
        check_cuda(cudaMemcpy(&remaining, left, sizeof remaining, cudaMemcpyDeviceToHost),
                   "finding the paths");
    };
    ask();
    if (remaining == 0) return;
    const CudaArray<std::uint16_t> before(shots * stride);
    for (unsigned last = 0; remaining > 0 && remaining != last; ask()) {
        last = remaining;
        check_cuda(
            cudaMemcpyAsync(before.data(), predecessor, before.bytes(), cudaMemcpyDeviceToDevice),
            "finding the paths");
        check_cuda(cudaMemsetAsync(left, 0, sizeof(unsigned)), "finding the paths");
        grow_level<<<wide, tile_lanes>>>(tiles, shots, times, before.data(), predecessor, left);
    }
}

}  // namespace
}  // namespace fermat
