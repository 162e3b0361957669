#pragma once

// Stationary points of a time over a lattice, by the signs of its differences round a point.

#include "core/host_device.hpp"

namespace fermat {

/// Whether the time at a point of a lattice is less than that of its neighbours (`least`), or a
/// maximum or saddle (`other`). Bits of `earlier` are the neighbours in a ring that are earlier.
struct RingKind {
    bool least = false;
    bool other = false;
};
FERMAT_HD inline RingKind ring_kind(unsigned earlier) {
    if (earlier == 0) return {true, false};
    if (earlier == 0xffU) return {false, true};
    // Round a point, no change of sign is an extremum, two are a slope, four are a saddle.
    unsigned changes = (earlier ^ ((earlier >> 1) | (earlier << 7))) & 0xffU;
    int count = 0;
    for (; changes != 0; changes &= changes - 1) ++count;
    return {false, count >= 4};
}

}  // namespace fermat
