#include "core/gl_program.hpp"

#include <utility>

#include "core/error.hpp"
#include "core/gl_functions.hpp"

namespace fermat {
namespace {

/// The first line of the driver's words.
std::string first_line(const std::string& words) {
    const std::string line = words.substr(0, words.find('\n'));
    return line.empty() ? "the driver does not say why" : line;
}

ComputeError no_shader(const std::string& name, const std::string& words) {
    return ComputeError("the OpenGL driver refuses the shader '" + name + "' (" +
                        first_line(words) + "; use cpu or another driver)");
}

}  // namespace

GlProgram::GlProgram(const GlContext& context, const std::string& name, const std::string& source)
    : context_(&context) {
    const GlFunctions& gl = context.functions();
    const GLuint shader = gl.CreateShader(GL_COMPUTE_SHADER);
    const char* const text = source.c_str();
    gl.ShaderSource(shader, 1, &text, nullptr);
    gl.CompileShader(shader);
    GLint good = GL_FALSE;
    std::string words(1024, '\0');
    GLsizei length = 0;
    const auto most = static_cast<GLsizei>(words.size());
    gl.GetShaderiv(shader, GL_COMPILE_STATUS, &good);
    if (good != GL_TRUE) {
        gl.GetShaderInfoLog(shader, most, &length, words.data());
        gl.DeleteShader(shader);
        words.resize(static_cast<std::size_t>(length));
        throw no_shader(name, words);
    }
    name_ = gl.CreateProgram();
    gl.AttachShader(name_, shader);
    gl.LinkProgram(name_);
    gl.DeleteShader(shader);
    gl.GetProgramiv(name_, GL_LINK_STATUS, &good);
    if (good == GL_TRUE) return;
    gl.GetProgramInfoLog(name_, most, &length, words.data());
    words.resize(static_cast<std::size_t>(length));
    release();
    throw no_shader(name, words);
}

GlProgram& GlProgram::operator=(GlProgram&& other) noexcept {
    if (this == &other) return *this;
    release();
    context_ = std::exchange(other.context_, nullptr);
    name_ = std::exchange(other.name_, 0U);
    return *this;
}

void GlProgram::release() {
    if (name_ != 0) context_->functions().DeleteProgram(name_);
    name_ = 0;
}

void GlProgram::use() const { context_->functions().UseProgram(name_); }
void GlProgram::set(int location, int value) const {
    context_->functions().Uniform1i(location, value);
}
void GlProgram::set(int location, unsigned value) const {
    context_->functions().Uniform1ui(location, value);
}

void GlProgram::dispatch(unsigned groups) const {
    const GlFunctions& gl = context_->functions();
    gl.DispatchCompute(groups, 1, 1);
    gl.MemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_COMMAND_BARRIER_BIT);
}

void GlProgram::dispatch_indirect(std::size_t offset) const {
    const GlFunctions& gl = context_->functions();
    gl.DispatchComputeIndirect(static_cast<GLintptr>(offset));
    gl.MemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_COMMAND_BARRIER_BIT);
}

}  // namespace fermat
