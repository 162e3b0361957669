#pragma once

#include <cstdint>

#include "core/host_device.hpp"

namespace fermat {

/// Puts term(0) .. term(count - 1) together in parts[0], in an order that depends on Lanes alone:
/// each lane takes every Lanes-th, then pairs of lanes are put together.
template <int Lanes, class Block, class Term, class Combine>
FERMAT_HD void ordered_fold(Block block, std::int64_t count, Term term, Combine combine,
                            double* parts) {
    static_assert((Lanes & (Lanes - 1)) == 0);
    block.for_each(Lanes, [&](int lane) {
        double own = 0;
        for (std::int64_t n = lane; n < count; n += Lanes) own = combine(own, term(n));
        parts[lane] = own;
    });
    for (int half = Lanes / 2; half > 0; half /= 2) {
        block.for_each(half,
                       [&](int lane) { parts[lane] = combine(parts[lane], parts[lane + half]); });
    }
}

struct Plus {
    FERMAT_HD double operator()(double a, double b) const { return a + b; }
};
/// The greater one; not a number counts as greatest.
struct Greater {
    FERMAT_HD double operator()(double a, double b) const { return b > a || b != b ? b : a; }
};

}  // namespace fermat
