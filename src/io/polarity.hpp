#pragma once

#include <cstdint>
#include <string_view>

namespace fermat {

/// The direction of a first motion: 1 up (compression), -1 down (dilatation), 0 not known.
using Polarity = std::int8_t;

/// What files write for it: U, C, +, up, positive; D, R, -, down, negative; or a number with a
/// sign. Anything else is not known.
Polarity polarity_of(std::string_view text);

/// U, D or ?, as cards have it.
constexpr char motion_letter(Polarity polarity) {
    return polarity > 0 ? 'U' : polarity < 0 ? 'D' : '?';
}

}  // namespace fermat
