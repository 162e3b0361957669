#pragma once

#include <cstdint>

#include "core/host_device.hpp"

namespace fermat {

/// Operations on a variable that lanes of different blocks change at the same time. On the host,
/// block algorithms run in one thread, so plain arithmetic suffices.
FERMAT_HD inline unsigned atomic_add(unsigned& value, unsigned more) {
#if defined(__CUDA_ARCH__)
    return atomicAdd(&value, more);
#else
    const unsigned before = value;
    value += more;
    return before;
#endif
}

/// Of whole numbers, whose sum does not depend on the order.
FERMAT_HD inline void atomic_add(std::int64_t& value, std::int64_t more) {
#if defined(__CUDA_ARCH__)
    atomicAdd(reinterpret_cast<unsigned long long*>(&value), static_cast<unsigned long long>(more));
#else
    value += more;
#endif
}

FERMAT_HD inline unsigned atomic_or(unsigned& value, unsigned bits) {
#if defined(__CUDA_ARCH__)
    return atomicOr(&value, bits);
#else
    const unsigned before = value;
    value |= bits;
    return before;
#endif
}

/// Stores the lesser of the two values and returns the old one. For floats >= 0, whose bits have
/// the same order.
FERMAT_HD inline float atomic_least(float& value, float other) {
#if defined(__CUDA_ARCH__)
    return __uint_as_float(atomicMin(reinterpret_cast<unsigned*>(&value), __float_as_uint(other)));
#else
    const float before = value;
    if (other < value) value = other;
    return before;
#endif
}

FERMAT_HD inline unsigned atomic_least(unsigned& value, unsigned other) {
#if defined(__CUDA_ARCH__)
    return atomicMin(&value, other);
#else
    const unsigned before = value;
    if (other < value) value = other;
    return before;
#endif
}

FERMAT_HD inline float atomic_exchange(float& value, float other) {
#if defined(__CUDA_ARCH__)
    return atomicExch(&value, other);
#else
    const float before = value;
    value = other;
    return before;
#endif
}

/// Reads a value that another block may have written, bypassing the caches that blocks do not
/// share.
template <class T>
FERMAT_HD T read_fresh(const T& value) {
#if defined(__CUDA_ARCH__)
    return __ldcg(&value);
#else
    return value;
#endif
}

/// Memory fence: whoever sees what this lane writes next also sees what it wrote before.
FERMAT_HD inline void publish() {
#if defined(__CUDA_ARCH__)
    __threadfence();
#endif
}

}  // namespace fermat
