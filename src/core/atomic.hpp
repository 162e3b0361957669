#pragma once

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

FERMAT_HD inline unsigned atomic_or(unsigned& value, unsigned bits) {
#if defined(__CUDA_ARCH__)
    return atomicOr(&value, bits);
#else
    const unsigned before = value;
    value |= bits;
    return before;
#endif
}

/// For floats that are not negative, whose order is that of their bits.
FERMAT_HD inline void atomic_least(float& value, float other) {
#if defined(__CUDA_ARCH__)
    atomicMin(reinterpret_cast<unsigned*>(&value), __float_as_uint(other));
#else
    if (other < value) value = other;
#endif
}

}  // namespace fermat
