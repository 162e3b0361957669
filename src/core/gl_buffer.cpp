#include "core/gl_buffer.hpp"

#include <utility>

#include "core/error.hpp"
#include "core/gl_functions.hpp"

namespace fermat {
namespace {

std::string megabytes(std::size_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

}  // namespace

GlBuffer::GlBuffer(const GlContext& context, std::size_t bytes, const std::string& what)
    : context_(&context), bytes_(bytes) {
    if (bytes > context.info().block_bytes) {
        throw ComputeError(what + " take " + megabytes(bytes) + " and a shader of " +
                           context.info().renderer + " reaches " +
                           megabytes(context.info().block_bytes) +
                           " (use weights 'computed', a smaller radius or model, or cpu)");
    }
    const GlFunctions& gl = context.functions();
    gl.GenBuffers(1, &name_);
    gl.BindBuffer(GL_SHADER_STORAGE_BUFFER, name_);
    gl.BufferData(GL_SHADER_STORAGE_BUFFER, static_cast<GLsizeiptr>(bytes), nullptr,
                  GL_DYNAMIC_COPY);
    try {
        context.check("taking " + megabytes(bytes) + " for " + what);
    } catch (...) {
        release();
        throw;
    }
}

GlBuffer& GlBuffer::operator=(GlBuffer&& other) noexcept {
    if (this == &other) return *this;
    release();
    context_ = std::exchange(other.context_, nullptr);
    name_ = std::exchange(other.name_, 0U);
    bytes_ = std::exchange(other.bytes_, 0U);
    return *this;
}

void GlBuffer::release() {
    if (name_ != 0) context_->functions().DeleteBuffers(1, &name_);
    name_ = 0;
    bytes_ = 0;
}

void GlBuffer::bind(unsigned place) const {
    context_->functions().BindBufferBase(GL_SHADER_STORAGE_BUFFER, place, name_);
}

void GlBuffer::bind_indirect() const {
    context_->functions().BindBuffer(GL_DISPATCH_INDIRECT_BUFFER, name_);
}

void GlBuffer::write(const void* values, std::size_t bytes) {
    const GlFunctions& gl = context_->functions();
    gl.BindBuffer(GL_SHADER_STORAGE_BUFFER, name_);
    gl.BufferSubData(GL_SHADER_STORAGE_BUFFER, 0, static_cast<GLsizeiptr>(bytes), values);
}

void GlBuffer::read(void* values, std::size_t from, std::size_t bytes) const {
    const GlFunctions& gl = context_->functions();
    gl.MemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    gl.BindBuffer(GL_SHADER_STORAGE_BUFFER, name_);
    gl.GetBufferSubData(GL_SHADER_STORAGE_BUFFER, static_cast<GLintptr>(from),
                        static_cast<GLsizeiptr>(bytes), values);
}

}  // namespace fermat
