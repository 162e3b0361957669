#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace fermat {

/// What computes the shaders of this machine.
struct GlInfo {
    std::string renderer;          ///< "llvmpipe (LLVM 15.0.6, 256 bits)"
    std::string version;           ///< of OpenGL, in the driver's words
    std::size_t block_bytes = 0;   ///< largest buffer that a shader can read or write
    std::size_t shared_bytes = 0;  ///< memory that a work group shares
    unsigned groups = 0;           ///< most work groups of a dispatch
};

struct GlFunctions;

/// An OpenGL 4.3 context without a window, through EGL: on a card if there is one, else on Mesa's
/// software renderer. It belongs to no thread; who uses it makes a GlScope.
class GlContext {
  public:
    /// Throws InputError where OpenGL is not in this build, and where EGL or OpenGL 4.3 is missing.
    GlContext();
    GlContext(const GlContext&) = delete;
    GlContext& operator=(const GlContext&) = delete;
    ~GlContext();

    const GlInfo& info() const;
    const GlFunctions& functions() const;

    /// Throws ComputeError if the driver has reported an error or the context is lost. `what` was
    /// being done ("finding shortest paths").
    void check(const std::string& what) const;

  private:
    friend class GlScope;
    struct State;
    std::unique_ptr<State> state_;
};

/// Makes the context the calling thread's own while it lives. Other threads wait.
class GlScope {
  public:
    explicit GlScope(const GlContext& context);
    GlScope(const GlScope&) = delete;
    GlScope& operator=(const GlScope&) = delete;
    ~GlScope();

  private:
    const GlContext& context_;
};

/// Why shaders cannot be computed here; empty where they can. `fermat info` shows it.
std::string gl_obstacle();

}  // namespace fermat
