#pragma once

#include "core/host_device.hpp"
#include "tomography/smoothing/box.hpp"

namespace fermat {

/// Means of the moving box along a line of n elements, each mean in constant time whatever the
/// box's width w, and without a subtraction: a sum that adds what enters and takes away what leaves
/// keeps for ever what rounding lost while a large element was inside. The outputs are cut into
/// blocks of w; a box is a suffix of one block of inputs and a prefix of the next (van Herk 1992;
/// Gil & Werman 1993, there for the maximum). Rounding is that of adding up w elements.
///
/// `line` gives the values, one (double) or a register full of neighbouring lines at once:
///     Value zero(); Value load(i); void emit(i, mean);
///     void keep(slot, i, sum); Value kept(slot, i)   // slot < 2 w, or i: what lies nearer
/// Every load of element i comes before emit(i): lines may be smoothed in place.
template <class Line>
FERMAT_HD_INLINE void running_means(Line& line, int n, BoxReach reach) {
    const int width = reach.width();
    const double full = 1.0 / width;

    const auto keep_suffixes = [&](int first_output, int half) {
        auto sum = line.zero();
        const int first_input = first_output - reach.back;
        const int last = first_input + width <= n ? width - 1 : n - 1 - first_input;
        for (int t = last; t >= 0; --t) {
            if (first_input + t >= 0) sum = sum + line.load(first_input + t);
            if (first_output + t < n) line.keep(half * width + t, first_output + t, sum);
        }
    };

    keep_suffixes(0, 0);
    int half = 0;
    for (int first = 0; first < n; first += width) {
        // The next block's inputs are read before this block's means may overwrite them.
        if (first + width < n) keep_suffixes(first + width, 1 - half);
        auto sum = line.zero();
        const int count = first + width <= n ? width : n - first;
        for (int t = 0; t < count; ++t) {
            const int i = first + t;
            if (t > 0 && i + reach.on < n) sum = sum + line.load(i + reach.on);
            const bool clipped = i < reach.back || i + reach.on >= n;
            const double scale = clipped ? 1.0 / box_range(i, n, reach).count() : full;
            line.emit(i, (line.kept(half * width + t, i) + sum) * scale);
        }
        half = 1 - half;
    }
}

}  // namespace fermat
