#include "core/no_cuda.hpp"
#include "rays/rays_cuda.hpp"

namespace fermat {

struct CudaTracer::State {};

CudaTracer::CudaTracer() { refuse_cuda(); }
CudaTracer::CudaTracer(CudaTracer&&) noexcept = default;
CudaTracer::~CudaTracer() = default;
std::vector<RaySet> CudaTracer::trace(const Model&, const CudaFim&, std::span<const ShotRays>,
                                      const RayOptions&, const Execution&) {
    return {};
}
CudaTracer::Crossed CudaTracer::cross_cells(const Model&, const CudaFim&, std::span<const ShotRays>,
                                            const RayOptions&, const Execution&) {
    return {};
}
double CudaTracer::seconds() const { return 0; }

}  // namespace fermat
