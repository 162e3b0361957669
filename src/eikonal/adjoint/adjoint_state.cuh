#pragma once

// What the adjoint keeps on a CUDA device.

#include <algorithm>
#include <functional>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/memory_cuda.hpp"
#include "core/pieces_cuda.hpp"
#include "eikonal/adjoint/receiver_kernels.cuh"
#include "eikonal/adjoint/source_box.hpp"
#include "eikonal/fim/fim_cuda.hpp"

namespace fermat {

/// The receivers of a survey on the device.
class ReceiversOnCuda {
  public:
    explicit ReceiversOnCuda(const ReceiverHats& hats) {
        const std::vector<std::uint32_t> offsets(hats.nodes().begin(), hats.nodes().end());
        const ReceiverHats::BySlot by_slot = hats.by_slot();
        heard_.slots = hats.nodes().size();
        heard_.receivers = hats.receivers();
        if (heard_.receivers == 0) return;
        Parcel parcel;
        const std::size_t positions = parcel.add(hats.positions());
        const std::size_t begin = parcel.add(hats.begin());
        const std::size_t of_receivers = parcel.add(hats.hats());
        const std::size_t nodes = parcel.add(offsets);
        const std::size_t slot_begin = parcel.add(by_slot.begin);
        const std::size_t slot_beside = parcel.add(by_slot.beside);
        parcel.send(memory_);
        heard_.hats = {in_parcel<const Vec3>(memory_, positions),
                       in_parcel<const std::size_t>(memory_, begin),
                       in_parcel<const ReceiverHat>(memory_, of_receivers)};
        heard_.nodes = in_parcel<const std::uint32_t>(memory_, nodes);
        heard_.slot_begin = in_parcel<const std::size_t>(memory_, slot_begin);
        heard_.slot_beside = in_parcel<const ReceiverHats::Beside>(memory_, slot_beside);
    }
    const adjoint_kernels::HeardReceivers& heard() const { return heard_; }

  private:
    CudaArray<std::byte> memory_;
    adjoint_kernels::HeardReceivers heard_;
};

/// What the host wants to know of a substitution: it is fetched in one piece.
struct BackReport {
    struct Counts {
        int passes = 0;
        unsigned given_up = 0;      ///< tiles
        unsigned bad_node = 0;      ///< whose dJ/dT is not finite (tell_number)
        unsigned bad_receiver = 0;  ///< likewise
    };
    Counts* counts = nullptr;
    adjoint_kernels::NodeSums* of_nodes = nullptr;      ///< what dJ/dT says, by shot
    adjoint_kernels::NodeSums* of_receivers = nullptr;  ///< likewise
    adjoint_kernels::NodeSums* of_lambda = nullptr;     ///< what lambda says, by shot
    float* at_starts = nullptr;                         ///< lambda of the start nodes

    void cut(PieceCutter& cutter, std::size_t shots, std::size_t starts) {
        counts = cutter.cut<Counts>(1);
        of_nodes = cutter.cut<adjoint_kernels::NodeSums>(shots);
        of_receivers = cutter.cut<adjoint_kernels::NodeSums>(shots);
        of_lambda = cutter.cut<adjoint_kernels::NodeSums>(shots);
        at_starts = cutter.cut<float>(starts);
    }
};

/// What the substitution of a batch needs beside its fields. `tiles` counts those of one source.
struct BackMemory {
    BackMemory(std::size_t nodes, std::size_t tiles, int dimensions, std::size_t shots,
               std::size_t most_starts, std::size_t blocks)
        : shots(shots),
          starts(most_starts),
          tile_values(tiles *
                      static_cast<std::size_t>(dimensions == 2 ? tile_nodes<2> : tile_nodes<3>)),
          face_values(dimensions == 2 ? TileFaces<2>::at(static_cast<unsigned>(tiles), 2)
                                      : TileFaces<3>::at(static_cast<unsigned>(tiles), 0)) {
        memory = memory_for([&](PieceCutter& cutter) {
            report.cut(cutter, shots, starts);
            counters = cutter.cut<unsigned>(BackOrder::counter_words);
            asked_sums = cutter.cut<adjoint_kernels::NodeSums>(blocks * shots);
            before_asked = cutter.used();
            asked = cutter.cut<float>(nodes * shots);
            weights = cutter.cut<AxisWeight<float>>(static_cast<std::size_t>(dimensions) *
                                                    tile_values * shots);
            by_slowness = cutter.cut<float>(tile_values * shots);
            lambda = cutter.cut<float>(tile_values * shots);
            incoming = cutter.cut<float>(face_values * shots);
            marks = cutter.cut<unsigned>(tiles * shots);
            latest = cutter.cut<float>(tiles * shots);
            leader = cutter.cut<unsigned>(tiles * shots);
            pending = cutter.cut<unsigned>(tiles * shots);
            ready = cutter.cut<unsigned>(tiles * shots);
            sums = cutter.cut<adjoint_kernels::NodeSums>(blocks * shots);
            sent = cutter.cut<std::byte>(shots * sizeof(BackShot<float>) + Parcel::aligned +
                                         starts * sizeof(std::size_t));
        });
    }

