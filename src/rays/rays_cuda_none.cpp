#include "core/error.hpp"
#include "rays/rays_cuda.hpp"

namespace fermat {

struct CudaTracer::State {};

CudaTracer::CudaTracer(const Model&) {
    throw InputError("CUDA is not in this build (configure with -DFERMAT_CUDA=ON, or use cpu)");
}
CudaTracer::CudaTracer(CudaTracer&&) noexcept = default;
CudaTracer::~CudaTracer() = default;
RaySet CudaTracer::trace(const CudaFim&, std::size_t, const FactoredSource&, double, std::int32_t,
                         std::span<const Vec3>, std::span<const std::int32_t>, const RayOptions&) {
    return {};
}
double CudaTracer::seconds() const { return 0; }

}  // namespace fermat
