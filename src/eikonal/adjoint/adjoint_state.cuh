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

/// What the substitution of a batch needs beside its fields.
struct BackMemory {
    BackMemory(std::size_t nodes, int dimensions, std::size_t batch, std::size_t blocks)
        : weights(static_cast<std::size_t>(dimensions) * nodes * batch),
          by_slowness(nodes * batch),
          asked(nodes * batch),
          lambda(nodes * batch),
          fields(batch),
          sums(blocks * batch) {}

    CudaArray<AxisWeight<float>> weights;
    CudaArray<float> by_slowness;
    CudaArray<float> asked;
    CudaArray<float> lambda;
    CudaArray<BackShot<float>> fields;
    CudaArray<adjoint_kernels::NodeSums> sums;  ///< [shot][block]
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