    /// An order of so many tiles in which none is ready.
    BackOrder order(const TileBatch& tiles) {
        BackOrder order;
        order.marks = marks;
        order.latest = latest;
        order.leader = leader;
        order.pending = pending;
        order.ready = ready;
        order.counters = counters;
        order.entries = static_cast<unsigned>(tiles.entries);
        order.none_in_order = order.entries < BackOrder::fewest;
        std::copy(std::begin(tiles.problem.tiles), std::end(tiles.problem.tiles), order.tiles);
        if (order.none_in_order) return order;
        check_cuda(
            cudaMemsetAsync(order.ready, 0xff, tiles.entries * sizeof(unsigned), cuda_stream()),
            "starting the adjoint");
        return order;
    }

    /// Sets to 0 what a substitution of so many values of J begins with.
    void clear(std::size_t values) const {
        check_cuda(
            cudaMemsetAsync(memory.data(), 0, before_asked + values * sizeof(float), cuda_stream()),
            "asking nodes");
    }
    std::size_t report_bytes() const {
        PieceCutter cutter;
        BackReport().cut(cutter, shots, starts);
        return cutter.used();
    }

    std::size_t shots;
    std::size_t starts;
    std::size_t tile_values;       ///< nodes in the tiles of a source
    std::size_t face_values;       ///< numbers that pass through faces, likewise
    std::size_t before_asked = 0;  ///< bytes
    CudaArray<std::byte> memory;   ///< of all that follows
    BackReport report;             ///< its first piece
    unsigned* counters = nullptr;
    adjoint_kernels::NodeSums* asked_sums = nullptr;  ///< [shot][block], what dJ/dT says
    float* asked = nullptr;
    AxisWeight<float>* weights = nullptr;
    float* by_slowness = nullptr;
    float* lambda = nullptr;
    float* incoming = nullptr;
    unsigned* marks = nullptr;
    float* latest = nullptr;
    unsigned* leader = nullptr;
    unsigned* pending = nullptr;
    unsigned* ready = nullptr;
    adjoint_kernels::NodeSums* sums = nullptr;  ///< [shot][block], what lambda says
    std::byte* sent = nullptr;                  ///< fields, and the places of start nodes
    BackShot<float>* fields = nullptr;
    const std::size_t* start_places = nullptr;
};

/// Derivatives by slownesses of nodes that the host finds, beside those of the device. Each node
/// has a slot.
class SparseSum {
  public:
    std::size_t slot_of(std::size_t node) {
        const auto [place, is_new] = slots_.try_emplace(node, nodes_.size());
        if (is_new) {
            nodes_.push_back(node);
            values_.push_back(0);
        }
        return place->second;
    }
    void add(std::size_t slot, double value) { values_[slot] += value; }
    /// Adds them to values on the device, once.
    void flush(double* to) {
        if (nodes_.empty()) return;
        Parcel parcel;
        const std::size_t at = parcel.add(nodes_);
        const std::size_t parts = parcel.add(values_);
        CudaArray<std::byte> sent;
        parcel.send(sent);
        adjoint_kernels::add_values<<<blocks_for(nodes_.size(), adjoint_kernels::threads),
                                      adjoint_kernels::threads, 0, cuda_stream()>>>(
            in_parcel<const std::size_t>(sent, at), in_parcel<const double>(sent, parts),
            nodes_.size(), to);
        check_cuda(cudaGetLastError(), "adding derivatives beside sources");
        clear();
    }
    void clear() {
        slots_.clear();
        nodes_.clear();
        values_.clear();
    }

  private:
    std::unordered_map<std::size_t, std::size_t> slots_;
    std::vector<std::size_t> nodes_;
    std::vector<double> values_;
};

/// What the w of a start node depends on.
struct StartParts {
    struct Beside {
        std::size_t node = 0;
        double part = 0;       ///< dw/ds
        std::size_t slot = 0;  ///< of the node, in a SparseSum
    };
    Vec3 slope;  ///< dw/d(source position)
    std::vector<Beside> beside;
};

inline std::vector<StartParts> start_parts(const SourceBox& box) {
    std::vector<StartParts> parts(box.nodes().size());
    for (std::size_t m = 0; m < parts.size(); ++m) {
        parts[m].slope = box.derivative(m, [&](std::size_t node, double part) {
            parts[m].beside.push_back({node, part, 0});
        });
    }
    return parts;
}

}  // namespace fermat
