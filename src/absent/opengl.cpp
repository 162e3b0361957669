// What a build without OpenGL has in place of the files that run shaders: the same functions, of
// which those that a caller reaches first throw the sentence that says how to get OpenGL.

#include "core/error.hpp"
#include "core/gl_context.hpp"
#include "eikonal/fim/fim_opengl.hpp"
#include "graph/bellman_ford_opengl.hpp"
#include "graph/jacobi_opengl.hpp"

namespace fermat {

namespace {

constexpr const char* sentence =
    "OpenGL is not in this build (configure with -DFERMAT_OPENGL=ON, or use cpu)";

[[noreturn]] void refuse_opengl() {
    throw InputError(
        "device is 'opengl' (OpenGL is not in this build: configure with -DFERMAT_OPENGL=ON, or "
        "use cpu)");
}

}  // namespace

// core

struct GlContext::State {};

GlContext::GlContext() { throw InputError(sentence); }
GlContext::~GlContext() = default;
const GlInfo& GlContext::info() const { throw InputError(sentence); }
const GlFunctions& GlContext::functions() const { throw InputError(sentence); }
void GlContext::check(const std::string&) const {}

GlScope::GlScope(const GlContext& context) : context_(context) {}
GlScope::~GlScope() { static_cast<void>(context_); }

std::string gl_obstacle() { return sentence; }

// eikonal/fim

struct GlFim::State {};

GlFim::GlFim(const Model&, int) { refuse_opengl(); }
GlFim::~GlFim() = default;
double GlFim::solve(const FactoredSource&, FieldView<float>, Monitor&) { return 0; }
int GlFim::passes() const { return 0; }

// graph

struct GlGraph::State {};

GlGraph::GlGraph(const GraphView&, const StarTable&, EdgeWeights, const NodeTileTuning&) {
    refuse_opengl();
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

struct GlJacobi::State {};

GlJacobi::GlJacobi(const GraphView&, const StarTable&, EdgeWeights, TileVisits) { refuse_opengl(); }
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
