#pragma once

#if defined(__SSE2__) && !defined(__CUDACC__)
#include <immintrin.h>
#endif

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/host_device.hpp"

namespace fermat {

/// A register of values that one instruction computes, by the vector types of the compiler. The
/// stencils are templates over the value type: the same source computes one node (float, double;
/// also on the GPU) or a register full of nodes (Lanes).
#if defined(__AVX512F__)
inline constexpr int register_bytes = 64;
#elif defined(__AVX2__)
inline constexpr int register_bytes = 32;
#else
inline constexpr int register_bytes = 16;
#endif

template <class Real>
inline constexpr int lane_count = register_bytes / static_cast<int>(sizeof(Real));

#if !defined(__CUDACC__)
template <class Real>
struct LanesOf;
template <>
struct LanesOf<float> {
    typedef float type __attribute__((vector_size(register_bytes)));
};
template <>
struct LanesOf<double> {
    typedef double type __attribute__((vector_size(register_bytes)));
};
template <class Real>
using Lanes = typename LanesOf<Real>::type;
#endif

/// The number type behind a value type: float for float and for Lanes<float>.
template <class V>
struct ScalarOf {
    using type = std::remove_cvref_t<decltype(V{}[0])>;
};
template <>
struct ScalarOf<float> {
    using type = float;
};
template <>
struct ScalarOf<double> {
    using type = double;
};
template <class V>
using Scalar = typename ScalarOf<V>::type;

FERMAT_HD inline float root(float v) { return std::sqrt(v); }
FERMAT_HD inline double root(double v) { return std::sqrt(v); }

FERMAT_HD_INLINE float magnitude(float v) { return std::fabs(v); }
FERMAT_HD_INLINE double magnitude(double v) { return std::fabs(v); }

FERMAT_HD_INLINE bool any_lane(bool mask) { return mask; }

#if defined(__CUDACC__)
/// One instruction of a device; the templates of the stencil would compare and select.
FERMAT_HD_INLINE float least(float a, float b) { return fminf(a, b); }
FERMAT_HD_INLINE float most(float a, float b) { return fmaxf(a, b); }
#endif

#if !defined(__CUDACC__)
template <class V>
[[gnu::always_inline]] inline V root(V v) {
#if defined(__AVX512F__)
    // GCC would split the root of 64 bytes into two halves that go through memory. The intrinsics
    // without a mask make GCC warn of an uninitialized value.
    if constexpr (sizeof(Scalar<V>) == 4) {
        return (V)_mm512_maskz_sqrt_ps(0xFFFF, (__m512)v);
    } else {
        return (V)_mm512_maskz_sqrt_pd(0xFF, (__m512d)v);
    }
#else
    constexpr int count = lane_count<Scalar<V>>;
    Scalar<V> in[count];
    Scalar<V> out[count];
    std::memcpy(in, &v, sizeof v);
    for (int lane = 0; lane < count; ++lane) out[lane] = std::sqrt(in[lane]);
    std::memcpy(&v, out, sizeof v);
    return v;
#endif
}

/// |v|, by the bit of the sign.
template <class V>
requires(sizeof(V) == register_bytes) [[gnu::always_inline]] inline V magnitude(V v) {
    using Bits = decltype(V{} < V{});
    return (V)((Bits)v & ~(Bits)(-V{}));
}

/// The lanes in which a comparison holds, as bits.
template <class Mask>
requires(sizeof(Mask) == register_bytes) [[gnu::always_inline]] inline std::uint32_t
    lane_bits(Mask mask) {
    constexpr bool single = sizeof(mask[0]) == 4;
#if defined(__AVX512F__)
    if constexpr (single) {
        return _mm512_test_epi32_mask((__m512i)mask, (__m512i)mask);
    } else {
        return _mm512_test_epi64_mask((__m512i)mask, (__m512i)mask);
    }
#elif defined(__AVX2__)
    if constexpr (single) {
        return static_cast<std::uint32_t>(_mm256_movemask_ps((__m256)mask));
    } else {
        return static_cast<std::uint32_t>(_mm256_movemask_pd((__m256d)mask));
    }
#elif defined(__SSE2__)
    if constexpr (single) {
        return static_cast<std::uint32_t>(_mm_movemask_ps((__m128)mask));
    } else {
        return static_cast<std::uint32_t>(_mm_movemask_pd((__m128d)mask));
    }
#else
    std::uint32_t bits = 0;
    for (int lane = 0; lane < (single ? 4 : 2); ++lane) {
        bits |= static_cast<std::uint32_t>(mask[lane] != 0) << lane;
    }
    return bits;
#endif
}

/// True if a comparison holds in any lane.
template <class Mask>
requires(sizeof(Mask) == register_bytes) [[gnu::always_inline]] inline bool any_lane(Mask mask) {
    return lane_bits(mask) != 0;
}

template <class Real>
[[gnu::always_inline]] inline Lanes<Real> load(const Real* from) {
    Lanes<Real> v;
    std::memcpy(&v, from, sizeof v);
    return v;
}

template <class Real>
[[gnu::always_inline]] inline void store(Real* to, std::type_identity_t<Lanes<Real>> v) {
    std::memcpy(to, &v, sizeof v);
}
#endif

}  // namespace fermat
