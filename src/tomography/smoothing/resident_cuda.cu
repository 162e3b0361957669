#include "tomography/smoothing/resident_cuda.hpp"

#include <span>

#include "core/page_locked_cuda.hpp"
#include "tomography/hole/spread_cuda.hpp"
#include "tomography/smoothing/smoother_cuda.hpp"

namespace fermat {
namespace {

constexpr int block_threads = 256;

/// Page-locked memory of the host and the same on the device.
struct Mirrored {
    PageLocked<double> host;
    CudaArray<double> device;
    Shape shape;

    explicit Mirrored(Shape shape) : host(shape.count()), device(shape.count()), shape(shape) {}

    FieldView<double> view() { return {host.data(), shape}; }
    void send() { device.upload(host.values()); }
    void fetch() {
        check_cuda(cudaMemcpyAsync(host.data(), device.data(), device.bytes(),
                                   cudaMemcpyDeviceToHost, cuda_stream()),
                   "fetching a field");
    }
};

}  // namespace

class ResidentSmoothing::Memory {
  public:
    Memory(Shape cells, Shape nodes, Smoother smoother)
        : perturbations(cells), coverage(cells), nodes(nodes), smoother(smoother) {
        this->smoother.reserve(nodes);
    }

    /// The three parts follow each other on the device; the host waits once, at the end.
    template <class Send, class Work, class Fetch>
    SmoothingSplit run(Send send, Work work, Fetch fetch) {
        const auto part = [](CudaTimer& timer, auto& what) {
            timer.start();
            what();
            timer.mark_end();
        };
        part(sending_, send);
        part(working_, work);
        part(fetching_, fetch);
        SmoothingSplit took;
        took.to_host = fetching_.seconds("smoothing");
        took.to_device = sending_.seconds("smoothing");
        took.kernels = working_.seconds("smoothing");
        return took;
    }

    Mirrored perturbations;
    Mirrored coverage;
    Mirrored nodes;
    DeviceSmoother smoother;

  private:
    CudaTimer sending_;
    CudaTimer working_;
    CudaTimer fetching_;
};

ResidentSmoothing::ResidentSmoothing(Shape cells, Shape nodes, Smoother smoother)
    : memory_(std::make_unique<Memory>(cells, nodes, smoother)) {}
ResidentSmoothing::~ResidentSmoothing() = default;

FieldView<double> ResidentSmoothing::perturbations() { return memory_->perturbations.view(); }
FieldView<double> ResidentSmoothing::coverage() { return memory_->coverage.view(); }
FieldView<double> ResidentSmoothing::nodes() { return memory_->nodes.view(); }

SmoothingSplit ResidentSmoothing::smooth_cells(const SmoothingSize& size, int passes) {
    Memory& m = *memory_;
    return m.run(
        [&] {
            m.perturbations.send();
            m.coverage.send();
        },
        [&] {
            m.smoother.cells(m.perturbations.device.data(), m.coverage.device.data(),
                             m.perturbations.shape, size, passes);
        },
        [&] { m.perturbations.fetch(); });
}

SmoothingSplit ResidentSmoothing::smooth_vertices(const SmoothingSize& size, int passes) {
    Memory& m = *memory_;
    return m.run(
        [&] { m.nodes.send(); },
        [&] { m.smoother.vertices(m.nodes.device.data(), nullptr, m.nodes.shape, size, passes); },
        [&] { m.nodes.fetch(); });
}

SmoothingSplit ResidentSmoothing::smooth_both(const SmoothingSize& cell,
                                              const SmoothingSize& vertex) {
    Memory& m = *memory_;
    const std::size_t count = m.nodes.shape.count();
    return m.run(
        [&] {
            m.perturbations.send();
            m.coverage.send();
        },
        [&] {
            m.smoother.cells(m.perturbations.device.data(), m.coverage.device.data(),
                             m.perturbations.shape, cell, 1);
            spread_to_nodes<<<blocks_for(count, block_threads), block_threads>>>(
                {m.perturbations.device.data(), m.perturbations.shape}, cell,
                {m.nodes.device.data(), m.nodes.shape});
            m.smoother.vertices(m.nodes.device.data(), nullptr, m.nodes.shape, vertex, 1);
        },
        [&] { m.nodes.fetch(); });
}

}  // namespace fermat
