#include "core/no_cuda.hpp"
#include "rays/bending/bending_cuda.hpp"

namespace fermat {

struct CudaBender::State {};

CudaBender::CudaBender(const Model&) { refuse_cuda(); }
CudaBender::CudaBender(CudaBender&&) noexcept = default;
CudaBender::~CudaBender() = default;
double CudaBender::bend(std::span<const BendTask>, const StartSet&, int, std::span<BentRay>,
                        std::span<Vec3>) {
    return 0;
}

}  // namespace fermat
