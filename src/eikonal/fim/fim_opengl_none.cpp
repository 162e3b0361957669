#include "core/error.hpp"
#include "eikonal/fim/fim_opengl.hpp"

namespace fermat {

struct GlFim::State {};

GlFim::GlFim(const Model&, int) {
    throw InputError(
        "device is 'opengl' (OpenGL is not in this build: configure with -DFERMAT_OPENGL=ON, or "
        "use cpu)");
}
GlFim::~GlFim() = default;
double GlFim::solve(const FactoredSource&, FieldView<float>, Monitor&) { return 0; }
int GlFim::passes() const { return 0; }

}  // namespace fermat
