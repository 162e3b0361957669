#pragma once

#include <cstddef>

namespace fermat {

/// The threads for a loop that does little but read and write so many values: one where the loop is
/// over before another thread is there.
inline int streaming_threads(std::size_t values, int threads) {
    constexpr std::size_t few = std::size_t{1} << 15;
    return values < few ? 1 : threads;
}

}  // namespace fermat
