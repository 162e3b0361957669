#include "core/no_cuda.hpp"
#include "graph/bellman_ford_cuda.hpp"

namespace fermat {

struct CudaGraph::State {};

std::string cuda_obstacle(const GraphView&) { return {}; }

CudaGraph::CudaGraph(const GraphView&, const StarTable&, EdgeWeights, const NodeTileTuning&) {
    refuse_cuda();
}
CudaGraph::~CudaGraph() = default;
bool CudaGraph::stores_weights() const { return false; }
std::size_t CudaGraph::batch(std::size_t) const { return 0; }
double CudaGraph::set_slowness(std::span<const float>) { return 0; }
double CudaGraph::solve(std::span<const std::vector<Link>>,
                        const std::function<void(std::size_t)>&) {
    return 0;
}
void CudaGraph::fetch(std::size_t, GraphField&) const {}
CudaGraph::Work CudaGraph::work() const { return {}; }

}  // namespace fermat
