#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace fermat {

constexpr bool big_endian_machine = std::endian::native == std::endian::big;

template <class Bits>
Bits load_bits(const std::byte* bytes, bool swapped) {
    Bits bits;
    std::memcpy(&bits, bytes, sizeof bits);
    if constexpr (sizeof(Bits) == 4) return swapped ? __builtin_bswap32(bits) : bits;
    if constexpr (sizeof(Bits) == 8) return swapped ? __builtin_bswap64(bits) : bits;
}

/// A stored float32 or float64.
inline double load_float(const std::byte* bytes, std::size_t size, bool swapped) {
    return size == 4 ? std::bit_cast<float>(load_bits<std::uint32_t>(bytes, swapped))
                     : std::bit_cast<double>(load_bits<std::uint64_t>(bytes, swapped));
}

}  // namespace fermat
