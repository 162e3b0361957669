#pragma once

// For files that are built with OpenGL alone.

#include <cstddef>
#include <span>
#include <string>

#include "core/gl_context.hpp"

namespace fermat {

/// A shader storage buffer, untyped: whole numbers and reals of four bytes. All calls need a
/// GlScope of its context.
class GlBuffer {
  public:
    GlBuffer() = default;
    /// Throws ComputeError where the device has no memory, or no shader could reach that much.
    /// `what` the buffer holds is part of the message ("times").
    GlBuffer(const GlContext& context, std::size_t bytes, const std::string& what);
    GlBuffer(GlBuffer&& other) noexcept { *this = std::move(other); }
    GlBuffer& operator=(GlBuffer&& other) noexcept;
    ~GlBuffer() { release(); }

    std::size_t bytes() const { return bytes_; }
    /// Makes it buffer number `place` of the shaders.
    void bind(unsigned place) const;
    /// Makes it the one that indirect dispatches read.
    void bind_indirect() const;

    template <class T>
    void upload(std::span<const T> values) {
        write(values.data(), values.size_bytes());
    }
    template <class T>
    void download(std::span<T> values, std::size_t first = 0) const {
        read(values.data(), first * sizeof(T), values.size_bytes());
    }

  private:
    void write(const void* values, std::size_t bytes);
    void read(void* values, std::size_t from, std::size_t bytes) const;
    void release();

    const GlContext* context_ = nullptr;
    unsigned name_ = 0;
    std::size_t bytes_ = 0;
};

}  // namespace fermat
