#pragma once

// What the adjoint keeps on a CUDA device.

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "core/memory_cuda.hpp"
#include "eikonal/adjoint/receiver_kernels.cuh"
#include "eikonal/adjoint/source_box.hpp"
#include "eikonal/fim/fim_cuda.hpp"

namespace fermat {

/// The receivers of a survey on the device.
class ReceiversOnCuda {
  public:
    explicit ReceiversOnCuda(const ReceiverHats& hats)
        : positions_(sent(hats.positions())), begin_(sent(hats.begin())), hats_(sent(hats.hats())) {
        const std::vector<std::uint32_t> offsets(hats.nodes().begin(), hats.nodes().end());
        const ReceiverHats::BySlot by_slot = hats.by_slot();
        nodes_ = sent(std::span(offsets));
        slot_begin_ = sent(std::span(by_slot.begin));
        slot_beside_ = sent(std::span(by_slot.beside));
        heard_ = {{positions_.data(), begin_.data(), hats_.data()},
                  nodes_.data(),
                  hats.nodes().size(),
                  hats.receivers(),
                  slot_begin_.data(),
                  slot_beside_.data()};
        // The vectors above end here.
        check_cuda(cudaStreamSynchronize(cuda_stream()), "sending receivers");
    }
    const adjoint_kernels::HeardReceivers& heard() const { return heard_; }

  private:
    template <class T>
    static CudaArray<std::remove_const_t<T>> sent(std::span<T> values) {
        CudaArray<std::remove_const_t<T>> array(values.size());
        if (!values.empty()) array.upload(values);
        return array;
    }

    CudaArray<Vec3> positions_;
    CudaArray<std::size_t> begin_;
    CudaArray<ReceiverHat> hats_;
    CudaArray<std::uint32_t> nodes_;
    CudaArray<std::size_t> slot_begin_;
    CudaArray<ReceiverHats::Beside> slot_beside_;
    adjoint_kernels::HeardReceivers heard_;
};

/// What the substitution of a batch needs beside its fields. `tiles` counts those of one source.
struct BackMemory {
    BackMemory(std::size_t nodes, std::size_t tiles, int dimensions, std::size_t batch,
               std::size_t blocks)
        : tile_values(tiles *
                      static_cast<std::size_t>(dimensions == 2 ? tile_nodes<2> : tile_nodes<3>)),
          weights(static_cast<std::size_t>(dimensions) * tile_values * batch),
          by_slowness(tile_values * batch),
          asked(nodes * batch),
          lambda(tile_values * batch),
          face_values(dimensions == 2 ? TileFaces<2>::at(static_cast<unsigned>(tiles), 2)
                                      : TileFaces<3>::at(static_cast<unsigned>(tiles), 0)),
          incoming(face_values * batch),
          marks(tiles * batch),
          latest(tiles * batch),
          leader(tiles * batch),
          pending(tiles * batch),
          ready(tiles * batch),
          counters(BackOrder::counter_words),
          fields(batch),
          sums(blocks * batch) {}

    std::size_t tile_values;  ///< nodes in the tiles of a source
    CudaArray<AxisWeight<float>> weights;
    CudaArray<float> by_slowness;
    CudaArray<float> asked;
    CudaArray<float> lambda;
    std::size_t face_values;
    CudaArray<float> incoming;
    CudaArray<unsigned> marks;
    CudaArray<float> latest;
    CudaArray<unsigned> leader;
    CudaArray<unsigned> pending;
    CudaArray<unsigned> ready;
    CudaArray<unsigned> counters;
    CudaArray<BackShot<float>> fields;
    CudaArray<adjoint_kernels::NodeSums> sums;  ///< [shot][block]

    /// An order of so many tiles in which none is ready.
    BackOrder order(const TileBatch& tiles) {
        BackOrder order;
        order.marks = marks.data();
        order.latest = latest.data();
        order.leader = leader.data();
        order.pending = pending.data();
        order.ready = ready.data();
        order.counters = counters.data();
        order.entries = static_cast<unsigned>(tiles.entries);
        std::copy(std::begin(tiles.problem.tiles), std::end(tiles.problem.tiles), order.tiles);
        check_cuda(
            cudaMemsetAsync(order.ready, 0xff, tiles.entries * sizeof(unsigned), cuda_stream()),
            "starting the adjoint");
        check_cuda(cudaMemsetAsync(order.counters, 0, counters.bytes(), cuda_stream()),
                   "starting the adjoint");
        return order;
    }
};

/// Derivatives by slownesses of nodes that the host finds, beside those of the device.
class SparseSum {
  public:
    void add(std::size_t node, double value) { values_[node] += value; }
    /// Adds them to values on the device, once.
    void flush(double* to) {
        if (values_.empty()) return;
        std::vector<std::size_t> nodes;
        std::vector<double> values;
        for (const auto& [node, value] : values_) {
            nodes.push_back(node);
            values.push_back(value);
        }
        values_.clear();
        CudaArray<std::size_t> at(nodes.size());
        CudaArray<double> parts(values.size());
        at.upload(nodes);
        parts.upload(values);
        adjoint_kernels::add_values<<<blocks_for(nodes.size(), adjoint_kernels::threads),
                                      adjoint_kernels::threads, 0, cuda_stream()>>>(
            at.data(), parts.data(), nodes.size(), to);
        check_cuda(cudaStreamSynchronize(cuda_stream()), "adding derivatives beside sources");
    }
    void clear() { values_.clear(); }

  private:
    std::map<std::size_t, double> values_;
};

}  // namespace fermat
