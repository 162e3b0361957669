#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/id.hpp"

namespace fermat {

/// A short hash of values. Equal values have equal fingerprints, different values almost surely
/// different ones. It detects damage and mix-ups; it does not protect against intent.
class Fingerprint {
  public:
    template <class T>
    requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) void add(T value) {
        std::uint64_t word = 0;
        std::memcpy(&word, &value, sizeof value);
        mix(word);
    }
    template <class Thing>
    void add(Id<Thing> id) {
        add(std::int32_t{id});
    }
    void add(std::string_view text) { add_bytes(text.data(), text.size()); }
    template <class T>
    requires std::is_arithmetic_v<T>
    void add(std::span<const T> values) { add_bytes(values.data(), values.size_bytes()); }
    template <class T>
    requires std::is_arithmetic_v<T>
    void add(const std::vector<T>& values) { add(std::span<const T>(values)); }

    /// 16 hexadecimal digits.
    std::string text() const {
        std::string digits(16, '0');
        for (std::size_t i = 0; i < 16; ++i)
            digits[15 - i] = "0123456789abcdef"[state_ >> 4 * i & 15];
        return digits;
    }

  private:
    void add_bytes(const void* data, std::size_t size) {
        mix(size);
        const auto* bytes = static_cast<const char*>(data);
        for (std::size_t at = 0; at < size; at += 8) {
            std::uint64_t word = 0;
            std::memcpy(&word, bytes + at, size - at < 8 ? size - at : 8);
            mix(word);
        }
    }
    /// splitmix64 (Steele, Lea & Flood 2014) as a chain.
    void mix(std::uint64_t word) {
        std::uint64_t z = (state_ ^ word) + 0x9e3779b97f4a7c15U;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
        state_ = z ^ (z >> 31);
    }

    std::uint64_t state_ = 0;
};

}  // namespace fermat
