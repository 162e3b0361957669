#pragma once

#include <cstddef>
#include <cstring>
#include <utility>

namespace fermat {

/// Doubles in a register. Four at most, also where eight would go in: rows of values lie anywhere,
/// and with registers as long as a cache line nearly every load and store would straddle two of
/// them (measured: 0.95 ms where four took 0.73 ms).
#if defined(__AVX__)
inline constexpr int pack_lanes = 4;
#else
inline constexpr int pack_lanes = 2;
#endif
typedef double PackRegister __attribute__((vector_size(pack_lanes * sizeof(double))));

/// Registers full of neighbouring lines, which are summed at once.
template <int registers>
struct Pack {
    PackRegister part[registers];

    [[gnu::always_inline]] friend Pack operator+(Pack a, const Pack& b) {
        for (int r = 0; r < registers; ++r) a.part[r] += b.part[r];
        return a;
    }
    [[gnu::always_inline]] friend Pack operator*(Pack a, double factor) {
        for (int r = 0; r < registers; ++r) a.part[r] *= factor;
        return a;
    }
};

[[gnu::always_inline]] inline PackRegister load_register(const double* from) {
    PackRegister values;
    std::memcpy(&values, from, sizeof values);
    return values;
}

[[gnu::always_inline]] inline void store_register(double* to, const PackRegister& values) {
    std::memcpy(to, &values, sizeof values);
}

template <int registers>
[[gnu::always_inline]] inline Pack<registers> load_pack(const double* from) {
    Pack<registers> pack;
    for (int r = 0; r < registers; ++r) pack.part[r] = load_register(from + r * pack_lanes);
    return pack;
}

template <int registers>
[[gnu::always_inline]] inline void store_pack(double* to, const Pack<registers>& pack) {
    for (int r = 0; r < registers; ++r) store_register(to + r * pack_lanes, pack.part[r]);
}

namespace detail {
/// Exchanges the off-diagonal quarters of the 2 h x 2 h blocks in rows a and b, h rows apart.
template <int h, int... c>
[[gnu::always_inline]] inline void exchange(PackRegister& a, PackRegister& b,
                                            std::integer_sequence<int, c...>) {
    const PackRegister upper = __builtin_shufflevector(a, b, ((c & h) ? pack_lanes + c - h : c)...);
    b = __builtin_shufflevector(a, b, ((c & h) ? pack_lanes + c : c + h)...);
    a = upper;
}

template <int h>
[[gnu::always_inline]] inline void transpose_halves(Pack<pack_lanes>& square) {
    for (int r = 0; r < pack_lanes; ++r) {
        if ((r & h) == 0) {
            exchange<h>(square.part[r], square.part[r + h],
                        std::make_integer_sequence<int, pack_lanes>());
        }
    }
    if constexpr (h > 1) transpose_halves<h / 2>(square);
}
}  // namespace detail

/// Rows become columns: a square of registers.
[[gnu::always_inline]] inline void transpose(Pack<pack_lanes>& square) {
    detail::transpose_halves<pack_lanes / 2>(square);
}

}  // namespace fermat
