#pragma once

// For files that are built with OpenGL alone.

#include <string>
#include <string_view>

#include "core/gl_context.hpp"

namespace fermat {

/// A compute shader. All calls need a GlScope of its context.
class GlProgram {
  public:
    GlProgram() = default;
    /// Throws ComputeError with the driver's first words where it does not compile. `name` is part
    /// of the message.
    GlProgram(const GlContext& context, const std::string& name, const std::string& source);
    GlProgram(GlProgram&& other) noexcept { *this = std::move(other); }
    GlProgram& operator=(GlProgram&& other) noexcept;
    ~GlProgram() { release(); }

    /// Makes it the shader of the next dispatches and of set().
    void use() const;
    /// Values of the uniforms at these locations.
    void set(int location, int value) const;
    void set(int location, unsigned value) const;
    /// Runs work groups, and lets later dispatches see what they wrote.
    void dispatch(unsigned groups) const;
    /// Runs as many work groups as the buffer says that is bound for their number.
    void dispatch_indirect(std::size_t offset) const;

  private:
    void release();

    const GlContext* context_ = nullptr;
    unsigned name_ = 0;
};

}  // namespace fermat
