#include "core/no_cuda.hpp"
#include "graph/jacobi_cuda.hpp"

namespace fermat {

struct CudaJacobi::State {};

std::string jacobi_cuda_obstacle(const GraphView&, const StarTable&, TileVisits) { return {}; }

CudaJacobi::CudaJacobi(const GraphView&, const StarTable&, EdgeWeights, TileVisits) {
    refuse_cuda();
}
CudaJacobi::~CudaJacobi() = default;
bool CudaJacobi::stores_weights() const { return false; }
std::size_t CudaJacobi::batch(std::size_t) const { return 1; }
double CudaJacobi::set_slowness(std::span<const float>) { return 0; }
double CudaJacobi::solve(std::span<const std::vector<Link>>, Monitor&,
                         const std::function<void(std::size_t)>&) {
    return 0;
}
void CudaJacobi::fetch(std::size_t, GraphField&) const {}

}  // namespace fermat
