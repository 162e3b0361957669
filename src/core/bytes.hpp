#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "core/error.hpp"

namespace fermat {

using Bytes = std::vector<std::byte>;

/// Appends plain values to a message for another process of the same program.
class ByteWriter {
  public:
    template <class T>
    requires std::is_trivially_copyable_v<T>
    void add(const T& value) { append(&value, sizeof value); }
    template <class T>
    void add(const std::vector<T>& values) {
        static_assert(std::is_trivially_copyable_v<T>);
        add(values.size());
        append(values.data(), values.size() * sizeof(T));
    }
    void add(const std::string& text) { add(std::vector<char>(text.begin(), text.end())); }

    Bytes take() { return std::move(bytes_); }

  private:
    /// Not inlined: with constant sizes, GCC would warn of an overflow that cannot happen.
    [[gnu::noinline]] void append(const void* data, std::size_t size) {
        const auto* const from = static_cast<const std::byte*>(data);
        bytes_.insert(bytes_.end(), from, from + size);
    }

    Bytes bytes_;
};

/// Reads the values of a ByteWriter in the same order. Throws ComputeError where the bytes end too
/// early.
class ByteReader {
  public:
    explicit ByteReader(std::span<const std::byte> bytes) : rest_(bytes) {}

    template <class T>
    requires std::is_trivially_copyable_v<T> T take() {
        T value;
        copy(&value, sizeof value);
        return value;
    }
    template <class T>
    std::vector<T> take_vector() {
        const auto count = take<std::size_t>();
        if (count > rest_.size() / sizeof(T)) fail();
        std::vector<T> values(count);
        copy(values.data(), count * sizeof(T));
        return values;
    }
    std::string take_text() {
        const std::vector<char> text = take_vector<char>();
        return {text.begin(), text.end()};
    }
    std::span<const std::byte> rest() const { return rest_; }

  private:
    [[noreturn]] static void fail() {
        throw ComputeError("a message between ranks is too short (ranks must be one program)");
    }
    void copy(void* to, std::size_t size) {
        if (size > rest_.size()) fail();
        if (size > 0) std::memcpy(to, rest_.data(), size);
        rest_ = rest_.subspan(size);
    }

    std::span<const std::byte> rest_;
};

}  // namespace fermat
