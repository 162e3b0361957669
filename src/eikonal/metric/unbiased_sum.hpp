#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/host_device.hpp"
#include "eikonal/lanes.hpp"

namespace fermat {

/// Sums whose rounding errors are zero on average (stochastic rounding: Croci et al., Royal Society
/// Open Science 9, 2022). tau changes little from node to node, and rounding to the nearest pulls
/// it the same way in one node after another: on 257^3 nodes of a sphere, times were too early by
/// 1e-6 of themselves, ten times the error of the scheme.
///
/// Chance is drawn from numbers of the node, so a node always rounds the same way.

namespace detail {

#if !defined(__CUDACC__)
typedef std::uint32_t LaneWords __attribute__((vector_size(register_bytes)));
#endif

/// The bits of single-precision values.
FERMAT_HD_INLINE std::uint32_t words_of(float v) {
    std::uint32_t word;
    std::memcpy(&word, &v, sizeof word);
    return word;
}
FERMAT_HD_INLINE float value_of(std::uint32_t word) {
    float v;
    std::memcpy(&v, &word, sizeof v);
    return v;
}
FERMAT_HD_INLINE float signed_number(std::uint32_t word) {
    return static_cast<float>(static_cast<std::int32_t>(word));
}
#if !defined(__CUDACC__)
[[gnu::always_inline]] inline LaneWords words_of(Lanes<float> v) { return (LaneWords)v; }
[[gnu::always_inline]] inline Lanes<float> value_of(LaneWords words) { return (Lanes<float>)words; }
[[gnu::always_inline]] inline Lanes<float> signed_number(LaneWords words) {
    typedef std::int32_t Signed __attribute__((vector_size(register_bytes)));
    return __builtin_convertvector((Signed)words, Lanes<float>);
}
#endif

/// The power of two at or below a positive value.
template <class V>
FERMAT_HD_INLINE V power_below(V v) {
    return value_of(words_of(v) & 0x7f800000U);
}

}  // namespace detail

/// Between -1/2 and 1/2, evenly and the same for the same numbers. Of doubles, whose rounding does
/// not matter, 0.
template <class V>
FERMAT_HD_INLINE V chance_of(V a, V b, V c) {
    if constexpr (std::is_same_v<Scalar<V>, double>) {
        return V{};
    } else {
        auto mixed = detail::words_of(a) * 0x9e3779b1U ^ detail::words_of(b) * 0x85ebca77U ^
                     detail::words_of(c) * 0xc2b2ae3dU;
        mixed = (mixed ^ mixed >> 15) * 0x2c1b3c6dU;
        mixed = mixed ^ mixed >> 13;
        return detail::signed_number(mixed) * 0x1p-32F;
    }
}

/// base + small, for a positive base.
template <class V>
FERMAT_HD_INLINE V unbiased_sum(V base, V small, V chance) {
    if constexpr (std::is_same_v<Scalar<V>, double>) {
        return base + small;
    } else {
        return base + (small + detail::power_below(base) * (chance * 0x1p-23F));
    }
}

}  // namespace fermat
