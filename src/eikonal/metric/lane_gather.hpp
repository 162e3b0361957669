#pragma once

#include <cstdint>
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "eikonal/lanes.hpp"

namespace fermat {

/// A register of numbers of nodes, as many as there are lanes of float.
typedef std::int32_t LaneInts __attribute__((vector_size(register_bytes)));

[[gnu::always_inline]] inline Lanes<float> gather(const float* from, LaneInts at) {
#if defined(__AVX512F__)
    return (Lanes<float>)_mm512_mask_i32gather_ps(_mm512_setzero_ps(), 0xFFFF, (__m512i)at, from,
                                                  4);
#else
    Lanes<float> out;
    for (int n = 0; n < lane_count<float>; ++n) out[n] = from[at[n]];
    return out;
#endif
}

/// Writes the lanes whose bits are set.
[[gnu::always_inline]] inline void scatter(float* to, LaneInts at, Lanes<float> values,
                                           std::uint32_t which) {
#if defined(__AVX512F__)
    _mm512_mask_i32scatter_ps(to, static_cast<__mmask16>(which), (__m512i)at, (__m512)values, 4);
#else
    for (; which != 0; which &= which - 1) {
        const int n = __builtin_ctz(which);
        to[at[n]] = values[n];
    }
#endif
}

}  // namespace fermat
