#include "core/error.hpp"
#include "graph/bellman_ford_opengl.hpp"

namespace fermat {

struct GlGraph::State {};

GlGraph::GlGraph(const GraphView&, const StarTable&, EdgeWeights, const NodeTileTuning&) {
    throw InputError(
        "device is 'opengl' (OpenGL is not in this build: configure with -DFERMAT_OPENGL=ON, or "
        "use cpu)");
}
GlGraph::~GlGraph() = default;
std::string GlGraph::renderer() const { return {}; }
bool GlGraph::stores_weights() const { return false; }
std::size_t GlGraph::batch(std::size_t) const { return 1; }
double GlGraph::set_slowness(std::span<const float>) { return 0; }
double GlGraph::solve(std::span<const std::vector<Link>>, Monitor&,
                      const std::function<void(std::size_t)>&) {
    return 0;
}
void GlGraph::fetch(std::size_t, GraphField&) const {}

}  // namespace fermat
