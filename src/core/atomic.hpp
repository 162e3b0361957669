#pragma once

#include <cstdint>

#include "core/host_device.hpp"

namespace fermat {

/// What lanes of different blocks may do to one variable at the same time. On the host, block
/// algorithms run in one thread and plain arithmetic serves.
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

/// For floats that are not negative, whose order is that of their bits. Gives what was there
/// before.
FERMAT_HD inline float atomic_least(float& value, float other) {
#if defined(__CUDA_ARCH__)
    return __uint_as_float(atomicMin(reinterpret_cast<unsigned*>(&value), __float_as_uint(other)));
#else
    const float before = value;
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

/// A value that another block may have written since this one last read it: past the caches that
/// blocks do not share.
FERMAT_HD inline float read_fresh(const float& value) {
#if defined(__CUDA_ARCH__)
    return __ldcg(&value);
#else
    return value;
#endif
}

/// What this lane wrote before is seen by whoever sees what it writes after.
FERMAT_HD inline void publish() {
#if defined(__CUDA_ARCH__)
    __threadfence();
#endif
}

}  // namespace fermat
