#include "core/error.hpp"
#include "graph/jacobi_opengl.hpp"

namespace fermat {

struct GlJacobi::State {};

GlJacobi::GlJacobi(const GraphView&, const StarTable&, EdgeWeights, TileVisits) {
    throw InputError(
        "device is 'opengl' (OpenGL is not in this build: configure with -DFERMAT_OPENGL=ON, or "
        "use cpu)");
}
GlJacobi::~GlJacobi() = default;
bool GlJacobi::stores_weights() const { return false; }
std::size_t GlJacobi::batch(std::size_t) const { return 1; }
double GlJacobi::set_slowness(std::span<const float>) { return 0; }
double GlJacobi::solve(std::span<const std::vector<Link>>, Monitor&,
                       const std::function<void(std::size_t)>&) {
    return 0;
}
void GlJacobi::fetch(std::size_t, GraphField&) const {}

}  // namespace fermat
