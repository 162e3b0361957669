#include "core/error.hpp"
#include "core/gl_context.hpp"

namespace fermat {
namespace {

constexpr const char* sentence =
    "OpenGL is not in this build (configure with -DFERMAT_OPENGL=ON, or use cpu)";

}  // namespace

struct GlContext::State {};

GlContext::GlContext() { throw InputError(sentence); }
GlContext::~GlContext() = default;
const GlInfo& GlContext::info() const { throw InputError(sentence); }
const GlFunctions& GlContext::functions() const { throw InputError(sentence); }
void GlContext::check(const std::string&) const {}

GlScope::GlScope(const GlContext& context) : context_(context) {}
GlScope::~GlScope() { static_cast<void>(context_); }

std::string gl_obstacle() { return sentence; }

}  // namespace fermat
